#pragma once
// FolderLock: ensures that only one campaign uses a folder. The lock ends with the process; the file `lock` stays and
// has no meaning by itself.

#include <filesystem>

namespace fuser::fuzz {

class FolderLock {
 public:
  // A UserError, with the holder's process id, if the folder is locked. Waits up to a second for the lock, because
  // workers of a killed campaign may still be exiting.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace fuser::fuzz
