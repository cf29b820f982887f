#pragma once
// FolderLock: one campaign a folder. The lock goes with the process, however that ends; the file `lock` stays and means
// nothing by itself.

#include <filesystem>

namespace fuser::fuzz {

class FolderLock {
 public:
  // A UserError names the process that holds it. A campaign killed a moment ago may leave workers that die next, so a
  // held lock is waited for, for a second.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace fuser::fuzz
