#include "fuzz/judge/memory_shortage.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <string_view>

namespace fuser::fuzz {
namespace {

size_t residentBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

bool isMemoryShort(size_t limitMb) {
  constexpr size_t kLeast = size_t{1} << 20;
  const size_t limit = limitMb << 20, resident = residentBytes();
  const size_t wanted = std::max(kLeast, limit > resident ? limit - resident : 0);
  void* memory = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return true;
  munmap(memory, wanted);
  return false;
}

bool saysOutOfMemory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error)) return true;
  const std::string_view text = error.what();
  return text.find("DefaultCPUAllocator: can't allocate memory") != text.npos ||
         text.find("DefaultCPUAllocator: not enough memory") != text.npos;
}

}  // namespace fuser::fuzz
