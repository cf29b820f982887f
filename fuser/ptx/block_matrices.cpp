// Products of matrices by a warp, and loads of their fragments.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "fuser/ptx/block.h"
#include "fuser/ptx/semantics.h"
#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

constexpr int kColumns = 8;
constexpr size_t kMostRows = 16, kMostDepth = 32;

// The sum of terms as tensor cores were seen to make it (Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of
// NVIDIA tensor cores", 2021): each is cut at the last of 24 places of the largest one, and so is their sum.
float sumOfTerms(std::span<const double> terms) {
  double plain = 0;
  int highest = std::numeric_limits<int>::min();
  for (double term : terms) {
    plain += term;
    if (term != 0 && std::isfinite(term)) highest = std::max(highest, std::ilogb(term));
  }
  if (!std::all_of(terms.begin(), terms.end(), [](double term) { return std::isfinite(term); }))
    return canonical(static_cast<float>(plain));
  if (highest == std::numeric_limits<int>::min()) return 0;
  int64_t total = 0;
  for (double term : terms) total += static_cast<int64_t>(std::ldexp(term, 23 - highest));
  int dropped = 0;
  while ((std::abs(total) >> dropped) >= int64_t{1} << 24) ++dropped;
  const int64_t kept = std::abs(total) >> dropped << dropped;
  return static_cast<float>(std::ldexp(static_cast<double>(total < 0 ? -kept : kept), highest - 23));
}

// Integers are exact in the 64 bits of a sum, and wrap around in 32 or stop at their ends.
uint32_t sumOfIntegers(std::span<const double> terms, bool clamps) {
  int64_t sum = 0;
  for (double term : terms) sum += static_cast<int64_t>(term);
  return static_cast<uint32_t>(clamps ? saturated<int32_t>(sum) : static_cast<int32_t>(sum));
}

double elementOf(Type type, uint64_t bits) {
  switch (type) {
    case Type::F16: return Half::ofBits(static_cast<uint16_t>(bits));
    case Type::BF16: return Bfloat::ofBits(static_cast<uint16_t>(bits));
    case Type::S8: return static_cast<int8_t>(bits);
    case Type::U8: return static_cast<uint8_t>(bits);
    default: FUSER_CHECK(false, "no type of elements");
  }
}

double valueOfSum(const MmaOf& mma, uint32_t bits) {
  if (mma.isOfIntegers()) return static_cast<int32_t>(bits);
  return std::bit_cast<float>(bits);
}

}  // namespace

// The fragments ("Matrix Fragments for mma" of each shape): of lane l, with g = l / 4 and t = l % 4, and e elements in
// a register, the left registers have row g and, of 16 rows, g + 8 by turns, columns et to et + e - 1, and those by 4e
// more; the right ones rows et to et + e - 1, and those by 4e more, of column g; the sums rows g and g + 8 of columns
// 2t and 2t + 1. Products are exact.
void Block::multiply(Warp& warp, const Operation& operation, uint32_t mask) {
  if (mask != kAllLanes) fail(warp, operation, std::countr_zero(mask), "a product of matrices by a part of a warp");
  const MmaOf& mma = operation.mma;
  const Registers& registers = warp.registers;
  const int elements = mma.elements, bits = 32 / elements, halves = mma.rows / 8;
  const int lefts = mma.leftRegisters(), rights = mma.rightRegisters(), sums = mma.sums();
  for (int i = 0; i < lefts + rights + sums; ++i)
    needDefined(warp, operation, operation.operands[static_cast<size_t>(i)], 4, mask, "a sum of products");
  const auto lanesOf = [&](int operand) {
    return static_cast<const uint32_t*>(registers.value(operation.operands[static_cast<size_t>(operand)]));
  };
  double left[kMostRows][kMostDepth], right[kMostDepth][kColumns];
  for (int lane = 0; lane < kLanes; ++lane) {
    const int g = lane / 4, t = lane % 4;
    for (int element = 0; element < elements; ++element) {
      for (int i = 0; i < lefts; ++i)
        left[g + i % halves * 8][elements * t + element + i / halves * 4 * elements] =
            elementOf(mma.left, lanesOf(i)[lane] >> (bits * element));
      for (int i = 0; i < rights; ++i)
        right[elements * t + element + i * 4 * elements][g] =
            elementOf(mma.right, lanesOf(lefts + i)[lane] >> (bits * element));
    }
  }
  const auto depth = static_cast<size_t>(mma.depth);
  for (int i = 0; i < sums; ++i) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int row = lane / 4 + i / 2 * 8, column = 2 * (lane % 4) + i % 2;
      const uint32_t start = lanesOf(lefts + rights + i)[lane];
      std::array<double, kMostDepth + 1> all;
      const std::span<double> terms(all.data(), depth + 1);
      for (size_t k = 0; k < depth; ++k) terms[k] = left[row][k] * right[k][column];
      terms[depth] = valueOfSum(mma, start);
      setLane(scratch_.bytes, 4, lane,
              mma.isOfIntegers() ? sumOfIntegers(terms, mma.clamps) : std::bit_cast<uint32_t>(sumOfTerms(terms)));
    }
    warp.registers.write(operation.result + i * kLanes * 4, 4, mask, scratch_.bytes, nullptr);
  }
}

// ldmatrix: lanes 8i to 8i + 7 say where the rows of matrix i begin; of it lane l is given elements 2t and 2t + 1 of
// row g or, transposed, those rows' elements of column g.
void Block::loadMatrices(Warp& warp, const Operation& operation, uint32_t mask) {
  if (mask != kAllLanes) fail(warp, operation, std::countr_zero(mask), "matrices loaded by a part of a warp");
  const int count = operation.count;
  const uint32_t asked = count == 4 ? kAllLanes : (uint32_t{1} << (8 * count)) - 1;
  findAddresses(warp, operation, asked, 16);
  reachShared(warp, operation, asked, false);
  for (int i = 0; i < count; ++i) {
    bool isUndefined = false;
    for (int lane = 0; lane < kLanes; ++lane) {
      uint32_t value = 0, undefined = 0;
      for (int half = 0; half < 2; ++half) {
        const int along = 2 * (lane % 4) + half, across = lane / 4;
        const auto row = static_cast<size_t>(8 * i + (operation.transposes ? along : across));
        const int at = 2 * (operation.transposes ? across : along);
        uint16_t bits = 0, shadow = 0;
        std::memcpy(&bits, reached_[row] + at, 2);
        std::memcpy(&shadow, reachedUndefined_[row] + at, 2);
        value |= uint32_t{bits} << (16 * half);
        undefined |= uint32_t{shadow} << (16 * half);
      }
      setLane(scratch_.bytes, 4, lane, value);
      setLane(shadow_.bytes, 4, lane, undefined);
      isUndefined = isUndefined || undefined != 0;
    }
    warp.registers.write(operation.operands[static_cast<size_t>(1 + i)], 4, mask, scratch_.bytes,
                         isUndefined ? shadow_.bytes : nullptr);
  }
}

}  // namespace fuser::ptx
