#include "fuser/ops/op_table.h"

#include <limits>

namespace fuser {
namespace {

constexpr OpInfo kRows[] = {
#define POINTWISE(kind, mnemonic, variant, family, accepts, promotion, result, scalar, error, rule, agreement, ...)  \
  {OpKind::kind, #kind, mnemonic, variant, Family::family, Accepts::accepts, Promotion::promotion, Result::result, \
   ScalarOperand::scalar, error, IntervalRule::rule, Agreement::agreement, #__VA_ARGS__, std::nullopt},
#define STRUCTURAL(kind, mnemonic, family)                                                                     \
  {OpKind::kind, #kind, mnemonic, "", Family::family, Accepts::Any, Promotion::Common, Result::Same,           \
   ScalarOperand::Keep, 0, IntervalRule::Move, Agreement::Exact, "", std::nullopt},
#define REDUCTION(kind, mnemonic, accepts, promotion, combine)                                                 \
  {OpKind::kind, #kind, mnemonic, "", Family::Reduction, Accepts::accepts, Promotion::promotion, Result::Same, \
   ScalarOperand::Keep, 0, IntervalRule::Reduction, Agreement::Exact, "", OpKind::combine},
#include "fuser/ops/op_table.def"
#undef POINTWISE
#undef STRUCTURAL
#undef REDUCTION
};

}  // namespace

const OpInfo& opInfo(OpKind op) { return kRows[static_cast<size_t>(op)]; }
std::string_view opName(OpKind op) { return opInfo(op).name; }

size_t operandCount(OpKind op) {
  switch (opInfo(op).family) {
    case Family::Unary: return 1;
    case Family::Binary: return 2;
    case Family::Ternary: return 3;
    case Family::Cast:
    case Family::LoadStore:
    case Family::Broadcast:
    case Family::Squeeze:
    case Family::Expand:
    case Family::Permute:
    case Family::Factory:
    case Family::Size:
    case Family::Reduction: break;
  }
  FUSER_CHECK(false, opName(op), " is not pointwise");
}

std::optional<OpKind> opFromText(std::string_view mnemonic, std::string_view variant) {
  for (const OpInfo& info : kRows) {
    if (info.mnemonic == mnemonic && info.variant == variant) return info.kind;
  }
  return std::nullopt;
}

bool acceptsDtype(OpKind op, DataType common) {
  switch (opInfo(op).accepts) {
    case Accepts::Any: return true;
    case Accepts::Number: return common != DataType::Bool;
    case Accepts::Floating: return isFloating(common);
  }
  FUSER_CHECK(false, "bad Accepts");
}

Identity reductionIdentity(OpKind op, DataType dtype) {
  const OpKind combine = opInfo(op).combine.value();
  if (combine == OpKind::Add) return {0.0, 0};
  if (combine == OpKind::Mul) return {1.0, 1};
  const bool max = combine == OpKind::Maximum;
  const double infinity = std::numeric_limits<double>::infinity();
  if (dtype == DataType::Bool) return {max ? 0.0 : 1.0, max ? 0 : 1};
  const int64_t low = dtype == DataType::Int32 ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
  const int64_t high = dtype == DataType::Int32 ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
  return max ? Identity{-infinity, low} : Identity{infinity, high};
}

}  // namespace fuser
