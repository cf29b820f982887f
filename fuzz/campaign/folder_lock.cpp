// flock(2) on a file of the folder.

#include "fuzz/campaign/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "fuser/support/check.h"

namespace fuser::fuzz {

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "lock";
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  FUSER_USER_CHECK(descriptor_ >= 0, "cannot write to ", folder.string(), ": ", strerror(errno));
  bool isLocked = false;
  for (int attempt = 0; attempt < 20 && !isLocked; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    isLocked = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
  }
  if (!isLocked) {
    std::array<char, 32> owner{};
    const ssize_t count = pread(descriptor_, owner.data(), owner.size() - 1, 0);
    const std::string process(owner.data(), count > 0 ? static_cast<size_t>(count) : 0);
    close(descriptor_);
    FUSER_USER_CHECK(false, "another campaign runs in ", folder.string(), " (process ",
                     process.substr(0, process.find('\n')), "): let it end, or name another folder");
  }
  const std::string process = std::to_string(getpid()) + "\n";
  const bool written = ftruncate(descriptor_, 0) == 0 &&
                       pwrite(descriptor_, process.data(), process.size(), 0) == static_cast<ssize_t>(process.size());
  if (!written) {
    const int error = errno;
    close(descriptor_);
    FUSER_USER_CHECK(false, "cannot write to ", folder.string(), ": ", strerror(error));
  }
}

FolderLock::~FolderLock() { close(descriptor_); }

}  // namespace fuser::fuzz
