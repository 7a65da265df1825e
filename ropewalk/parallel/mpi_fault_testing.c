// Preloaded into a program of ranks by the tests: one of them gets a signal as it begins to send
// keys, through the profiling interface of MPI.
//   ROPEWALK_FAULT_RANK=1 ROPEWALK_FAULT_SIGNAL=STOP LD_PRELOAD=libropewalk_mpi_fault.so
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { kKeys = 1 };  // of MpiTag

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const char* rank = getenv("ROPEWALK_FAULT_RANK");
  const char* own = getenv("OMPI_COMM_WORLD_RANK");
  const char* name = getenv("ROPEWALK_FAULT_SIGNAL");
  if (tag == kKeys && rank != NULL && own != NULL && name != NULL && strcmp(rank, own) == 0) {
    raise(strcmp(name, "STOP") == 0 ? SIGSTOP : SIGKILL);
  }
  return PMPI_Isend(buffer, count, type, peer, tag, comm, request);
}
