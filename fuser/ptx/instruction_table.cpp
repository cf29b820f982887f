// The rows of instructions.def and approximations.def as functions over the lanes of a warp.
#include "fuser/ptx/instruction_table.h"

#include <cfenv>
#include <utility>
#include <vector>

#include "fuser/ptx/adversary.h"
#include "fuser/ptx/approximate.h"
#include "fuser/ptx/semantics.h"
#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

template <class R, class... A, class F, size_t... At>
void runLanes(void* result, const void* const* operands, F f, std::index_sequence<At...>) {
  auto* to = static_cast<typename R::Stored*>(result);
#ifndef __clang__
#pragma GCC ivdep  // where the result is an operand, each lane reads its own place before it writes it
#endif
  for (int i = 0; i < kLanes; ++i) {
    to[i] = R::encode(
        static_cast<typename R::Value>(f(A::decode(static_cast<const typename A::Stored*>(operands[At])[i])...)));
  }
}

template <class R, class... A, class F>
void runLanes(void* result, const void* const* operands, F f) {
  runLanes<R, A...>(result, operands, f, std::index_sequence_for<A...>());
}

// Both halves of registers that hold two numbers.
template <class Packed, class... Operands, class F>
void runHalves(void* result, const void* const* operands, F f) {
  runLanes<Packed, Operands...>(result, operands, [f](const typename Operands::Value&... in) {
    return typename Packed::Value{f(in.lower...), f(in.upper...)};
  });
}

// The type of twice the bits.
namespace wide {
using S16 = lane::S32;
using U16 = lane::U32;
using S32 = lane::S64;
using U32 = lane::U64;
}  // namespace wide
template <class T>
constexpr Type twice(Type type) {
  switch (type) {
    case Type::S16: return Type::S32;
    case Type::U16: return Type::U32;
    case Type::S32: return Type::S64;
    default: return Type::U64;
  }
}

// --- how instructions.def is read ---

#define DIRECTED1(opcode, R, A, rule, rounding, ...)                                                     \
  {opcode, Type::R, {Type::A}, 1, Definedness::rule, rounding, [](void* result, const void* const* in) { \
     using Result [[maybe_unused]] = lane::R::Value;                                                     \
     runLanes<lane::R, lane::A>(result, in, [](lane::A::Value a) { return __VA_ARGS__; });               \
   }},
#define DIRECTED2(opcode, R, A, B, rule, rounding, ...)                                                               \
  {opcode, Type::R, {Type::A, Type::B}, 2, Definedness::rule, rounding, [](void* result, const void* const* in) {     \
     runLanes<lane::R, lane::A, lane::B>(result, in, [](lane::A::Value a, lane::B::Value b) { return __VA_ARGS__; }); \
   }},
#define DIRECTED3(opcode, R, A, B, C, rule, rounding, ...)                                              \
  {opcode,                                                                                              \
   Type::R,                                                                                             \
   {Type::A, Type::B, Type::C},                                                                         \
   3,                                                                                                   \
   Definedness::rule,                                                                                   \
   rounding,                                                                                            \
   [](void* result, const void* const* in) {                                                            \
     runLanes<lane::R, lane::A, lane::B, lane::C>(                                                      \
         result, in, [](lane::A::Value a, lane::B::Value b, lane::C::Value c) { return __VA_ARGS__; }); \
   }},
#define ROW4(opcode, R, A, B, C, D, rule, ...)                                                                \
  {opcode,                                                                                                    \
   Type::R,                                                                                                   \
   {Type::A, Type::B, Type::C, Type::D},                                                                      \
   4,                                                                                                         \
   Definedness::rule,                                                                                         \
   Rounding::Nearest,                                                                                         \
   [](void* result, const void* const* in) {                                                                  \
     runLanes<lane::R, lane::A, lane::B, lane::C, lane::D>(                                                   \
         result, in,                                                                                          \
         [](lane::A::Value a, lane::B::Value b, lane::C::Value c, lane::D::Value d) { return __VA_ARGS__; }); \
   }},
