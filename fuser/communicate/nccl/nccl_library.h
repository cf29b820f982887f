#pragma once
// NcclLibrary: the part of NCCL that the transport needs, to send bytes from one GPU to another, opened at run time.
// nccl.h may be missing, so the prototypes are declared here. A call that fails is a CheckError, or a SetUpError where
// NCCL blames the system.

#include <cstddef>
#include <memory>

#include "fuser/execute/shared_library.h"

namespace fuser {

class NcclLibrary {
 public:
  using Handle = struct ncclComm*;
  struct UniqueId {
    char bytes[128];
  };

  // A SetUpError if libnccl is missing or older than 2.7.
  explicit NcclLibrary(SharedLibrary libnccl = open());
  ~NcclLibrary();
  NcclLibrary(const NcclLibrary&) = delete;
  NcclLibrary& operator=(const NcclLibrary&) = delete;

  static SharedLibrary open();  // libnccl; not open if the loader does not find it

  UniqueId makeUniqueId() const;
  // Joins with the current device. Returns when all ranks have called it.
  Handle join(const UniqueId& id, int ranks, int rank) const;
  void leave(Handle handle) const;
  // On the default stream. The calls between beginGroup and endGroup run together: none blocks another.
  void beginGroup() const;
  void endGroup() const;
  void send(unsigned long long address, size_t bytes, int to, Handle handle) const;
  void receive(unsigned long long address, size_t bytes, int from, Handle handle) const;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

}  // namespace fuser
