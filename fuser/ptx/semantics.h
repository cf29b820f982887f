#pragma once
// What instructions compute, of one lane: the functions that the rows of instructions.def call (PTX ISA 9.0, 9.7).
// Integers wrap around. A quotient by 0 has all bits set, as the hardware gives it; the manual leaves it open.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace fuser::ptx {

// --- integers ---

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
inline constexpr int kBits = std::numeric_limits<Unsigned<T>>::digits;
// Twice as wide.
template <class T>
using Wider = std::conditional_t<
    std::is_signed_v<T>,
    std::conditional_t<sizeof(T) == 2, int32_t, std::conditional_t<sizeof(T) == 4, int64_t, __int128>>,
    std::conditional_t<sizeof(T) == 2, uint32_t, std::conditional_t<sizeof(T) == 4, uint64_t, unsigned __int128>>>;

template <class T>
T wrap(Wider<T> value) {
  return static_cast<T>(value);
}
template <class T>
T addInteger(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}
template <class T>
T subInteger(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}
// The lower half of the product; of 16 bits through 32, which C++ would multiply as signed.
template <class T>
T mulLow(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <class T>
T mulHigh(T a, T b) {
  return static_cast<T>((static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b)) >> kBits<T>);
}
template <class T>
Wider<T> mulWide(T a, T b) {
  return static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b);
}
template <class T>
T divide(T a, T b) {
  if (b == 0) return static_cast<T>(~Unsigned<T>{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return subInteger<T>(0, a);  // the least number by -1 is itself
  }
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}
template <class T>
T absInteger(T a) {
  return a < 0 ? subInteger<T>(0, a) : a;
}
// By as many bits as there are, or more: 0, or the sign in each bit.
template <class T>
T shiftLeft(T a, uint32_t by) {
  return by >= static_cast<uint32_t>(kBits<T>) ? T{0} : static_cast<T>(a << by);
}
template <class T>
T shiftRight(T a, uint32_t by) {
  const auto most = static_cast<uint32_t>(kBits<T>);
  if (by < most) return static_cast<T>(a >> by);
  return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{0};
}
// Funnel shifts: the upper, or lower, 32 bits of b:a, shifted.
inline uint32_t funnelLeft(uint32_t a, uint32_t b, uint32_t by) {
  return static_cast<uint32_t>(((static_cast<uint64_t>(b) << 32 | a) << by) >> 32);
}
inline uint32_t funnelRight(uint32_t a, uint32_t b, uint32_t by) {
  return static_cast<uint32_t>((static_cast<uint64_t>(b) << 32 | a) >> by);
}
// Bits [from, from + length) of b become the lower bits of a.
template <class T>
T insertBits(T a, T b, uint32_t from, uint32_t length) {
  from &= 255;
  length &= 255;
  const T mask = shiftLeft<T>(static_cast<T>(shiftLeft<T>(1, length) - 1), from);
  return static_cast<T>((b & ~mask) | (shiftLeft<T>(a, from) & mask));
}
// Bits [from, from + length) of a. Signed: the uppermost of them that a has is the sign; of no bits, 0.
template <class T>
T extractBits(T a, uint32_t from, uint32_t length) {
  from &= 255;
  length &= 255;
  const auto bits = static_cast<uint32_t>(kBits<T>);
  const T shifted = shiftRight<T>(a, from);
  if (length == 0) return 0;
  if (length >= bits) return shifted;
  const auto part = static_cast<Unsigned<T>>(shifted) & static_cast<Unsigned<T>>((Unsigned<T>{1} << length) - 1);
  if (!std::is_signed_v<T> || from + length > bits) return std::is_signed_v<T> ? shifted : static_cast<T>(part);
  return static_cast<T>(static_cast<T>(static_cast<Unsigned<T>>(part) << (bits - length)) >> (bits - length));
}
template <class T>
uint32_t findHighest(T a, bool asShift) {
  if constexpr (std::is_signed_v<T>) {
    if (a < 0) a = static_cast<T>(~a);
  }
  const int zeros = std::countl_zero(static_cast<Unsigned<T>>(a));
  if (zeros == kBits<T>) return ~uint32_t{0};
  return static_cast<uint32_t>(asShift ? zeros : kBits<T> - 1 - zeros);
}
template <class T>
T reverseBits(T a) {
  T reversed = 0;
  for (int bit = 0; bit < kBits<T>; ++bit) reversed = static_cast<T>(reversed << 1 | (a >> bit & 1));
  return reversed;
}
// Four bytes of b:a by the nibbles of the selector; bit 3 of one: its byte's sign in each bit.
inline uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = static_cast<uint64_t>(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t nibble = selector >> (4 * i) & 15;
    auto byte = static_cast<uint32_t>(bytes >> (8 * (nibble & 7)) & 255);
    if (nibble & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
// By the modes of prmt: byte j is byte by(i, j) of b:a, where i is the lowest two bits of c.
template <class By>
uint32_t permuteBy(uint32_t a, uint32_t b, uint32_t c, By by) {
  uint32_t selector = 0;
  for (uint32_t j = 0; j < 4; ++j) selector |= by(c & 3, j) << (4 * j);
  return permuteBytes(a, b, selector);
}
// c + the products of the four bytes of a and b.
template <class A, class B>
uint32_t dotOfBytes(uint32_t a, uint32_t b, uint32_t c) {
  for (int i = 0; i < 4; ++i)
    c += static_cast<uint32_t>(int{static_cast<A>(a >> (8 * i))} * int{static_cast<B>(b >> (8 * i))});
  return c;
}
// c + the products of the two halves of a and the lower two bytes of b.
template <class A, class B>
uint32_t dotOfHalves(uint32_t a, uint32_t b, uint32_t c) {
  for (int i = 0; i < 2; ++i)
    c += static_cast<uint32_t>(int{static_cast<A>(a >> (16 * i))} * int{static_cast<B>(b >> (8 * i))});
  return c;
}
// The product of the lower 24 bits.
inline int64_t mul24(int32_t a, int32_t b) {
  const auto low = [](int32_t x) { return int64_t{static_cast<int32_t>(static_cast<uint32_t>(x) << 8) >> 8}; };
  return low(a) * low(b);
}
inline uint64_t mul24(uint32_t a, uint32_t b) { return uint64_t{a & 0xffffff} * (b & 0xffffff); }
// Of a the lower `bits`, with zeros or their sign above; of 32 bits and more, a.
template <class T>
T extendFrom(T a, uint32_t bits) {
  if (bits == 0 || bits >= 32) return bits == 0 ? T{0} : a;
  return shiftRight<T>(shiftLeft<T>(a, 32 - bits), 32 - bits);
}
// `bits` ones from bit `from` up.
inline uint32_t maskOf(uint32_t from, uint32_t bits) { return shiftLeft(shiftLeft(1u, bits) - 1, from); }
// The place of a set bit: `base` itself if n is 0, else the n-th from there up, or, below 0, down; all ones: none.
inline uint32_t findNth(uint32_t mask, uint32_t base, int32_t n) {
  if (n == 0) return shiftRight(mask, base) & 1 ? base : ~uint32_t{0};
  int64_t left = n;
  for (int64_t at = base; at >= 0 && at<32; at += n> 0 ? 1 : -1) {
    if ((mask >> at & 1) == 0) continue;
    left += n > 0 ? -1 : 1;
    if (left == 0) return static_cast<uint32_t>(at);
  }
  return ~uint32_t{0};
}
// b, a above it, and c above both.
template <int kEach>
uint32_t packBelow(int32_t a, int32_t b, uint32_t c) {
  const auto low = [](int32_t x) { return static_cast<uint32_t>(x) & ((uint32_t{1} << kEach) - 1); };
  return shiftLeft(c, 2 * kEach) | low(a) << kEach | low(b);
}
// Any function of three bits, as a table of eight.
inline uint32_t logicOf3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (uint32_t row = 0; row < 8; ++row) {
    if (table >> row & 1) result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  }
  return result;
}

// --- floats ---

// Instructions of f32 give one NaN; those of f64 give an operand's.
inline float canonical(float value) { return value == value ? value : std::bit_cast<float>(0x7fffffffu); }
inline double canonical(double value) { return value; }
// A subnormal number becomes a zero of its sign.
inline float flush(float value) { return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value; }
inline double flush(double value) { return value; }

// Of NaN and a number, the number; -0 is below +0.
template <class T>
T smaller(T a, T b) {
  if (a != a) return canonical(b);
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T larger(T a, T b) {
  if (a != a) return canonical(b);
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <class T>
T orNan(T a, T b, T result) {
  return a == a && b == b ? result : canonical(std::numeric_limits<T>::quiet_NaN());
}
// A size whose sign is that of a product of a and b.
template <class T>
T withSigns(T a, T b, T size) {
  return std::copysign(size, std::signbit(a) != std::signbit(b) ? T(-1) : T(1));
}
// Into [0, 1]; NaN becomes +0.
template <class T>
T saturate(T value) {
  return value > 0 ? std::min(value, T(1)) : T(0);
}

// To the integer that is nearest, of ties the even one.
template <class T>
T nearestEven(T value) {
  const T floor = std::floor(value), part = value - floor;
  if (part == T(0.5)) return std::copysign(std::fmod(floor, T(2)) == 0 ? floor : floor + 1, value);
  return std::copysign(part < T(0.5) ? floor : floor + 1, value);
}
// What does not fit becomes the nearest that does. NaN becomes 0 where neither side has 64 bits, else the uppermost bit
// alone.
template <class I, class T>
I toInteger(T whole) {
  if (whole != whole) {
    return sizeof(T) < 8 && sizeof(I) < 8 ? I{0} : static_cast<I>(Unsigned<I>{1} << (kBits<I> - 1));
  }
  constexpr T kBelow = static_cast<T>(std::numeric_limits<I>::min());
  const T above = std::ldexp(T(1), std::is_signed_v<I> ? kBits<I> - 1 : kBits<I>);
  if (whole < kBelow) return std::numeric_limits<I>::min();
  if (whole >= above) return std::numeric_limits<I>::max();
  return static_cast<I>(whole);
}
// Between integers, to the nearest that there is.
template <class I, class T>
I saturated(T a) {
  const __int128 least = std::numeric_limits<I>::min(), most = std::numeric_limits<I>::max();
  return static_cast<I>(std::clamp<__int128>(a, least, most));
}

}  // namespace fuser::ptx