#define ROW1(opcode, R, A, rule, ...) DIRECTED1(opcode, R, A, rule, Rounding::Nearest, __VA_ARGS__)
#define ROW2(opcode, R, A, B, rule, ...) DIRECTED2(opcode, R, A, B, rule, Rounding::Nearest, __VA_ARGS__)
#define ROW3(opcode, R, A, B, C, rule, ...) DIRECTED3(opcode, R, A, B, C, rule, Rounding::Nearest, __VA_ARGS__)

// A row for each type of a list.
#define EACH(LIST, MACRO, ...) TYPES_##LIST(EACH_##MACRO, __VA_ARGS__)
#define TYPES_SIGNED(M, ...) M(S16, "s16", __VA_ARGS__) M(S32, "s32", __VA_ARGS__) M(S64, "s64", __VA_ARGS__)
#define TYPES_UNSIGNED(M, ...) M(U16, "u16", __VA_ARGS__) M(U32, "u32", __VA_ARGS__) M(U64, "u64", __VA_ARGS__)
#define TYPES_INTEGER(M, ...) TYPES_SIGNED(M, __VA_ARGS__) TYPES_UNSIGNED(M, __VA_ARGS__)
#define TYPES_INTEGER8(M, ...) M(S8, "s8", __VA_ARGS__) M(U8, "u8", __VA_ARGS__) TYPES_INTEGER(M, __VA_ARGS__)
#define TYPES_NARROW(M, ...) \
  M(S16, "s16", __VA_ARGS__) M(U16, "u16", __VA_ARGS__) M(S32, "s32", __VA_ARGS__) M(U32, "u32", __VA_ARGS__)
#define TYPES_WIDE_INTEGER(M, ...) \
  M(S32, "s32", __VA_ARGS__) M(U32, "u32", __VA_ARGS__) M(S64, "s64", __VA_ARGS__) M(U64, "u64", __VA_ARGS__)
#define TYPES_BITS(M, ...) M(B16, "b16", __VA_ARGS__) M(B32, "b32", __VA_ARGS__) M(B64, "b64", __VA_ARGS__)
#define TYPES_FLOAT(M, ...) M(F32, "f32", __VA_ARGS__) M(F64, "f64", __VA_ARGS__)
#define TYPES_S16(M, ...) M(S16, "s16", __VA_ARGS__)
#define TYPES_16(M, ...) TYPES_S16(M, __VA_ARGS__) M(U16, "u16", __VA_ARGS__)
#define TYPES_32(M, ...) M(S32, "s32", __VA_ARGS__) M(U32, "u32", __VA_ARGS__)
// f32 with the modifiers that stand before it.
#define TYPES_F32(M, ...) M(F32, "f32", __VA_ARGS__)
#define TYPES_FTZ(M, ...) M(F32, "ftz.f32", __VA_ARGS__)
#define TYPES_SAT(M, ...) M(F32, "sat.f32", __VA_ARGS__)
#define TYPES_FTZ_SAT(M, ...) M(F32, "ftz.sat.f32", __VA_ARGS__)
#define TYPES_F32_AND_FTZ(M, ...) TYPES_F32(M, __VA_ARGS__) TYPES_FTZ(M, __VA_ARGS__)
#define TYPES_F64(M, ...) M(F64, "f64", __VA_ARGS__)
#define TYPES_F16(M, ...) M(F16, "f16", __VA_ARGS__)
#define TYPES_BF16(M, ...) M(BF16, "bf16", __VA_ARGS__)
#define TYPES_HALF(M, ...) TYPES_F16(M, __VA_ARGS__) TYPES_BF16(M, __VA_ARGS__)
#define TYPES_COMPARED(M, ...) TYPES_FLOAT(M, __VA_ARGS__) TYPES_HALF(M, __VA_ARGS__)
#define TYPES_MOVE(M, ...) TYPES_BITS(M, __VA_ARGS__) TYPES_INTEGER(M, __VA_ARGS__) TYPES_FLOAT(M, __VA_ARGS__)

