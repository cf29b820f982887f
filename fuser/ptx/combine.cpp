#include "fuser/ptx/combine.h"

#include <algorithm>
#include <bit>

#include "fuser/ptx/semantics.h"
#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

template <class T>
T combined(AtomicKind kind, T old, T value) {
  switch (kind) {
    case AtomicKind::Add: return addInteger(old, value);
    case AtomicKind::Min: return std::min(old, value);
    case AtomicKind::Max: return std::max(old, value);
    case AtomicKind::And: return old & value;
    case AtomicKind::Or: return old | value;
    case AtomicKind::Xor: return old ^ value;
    case AtomicKind::Exchange:
    case AtomicKind::CompareAndSwap: return value;
    case AtomicKind::Increment: return old >= value ? T{0} : static_cast<T>(old + 1);
    case AtomicKind::Decrement: return old == 0 || old > value ? value : static_cast<T>(old - 1);
  }
  FUSER_CHECK(false, "bad AtomicKind");
}

// Of f32, an addition in global memory takes subnormal numbers for zeros of their sign, and makes none (PTX ISA 9.0,
// 9.7.13.5, atom); in shared memory it knows them.
uint64_t sumOfFloats(uint64_t old, uint64_t value, bool isGlobal) {
  const auto a = std::bit_cast<float>(static_cast<uint32_t>(old));
  const auto b = std::bit_cast<float>(static_cast<uint32_t>(value));
  return std::bit_cast<uint32_t>(isGlobal ? flush(canonical(flush(a) + flush(b))) : canonical(a + b));
}

template <class Number>
uint64_t sumOfNumbers(uint64_t old, uint64_t value) {
  const Number a = Number::ofBits(static_cast<uint16_t>(old)), b = Number::ofBits(static_cast<uint16_t>(value));
  return Number(sumToOdd(a, b)).bits;
}
template <class Number>
uint64_t sumOfPairs(uint64_t old, uint64_t value) {
  return sumOfNumbers<Number>(old, value) | sumOfNumbers<Number>(old >> 16, value >> 16) << 16;
}

}  // namespace

uint64_t combinedBits(AtomicKind kind, Type type, uint64_t old, uint64_t value, bool isGlobal) {
  switch (type) {
    case Type::S32:
      return static_cast<uint32_t>(combined(kind, static_cast<int32_t>(old), static_cast<int32_t>(value)));
    case Type::S64:
      return static_cast<uint64_t>(combined(kind, static_cast<int64_t>(old), static_cast<int64_t>(value)));
    case Type::F32: return kind == AtomicKind::Exchange ? value : sumOfFloats(old, value, isGlobal);
    case Type::F64:
      if (kind == AtomicKind::Exchange) return value;
      return std::bit_cast<uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
    case Type::F16: return sumOfNumbers<Half>(old, value);
    case Type::BF16: return sumOfNumbers<Bfloat>(old, value);
    case Type::F16x2: return sumOfPairs<Half>(old, value);
    case Type::BF16x2: return sumOfPairs<Bfloat>(old, value);
    default:
      return bitsOf(type) == 32 ? combined(kind, static_cast<uint32_t>(old), static_cast<uint32_t>(value))
                                : combined(kind, old, value);
  }
}

}  // namespace fuser::ptx
