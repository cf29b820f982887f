#pragma once
// What the op table says of each op. See op_table.def for the columns and the words in them. Inference, engines,
// printer, generator and oracle all ask the row, so that an op is described once and no two of them can differ.

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
enum class Promotion : uint8_t { Common, Float, Integral64, Truth };
enum class Result : uint8_t { Same, Bool };
enum class ScalarOperand : uint8_t { Keep, Round };
enum class Domain : uint8_t { Any, Divisor, Exponent, Magnitude };
enum class IntervalRule : uint8_t { Monotone, Corners, Critical, ExactInDtype, Select, Formula, Move, Reduction };
enum class Finish : uint8_t { Nothing, DivideByCount };
enum class Agreement : uint8_t { Exact, SignOfZero, Library };

struct OpInfo {
  OpKind kind;
  std::string_view name;      // the enum's: "TruncDiv"
  std::string_view mnemonic;  // "div"
  std::string_view variant;   // "rounding_mode = trunc"
  Family family;
  std::string_view operands;  // "condition", or the named ones: see namedOperands
  Accepts accepts;
  Promotion promotion;
  Result result;
  ScalarOperand scalar;
  Domain domain;
  double error;  // ulps of the compute dtype
  IntervalRule rule;
  Agreement agreement;
  std::string_view expression;   // printed C++ over a, b, c and the compute dtype T; empty for non-pointwise ops
  std::optional<OpKind> combine;  // reductions: the pointwise op that joins two partial results
  Finish finish;                  // reductions: what becomes of the last one
  size_t results = 1;
};

const OpInfo& opInfo(OpKind op);
inline bool isPointwise(OpKind op) { return opInfo(op).family <= Family::Ternary; }
// Makes its result of all elements along some axes; of Welford's rows no op joins two partial results.
inline bool isReduction(OpKind op) { return familyInfo(opInfo(op).family).coordinates == Coordinates::Reducing; }
inline bool isWelford(OpKind op) { return opInfo(op).family == Family::Welford; }
size_t operandCount(OpKind op);  // of a pointwise op: 1, 2, 3
std::string_view opName(OpKind op);
// Operand i is a bool that chooses, and has no part in promotion.
bool takesCondition(OpKind op, size_t i);
// The last operands of a pointwise op that stand in braces in the text: scalars, one of its attributes each.
struct NamedOperand {
  std::string_view name;
  std::optional<ScalarValue> ifAbsent;  // none: it must be given
};
const std::vector<NamedOperand>& namedOperands(OpKind op);
// mnemonic and variant ("" for none) -> op
std::optional<OpKind> opFromText(std::string_view mnemonic, std::string_view variant);
bool acceptsDtype(OpKind op, DataType common);

// The value that changes nothing when combined: 0 for sum, 1 for prod, -inf / lowest / false for amax …, as dtype's
// compute type, converted to double or int64. amax and amin of nothing are the caller's error, as in PyTorch.
struct Identity {
  double floating;
  int64_t integer;
};
Identity reductionIdentity(OpKind op, DataType dtype);

}  // namespace fuser