#define EACH_ROW1(T, text, prefix, rule, ...) ROW1(prefix text, T, T, rule, __VA_ARGS__)
#define EACH_ROW2(T, text, prefix, rule, ...) ROW2(prefix text, T, T, T, rule, __VA_ARGS__)
#define EACH_ROW3(T, text, prefix, rule, ...) ROW3(prefix text, T, T, T, T, rule, __VA_ARGS__)
#define EACH_SELECT(T, text, prefix, rule, ...) ROW3(prefix text, T, T, T, Pred, rule, __VA_ARGS__)
#define EACH_SHIFT(T, text, prefix, rule, ...) ROW2(prefix text, T, T, U32, rule, __VA_ARGS__)
#define EACH_SELECT_S32(T, text, prefix, rule, ...) ROW3(prefix text ".s32", T, T, T, S32, rule, __VA_ARGS__)
#define EACH_SELECT_F32(T, text, prefix, rule, ...) ROW3(prefix text ".f32", T, T, T, F32, rule, __VA_ARGS__)
#define EACH_TEST(T, text, prefix, rule, ...) ROW1(prefix text, Pred, T, rule, __VA_ARGS__)
#define EACH_FIND(T, text, prefix, rule, ...) ROW1(prefix text, U32, T, rule, __VA_ARGS__)
#define EACH_COMPARE(T, text, prefix, rule, ...) ROW2(prefix text, Pred, T, T, rule, __VA_ARGS__)
#define EACH_WIDE2(T, text, prefix, rule, ...)                                                                        \
  {prefix text,                                                                                                       \
   twice<lane::T>(Type::T),                                                                                           \
   {Type::T, Type::T},                                                                                                \
   2,                                                                                                                 \
   Definedness::rule,                                                                                                 \
   Rounding::Nearest,                                                                                                 \
   [](void* result, const void* const* in) {                                                                          \
     runLanes<wide::T, lane::T, lane::T>(result, in, [](lane::T::Value a, lane::T::Value b) { return __VA_ARGS__; }); \
   }},
#define EACH_WIDE3(T, text, prefix, rule, ...)                                                          \
  {prefix text,                                                                                         \
   twice<lane::T>(Type::T),                                                                             \
   {Type::T, Type::T, twice<lane::T>(Type::T)},                                                         \
   3,                                                                                                   \
   Definedness::rule,                                                                                   \
   Rounding::Nearest,                                                                                   \
   [](void* result, const void* const* in) {                                                            \
     runLanes<wide::T, lane::T, lane::T, wide::T>(                                                      \
         result, in, [](lane::T::Value a, lane::T::Value b, wide::T::Value c) { return __VA_ARGS__; }); \
   }},
// A row for each rounding: .rn, .rz, .rm, .rp.
#define EACH_ROUNDED1(T, text, prefix, rule, ...)                          \
  DIRECTED1(prefix "rn." text, T, T, rule, Rounding::Nearest, __VA_ARGS__) \
  DIRECTED1(prefix "rz." text, T, T, rule, Rounding::Zero, __VA_ARGS__)    \
  DIRECTED1(prefix "rm." text, T, T, rule, Rounding::Down, __VA_ARGS__)    \
  DIRECTED1(prefix "rp." text, T, T, rule, Rounding::Up, __VA_ARGS__)
#define EACH_ROUNDED2(T, text, prefix, rule, ...)                             \
  DIRECTED2(prefix "rn." text, T, T, T, rule, Rounding::Nearest, __VA_ARGS__) \
  DIRECTED2(prefix "rz." text, T, T, T, rule, Rounding::Zero, __VA_ARGS__)    \
  DIRECTED2(prefix "rm." text, T, T, T, rule, Rounding::Down, __VA_ARGS__)    \
  DIRECTED2(prefix "rp." text, T, T, T, rule, Rounding::Up, __VA_ARGS__)
