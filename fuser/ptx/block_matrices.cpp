// Products of matrices by a warp, and loads of their fragments.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "fuser/ptx/block.h"
#include "fuser/ptx/semantics.h"
#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

constexpr int kColumns = 8;
constexpr size_t kMostRows = 16, kMostDepth = 32;
constexpr int kPlaces = 24;
constexpr int kExponentShift = 52;  // of a double
constexpr uint64_t kExponentBias = 1023, kExponent = uint64_t{0x7ff} << kExponentShift;

double powerOfTwo(uint64_t exponent) { return std::bit_cast<double>(exponent << kExponentShift); }

// The sum of terms as tensor cores were seen to make it (Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of
// NVIDIA tensor cores", 2021): each is cut at the last of 24 places of the largest one, and so is their sum.
//
// Terms are products of two numbers of 16 bits, or a float: as doubles they are normal, or zero, and so are they times
// the powers of two below.
template <size_t kTerms>
float sumOfTerms(const std::array<double, kTerms>& terms) {
  uint64_t highest = 0;  // the largest exponent, as a double has it
  for (double term : terms) highest = std::max(highest, std::bit_cast<uint64_t>(term) & kExponent);
  if (highest == kExponent) return canonical(static_cast<float>(std::accumulate(terms.begin(), terms.end(), 0.0)));
  if (highest == 0) return 0;
  const uint64_t exponent = highest >> kExponentShift;
  const double toPlaces = powerOfTwo(2 * kExponentBias + kPlaces - 1 - exponent);
  int64_t total = 0;
  for (double term : terms) total += static_cast<int64_t>(term * toPlaces);
  const auto size = static_cast<uint64_t>(std::abs(total));
  const int dropped = std::max(0, static_cast<int>(std::bit_width(size)) - kPlaces);
  const auto kept = static_cast<double>(size >> dropped << dropped);
  return static_cast<float>((total < 0 ? -kept : kept) * powerOfTwo(exponent - (kPlaces - 1)));
}

// Integers are exact in the 64 bits of a sum, and wrap around in 32 or stop at their ends.
template <size_t kTerms>
uint32_t sumOfIntegers(const std::array<double, kTerms>& terms, bool clamps) {
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

// A row of the left matrix by a column of the right one, and the sum so far. The number of terms is known beforehand,
// since products take most of the time of kernels that have them.
template <size_t kDepth>
uint32_t sumOf(const MmaOf& mma, const double* row, const double* column, uint32_t start) {
  std::array<double, kDepth + 1> terms;
  for (size_t k = 0; k < kDepth; ++k) terms[k] = row[k] * column[k];
  terms[kDepth] = std::bit_cast<float>(start);
  if (!mma.isOfIntegers()) return std::bit_cast<uint32_t>(sumOfTerms(terms));
  terms[kDepth] = static_cast<int32_t>(start);
  return sumOfIntegers(terms, mma.clamps);
}

uint32_t sumOf(const MmaOf& mma, const double* row, const double* column, uint32_t start) {
  switch (mma.depth) {
    case 8: return sumOf<8>(mma, row, column, start);
    case 16: return sumOf<16>(mma, row, column, start);
    default: return sumOf<32>(mma, row, column, start);
  }
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
  double left[kMostRows][kMostDepth], right[kColumns][kMostDepth];
  for (int lane = 0; lane < kLanes; ++lane) {
    const int g = lane / 4, t = lane % 4;
    for (int element = 0; element < elements; ++element) {
      for (int i = 0; i < lefts; ++i)
        left[g + i % halves * 8][elements * t + element + i / halves * 4 * elements] =
            elementOf(mma.left, lanesOf(i)[lane] >> (bits * element));
      for (int i = 0; i < rights; ++i)
        right[g][elements * t + element + i * 4 * elements] =
            elementOf(mma.right, lanesOf(lefts + i)[lane] >> (bits * element));
    }
  }
  for (int i = 0; i < sums; ++i) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int row = lane / 4 + i / 2 * 8, column = 2 * (lane % 4) + i % 2;
      setLane(scratch_.bytes, 4, lane, sumOf(mma, left[row], right[column], lanesOf(lefts + rights + i)[lane]));
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
