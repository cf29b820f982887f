#pragma once
// NCCL, opened at run time, as far as the transport needs it: bytes from one GPU to another. nccl.h is not on every
// machine, so the prototypes stand here.

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

  // A UserError where libnccl is missing or too old.
  explicit NcclLibrary(SharedLibrary libnccl = open());
  ~NcclLibrary();
  NcclLibrary(const NcclLibrary&) = delete;
  NcclLibrary& operator=(const NcclLibrary&) = delete;

  static SharedLibrary open();  // what the loader finds; perhaps nothing

  UniqueId makeUniqueId() const;
  // Returns when all ranks have called it. On the device that is current.
  Handle join(const UniqueId& id, int ranks, int rank) const;
  void leave(Handle handle) const;
  // On the default stream. What stands between the two groups together: none waits for another.
  void beginGroup() const;
  void endGroup() const;
  void send(unsigned long long address, size_t bytes, int to, Handle handle) const;
  void receive(unsigned long long address, size_t bytes, int from, Handle handle) const;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

}  // namespace fuser
