#pragma once
// What the op table says of each op. See op_table.def for the columns.

#include <optional>
#include <span>
#include <string_view>

#include "fuser/ops/op_kind.h"
#include "fuser/types/dtype.h"

namespace fuser {

enum class Family : uint8_t {
  Unary, Binary, Ternary,                                                  // pointwise
  Cast, LoadStore, Broadcast, Squeeze, Expand, Permute, Factory, Size,     // structural
  Reduction,
};
enum class Accepts : uint8_t { Any, Number, Floating };
enum class Promotion : uint8_t { Common, Float, Integral64 };
enum class Result : uint8_t { Same, Bool };
enum class ScalarOperand : uint8_t { Keep, Round };
enum class IntervalRule : uint8_t { Monotone, Corners, Critical, ExactInDtype, Select, Formula, Move, Reduction };
enum class Agreement : uint8_t { Exact, SignOfZero, Library };

struct OpInfo {
  OpKind kind;
  std::string_view name;      // the enum's: "TruncDiv"
  std::string_view mnemonic;  // "div"
  std::string_view variant;   // "rounding_mode = trunc"
  Family family;
  Accepts accepts;
  Promotion promotion;
  Result result;
  ScalarOperand scalar;
  double error;  // ulps of the compute dtype
  IntervalRule rule;
  Agreement agreement;
  std::string_view expression;   // printed C++ over a, b, c and the compute dtype T; empty for non-pointwise ops
  std::optional<OpKind> combine;  // reductions: the pointwise op that joins two partial results
};

const OpInfo& opInfo(OpKind op);
inline bool isPointwise(OpKind op) { return opInfo(op).family <= Family::Ternary; }
inline bool isReduction(OpKind op) { return opInfo(op).family == Family::Reduction; }
size_t operandCount(OpKind op);  // of a pointwise op: 1, 2, 3
std::string_view opName(OpKind op);
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
