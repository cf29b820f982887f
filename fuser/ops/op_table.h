#pragma once
// OpInfo: one row of op_table.def, which explains the columns and their values. Inference, engines, printer, generator
// and oracle all read the row, so that an op is described once.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fuser/ops/family.h"
#include "fuser/ops/op_kind.h"
#include "fuser/types/dtype.h"
#include "fuser/types/scalar_value.h"

namespace fuser {

enum class Accepts : uint8_t { Any, Number, Floating, Wide, Integral, Integer };
enum class Promotion : uint8_t { Common, Float, Number, Operand, Integral64, Truth };
enum class Result : uint8_t { Same, Bool };
enum class ScalarOperand : uint8_t { Keep, Round };
enum class Domain : uint8_t { Any, Divisor, Exponent, Magnitude, Bounds };
enum class IntervalRule : uint8_t { Monotone, Corners, Critical, ExactInDtype, Select, Formula, Move, Reduction };
enum class Finish : uint8_t { Nothing, DivideByCount };
enum class Agreement : uint8_t { Exact, SignOfZero, Library };

struct OpInfo {
  OpKind kind;
  std::string_view name;      // the enumerator: "TruncDiv"
  std::string_view mnemonic;  // "div"
  std::string_view variant;   // "rounding_mode = trunc"
  Family family;
  std::string_view operands;  // "condition", or the list that namedOperands() parses
  Accepts accepts;
  Promotion promotion;
  Result result;
  ScalarOperand scalar;
  Domain domain;
  double error;  // error bound in ulps of the compute dtype
  IntervalRule rule;
  Agreement agreement;
  std::string_view expression;   // printed C++ over a, b, c and the compute dtype T; empty for non-pointwise ops
  std::optional<OpKind> combine;  // reductions: merges two partial results; scatters: joins what is at an index
  Finish finish;                  // reductions: the last step, applied to the merged result
  size_t results = 1;             // 2 for var_mean
};

const OpInfo& opInfo(OpKind op);
inline bool isPointwise(OpKind op) { return opInfo(op).family <= Family::Ternary; }
// Reduces along axes.
inline bool isReduction(OpKind op) { return familyInfo(opInfo(op).family).coordinates == Coordinates::Reducing; }
inline bool isWelford(OpKind op) { return opInfo(op).family == Family::Welford; }
// Whether an accumulator has several parts: of a variance mean, squares and count, of an argmax a number and its index.
inline bool hasParts(OpKind op) { return isWelford(op) || opInfo(op).family == Family::ExtremeIndex; }
size_t operandCount(OpKind op);  // pointwise ops only: 1, 2 or 3
std::string_view opName(OpKind op);
// Whether operand i is a bool condition, which takes no part in promotion.
bool takesCondition(OpKind op, size_t i);
// Whether operand i of a pointwise op takes part in promotion.
bool isPromoted(OpKind op, size_t i);
// The dtype in which a pointwise op computes, of the common dtype of its promoted operands; `scalars`: all operands are
// scalars.
DataType promotedType(OpKind op, DataType common, bool scalars);
// A trailing scalar operand of a pointwise op that the text form writes in braces, such as min_val of hardtanh.
struct NamedOperand {
  std::string_view name;
  std::optional<ScalarValue> ifAbsent;  // the default; nullopt: the operand is required
};
const std::vector<NamedOperand>& namedOperands(OpKind op);
// Looks up an op by mnemonic and variant ("" for none); nullopt when there is no such row.
std::optional<OpKind> opFromText(std::string_view mnemonic, std::string_view variant);
// Whether an attribute of its family is the op's too: first_of_ties is that of amax and amin alone.
bool takesAttribute(OpKind op, const FamilyAttribute& attribute);
bool acceptsDtype(OpKind op, DataType common);  // `common`: after promotion

// The identity element of a reduction in dtype's compute type: 0 for sum, 1 for prod, -inf, the lowest integer or false
// for amax, … As in PyTorch, amax and amin of an empty axis are the caller's error.
struct Identity {
  double floating;
  int64_t integer;
};
Identity reductionIdentity(OpKind op, DataType dtype);

}  // namespace fuser
