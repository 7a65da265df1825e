// What the tests in C share.
#ifndef ROPEWALK_CAPI_TESTING_H_
#define ROPEWALK_CAPI_TESTING_H_

#include <math.h>
#include <ropewalk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      ++failures;                                                                    \
      printf("%s:%d: not so: %s (last error: %s)\n", __FILE__, __LINE__, #condition, \
             ropewalk_last_error());                                                 \
    }                                                                                \
  } while (0)

#define CHECK_OK(call) CHECK((call) == ROPEWALK_OK)

// The call fails with this status, and the message has the words.
#define CHECK_FAILS(call, status, words)                                                    \
  do {                                                                                      \
    const int found = (int)(call);                                                          \
    if (found != (status) || strstr(ropewalk_last_error(), (words)) == NULL) {              \
      ++failures;                                                                           \
      printf("%s:%d: %s\n  expected status %d and \"%s\", found %d and \"%s\"\n", __FILE__, \
             __LINE__, #call, (int)(status), (words), found, ropewalk_last_error());        \
    }                                                                                       \
  } while (0)

// Within half a unit in the last place of a float near 1, and what the sum of two products adds.
#define CHECK_NEAR(found, expected, tolerance)                                            \
  do {                                                                                    \
    const double f = (double)(found), e = (double)(expected);                             \
    if (!(fabs(f - e) <= (tolerance))) {                                                  \
      ++failures;                                                                         \
      printf("%s:%d: %s: expected %.9g, found %.9g\n", __FILE__, __LINE__, #found, e, f); \
    }                                                                                     \
  } while (0)

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define TENSOR(data, dtype, shape) ropewalk_tensor_of((data), (dtype), COUNT(shape), (shape))

#endif  // ROPEWALK_CAPI_TESTING_H_
