#include "fuzz/compilers/liberties.h"

namespace fuser::fuzz {
namespace {

struct Liberty {
  std::string_view target;
  DataType dtype, as;
};
constexpr Liberty kTargetLiberties[] = {
#define LIBERTY(target, dtype, as, why) {target, DataType::dtype, DataType::as},
#include "fuzz/compilers/liberties.def"
#undef LIBERTY
};

}  // namespace

HeldType heldBy(std::string_view target, DataType dtype) {
  HeldType held(dtype);
  for (const Liberty& liberty : kTargetLiberties) {
    if (liberty.target == target && liberty.dtype == dtype) held.also.push_back(liberty.as);
  }
  return held;
}

}  // namespace fuser::fuzz
