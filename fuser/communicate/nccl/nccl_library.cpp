#include "fuser/communicate/nccl/nccl_library.h"

#include <string>
#include <utility>

#include "fuser/support/set_up_error.h"

namespace fuser {
namespace {

using Status = int;
using Stream = struct CUstream_st*;

// Values of nccl.h.
constexpr Status kSuccess = 0;
constexpr Status kSystemError = 2;
constexpr int kInt8 = 0;

}  // namespace

struct NcclLibrary::Functions {
  SharedLibrary library;
  const char* (*getErrorString)(Status);
  Status (*getUniqueId)(UniqueId*);
  Status (*commInitRank)(Handle*, int, UniqueId, int);
  Status (*commDestroy)(Handle);
  Status (*groupStart)();
  Status (*groupEnd)();
  Status (*send)(const void*, size_t, int, int, Handle, Stream);
  Status (*receive)(void*, size_t, int, int, Handle, Stream);

  template <class F>
  void find(F*& function, const char* name) {
    function = library.find<F>(name);
    FUSER_SET_UP_CHECK(function, "libnccl has no ", name, "; version 2.7 or later is needed");
  }

  void check(Status result, const char* what) const {
    FUSER_SET_UP_CHECK(result != kSystemError, what, ": ", getErrorString(result), " (error ", result, ")");
    FUSER_CHECK(result == kSuccess, what, ": ", getErrorString(result), " (error ", result, ")");
  }
};

SharedLibrary NcclLibrary::open() {
  const std::string names[] = {"libnccl.so.2", "libnccl.so"};
  return SharedLibrary(names, SharedLibrary::Unload::Never);
}

NcclLibrary::NcclLibrary(SharedLibrary libnccl) : functions_(std::make_unique<Functions>()) {
  functions_->library = std::move(libnccl);
  FUSER_SET_UP_CHECK(
      functions_->library.isOpen(),
      "communicating between GPUs needs NVIDIA's NCCL, but libnccl.so.2 was not found; use another transport, "
      "or install NCCL (",
      functions_->library.error(), ")");
  functions_->find(functions_->getErrorString, "ncclGetErrorString");
  functions_->find(functions_->getUniqueId, "ncclGetUniqueId");
  functions_->find(functions_->commInitRank, "ncclCommInitRank");
  functions_->find(functions_->commDestroy, "ncclCommDestroy");
  functions_->find(functions_->groupStart, "ncclGroupStart");
  functions_->find(functions_->groupEnd, "ncclGroupEnd");
  functions_->find(functions_->send, "ncclSend");
  functions_->find(functions_->receive, "ncclRecv");
}

NcclLibrary::~NcclLibrary() = default;

NcclLibrary::UniqueId NcclLibrary::makeUniqueId() const {
  UniqueId id;
  functions_->check(functions_->getUniqueId(&id), "ncclGetUniqueId");
  return id;
}

NcclLibrary::Handle NcclLibrary::join(const UniqueId& id, int ranks, int rank) const {
  Handle handle = nullptr;
  functions_->check(functions_->commInitRank(&handle, ranks, id, rank), "ncclCommInitRank");
  return handle;
}

void NcclLibrary::leave(Handle handle) const { functions_->commDestroy(handle); }

void NcclLibrary::beginGroup() const { functions_->check(functions_->groupStart(), "ncclGroupStart"); }

void NcclLibrary::endGroup() const { functions_->check(functions_->groupEnd(), "ncclGroupEnd"); }

void NcclLibrary::send(unsigned long long address, size_t bytes, int to, Handle handle) const {
  const void* data = reinterpret_cast<const void*>(address);
  functions_->check(functions_->send(data, bytes, kInt8, to, handle, nullptr), "ncclSend");
}

void NcclLibrary::receive(unsigned long long address, size_t bytes, int from, Handle handle) const {
  functions_->check(functions_->receive(reinterpret_cast<void*>(address), bytes, kInt8, from, handle, nullptr),
                    "ncclRecv");
}

}  // namespace fuser