#define EACH_ROUNDED3(T, text, prefix, rule, ...)                                \
  DIRECTED3(prefix "rn." text, T, T, T, T, rule, Rounding::Nearest, __VA_ARGS__) \
  DIRECTED3(prefix "rz." text, T, T, T, T, rule, Rounding::Zero, __VA_ARGS__)    \
  DIRECTED3(prefix "rm." text, T, T, T, T, rule, Rounding::Down, __VA_ARGS__)    \
  DIRECTED3(prefix "rp." text, T, T, T, T, rule, Rounding::Up, __VA_ARGS__)

// A row of numbers of 16 bits, and one of pairs of them.
#define HALVES1(opcode, T, ...)                                                                                       \
  {opcode "x2",                                                                                                       \
   Type::T##x2,                                                                                                       \
   {Type::T##x2},                                                                                                     \
   1,                                                                                                                 \
   Definedness::Halves,                                                                                               \
   Rounding::Nearest,                                                                                                 \
   [](void* result, const void* const* in) {                                                                          \
     runHalves<lane::T##x2, lane::T##x2>(result, in, [](lane::T::Value a) -> lane::T::Value { return __VA_ARGS__; }); \
   }},
#define HALVES2(opcode, T, ...)                                                                         \
  {opcode "x2",                                                                                         \
   Type::T##x2,                                                                                         \
   {Type::T##x2, Type::T##x2},                                                                          \
   2,                                                                                                   \
   Definedness::Halves,                                                                                 \
   Rounding::Nearest,                                                                                   \
   [](void* result, const void* const* in) {                                                            \
     runHalves<lane::T##x2, lane::T##x2, lane::T##x2>(                                                  \
         result, in, [](lane::T::Value a, lane::T::Value b) -> lane::T::Value { return __VA_ARGS__; }); \
   }},
#define HALVES3(opcode, T, ...)                                                                               \
  {opcode "x2",                                                                                               \
   Type::T##x2,                                                                                               \
   {Type::T##x2, Type::T##x2, Type::T##x2},                                                                   \
   3,                                                                                                         \
   Definedness::Halves,                                                                                       \
   Rounding::Nearest,                                                                                         \
   [](void* result, const void* const* in) {                                                                  \
     runHalves<lane::T##x2, lane::T##x2, lane::T##x2, lane::T##x2>(                                           \
         result, in,                                                                                          \
         [](lane::T::Value a, lane::T::Value b, lane::T::Value c) -> lane::T::Value { return __VA_ARGS__; }); \
   }},
#define EACH_HALVES1(T, text, prefix, ...) \
  ROW1(prefix text, T, T, Whole, __VA_ARGS__) HALVES1(prefix text, T, __VA_ARGS__)
#define EACH_HALVES2(T, text, prefix, ...) \
  ROW2(prefix text, T, T, T, Whole, __VA_ARGS__) HALVES2(prefix text, T, __VA_ARGS__)
#define EACH_HALVES3(T, text, prefix, ...) \
  ROW3(prefix text, T, T, T, T, Whole, __VA_ARGS__) HALVES3(prefix text, T, __VA_ARGS__)
#define EACH_PACKED2(T, text, prefix, ...) HALVES2(prefix text, T, __VA_ARGS__)
#define EACH_PACKED3(T, text, prefix, ...) HALVES3(prefix text, T, __VA_ARGS__)
// Of two names: .rn may be left out.
#define EACH_NAMED2(T, text, prefix, modifiers, ...)   \
  EACH_HALVES2(T, text, prefix modifiers, __VA_ARGS__) \
  EACH_HALVES2(T, text, prefix "rn." modifiers, __VA_ARGS__)

// Conversions to fewer bits: "cvt.rn.f16.f64", and by .rm, .rz and .rp.
#define EACH_NARROW1(T, text, prefix, from, From, ...)                                  \
  DIRECTED1(prefix "rn." text "." from, T, From, Whole, Rounding::Nearest, __VA_ARGS__) \
  DIRECTED1(prefix "rz." text "." from, T, From, Whole, Rounding::Zero, __VA_ARGS__)    \
  DIRECTED1(prefix "rm." text "." from, T, From, Whole, Rounding::Down, __VA_ARGS__)    \
  DIRECTED1(prefix "rp." text "." from, T, From, Whole, Rounding::Up, __VA_ARGS__)
#define EACH_NARROW_F32(T, text, prefix, modifiers, ...)                                       \
  DIRECTED1(prefix "rn." modifiers text ".f32", T, F32, Whole, Rounding::Nearest, __VA_ARGS__) \
  DIRECTED1(prefix "rz." modifiers text ".f32", T, F32, Whole, Rounding::Zero, __VA_ARGS__)

// A row for each pair of types: the outer list is expanded by macros of its own names, since none expands in itself.
#define EACH_PAIR(TO, FROM, MACRO, ...) TO_##TO(FROM, MACRO, __VA_ARGS__)
#define TO_INTEGER8(FROM, MACRO, ...)                                                                 \
  TO_TYPE(S8, "s8", FROM, MACRO, __VA_ARGS__)                                                         \
  TO_TYPE(U8, "u8", FROM, MACRO, __VA_ARGS__) TO_TYPE(S16, "s16", FROM, MACRO, __VA_ARGS__)           \
      TO_TYPE(U16, "u16", FROM, MACRO, __VA_ARGS__) TO_TYPE(S32, "s32", FROM, MACRO, __VA_ARGS__)     \
          TO_TYPE(U32, "u32", FROM, MACRO, __VA_ARGS__) TO_TYPE(S64, "s64", FROM, MACRO, __VA_ARGS__) \
              TO_TYPE(U64, "u64", FROM, MACRO, __VA_ARGS__)
#define TO_FLOAT(FROM, MACRO, ...) \
  TO_TYPE(F32, "f32", FROM, MACRO, __VA_ARGS__) TO_TYPE(F64, "f64", FROM, MACRO, __VA_ARGS__)
#define TO_HALF(FROM, MACRO, ...) \
  TO_TYPE(F16, "f16", FROM, MACRO, __VA_ARGS__) TO_TYPE(BF16, "bf16", FROM, MACRO, __VA_ARGS__)
#define TO_TYPE(T, text, FROM, MACRO, ...) TYPES_##FROM(PAIR_##MACRO, T, text, __VA_ARGS__)
#define PAIR_CONVERT(F, from, T, to, prefix, rule, ...) ROW1(prefix to "." from, T, F, rule, __VA_ARGS__)
#define PAIR_CONVERT_ROUNDED(F, from, T, to, prefix, rule, ...)                   \
  DIRECTED1(prefix "rn." to "." from, T, F, rule, Rounding::Nearest, __VA_ARGS__) \
  DIRECTED1(prefix "rz." to "." from, T, F, rule, Rounding::Zero, __VA_ARGS__)    \
  DIRECTED1(prefix "rm." to "." from, T, F, rule, Rounding::Down, __VA_ARGS__)    \
  DIRECTED1(prefix "rp." to "." from, T, F, rule, Rounding::Up, __VA_ARGS__)

// Approximations: the table is read once for each Approximation.
#define EACH_APPROXIMATED1(T, text, prefix, F, ...) \
  ROW1(prefix text, T, T, Whole, RESULT1(prefix text, T, F, __VA_ARGS__))
#define EACH_APPROXIMATED2(T, text, prefix, F, ...) \
  ROW2(prefix text, T, T, T, Whole, RESULT2(prefix text, T, F, __VA_ARGS__))
#define EACH_APPROXIMATED_HALVES(T, text, prefix, F, ...) \
  EACH_HALVES1(T, text, prefix, RESULT1(prefix text, T, F, __VA_ARGS__))
#define EACH_APPROXIMATED_UPPER(T, text, prefix, F, ...) \
  ROW1(prefix text, T, T, Whole, RESULT_UPPER(prefix text, F, __VA_ARGS__))

#define BOUND(operands, ...)     \
  [] operands {                  \
    using namespace approximate; \
    return __VA_ARGS__;          \
  }
#define RESULT1(opcode, T, F, ...) approximate::nearest<approximate::F, approximate::isFlushing(opcode)>(a)
#define RESULT2(opcode, T, F, ...)                                               \
  approximate::nearestButGiven<approximate::F, approximate::isFlushing(opcode)>( \
      BOUND(([[maybe_unused]] double a, [[maybe_unused]] double b), __VA_ARGS__), a, b)
#define RESULT_UPPER(opcode, F, ...) RESULT1(opcode, , F, )
const Row kRows[] = {
#include "fuser/ptx/approximations.def"
#include "fuser/ptx/instructions.def"
};
#undef RESULT1
#undef RESULT2
#undef RESULT_UPPER

#define RESULT1(opcode, T, F, ...)                                                    \
  approximate::adversarial<approximate::F, approximate::isFlushing(opcode), lane::T>( \
      BOUND(([[maybe_unused]] double a), __VA_ARGS__), a)
#define RESULT2(opcode, T, F, ...)                                                    \
  approximate::adversarial<approximate::F, approximate::isFlushing(opcode), lane::T>( \
      BOUND(([[maybe_unused]] double a, [[maybe_unused]] double b), __VA_ARGS__), a, b)
#define RESULT_UPPER(opcode, F, ...) \
  approximate::adversarialUpper<approximate::F>(BOUND(([[maybe_unused]] double a), __VA_ARGS__), a)
const Row kAdversarialRows[] = {
#include "fuser/ptx/approximations.def"
};

std::vector<Row> sorted(std::span<const Row> unsorted) {
  std::vector<Row> rows(unsorted.begin(), unsorted.end());
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.opcode < b.opcode; });
  for (size_t i = 1; i < rows.size(); ++i)
    FUSER_CHECK(rows[i - 1].opcode != rows[i].opcode, "two rows of ", rows[i].opcode);
  return rows;
}

