#include "fuser/support/memory_reserve.h"

#include <cstddef>
#include <new>

namespace fuser {
namespace {

std::byte* reserve = nullptr;

void giveBack() {
  std::set_new_handler(nullptr);
  delete[] reserve;
  reserve = nullptr;
  throw std::bad_alloc();
}

}  // namespace

void keepMemoryForErrors() {
  constexpr size_t kReserve = size_t{1} << 20;
  if (!reserve) reserve = new std::byte[kReserve];
  std::set_new_handler(giveBack);
}

}  // namespace fuser
