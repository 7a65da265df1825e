#pragma once

#include <cstdint>
#include <functional>

namespace ropewalk {

// Runs task(0) .. task(count - 1) on the calling thread and at most `helpers` others, and returns
// when all are done: fewer where no processor is free for them (spare_processors.h). `task` may not
// throw. The helpers are kept for later calls, of any thread; they are never waited for unless they
// have begun a task, so that a busy machine, or one that has no more threads or memory to give, is
// only slower. A call from inside a task runs on its thread alone. After fork() the child starts
// helpers of its own.
void run_on_pool(int helpers, int64_t count, const std::function<void(int64_t)>& task);

}  // namespace ropewalk