const Row* find(std::span<const Row> rows, std::string_view opcode) {
  const auto found = std::lower_bound(rows.begin(), rows.end(), opcode,
                                      [](const Row& row, std::string_view wanted) { return row.opcode < wanted; });
  return found == rows.end() || found->opcode != opcode ? nullptr : &*found;
}

int modeOf(Rounding rounding) {
  switch (rounding) {
    case Rounding::Nearest: return FE_TONEAREST;
    case Rounding::Zero: return FE_TOWARDZERO;
    case Rounding::Down: return FE_DOWNWARD;
    case Rounding::Up: return FE_UPWARD;
  }
  FUSER_CHECK(false, "bad Rounding");
}

}  // namespace

std::span<const Row> instructionTable() {
  static const std::vector<Row> rows = sorted(kRows);
  return rows;
}

const Row* rowOf(std::string_view opcode, Approximation approximation) {
  if (approximation == Approximation::Adversarial) {
    static const std::vector<Row> rows = sorted(kAdversarialRows);
    if (const Row* row = find(rows, opcode)) return row;
  }
  return find(instructionTable(), opcode);
}

void runRow(const Row& row, void* result, const void* const* operands) {
  if (row.rounding == Rounding::Nearest) return row.run(result, operands);
  std::fesetround(modeOf(row.rounding));
  row.run(result, operands);
  std::fesetround(FE_TONEAREST);
}

}  // namespace fuser::ptx
