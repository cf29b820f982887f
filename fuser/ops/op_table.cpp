#include "fuser/ops/op_table.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace fuser {
namespace {

// A row without a formula.
constexpr OpInfo row(OpKind kind, std::string_view name, std::string_view mnemonic, Family family, Accepts accepts,
                     Promotion promotion, IntervalRule rule, std::optional<OpKind> combine,
                     Finish finish = Finish::Nothing, size_t results = 1) {
  OpInfo info{};  // in its other columns the first word: Same, Keep, Any, Exact
  info.kind = kind;
  info.name = name;
  info.mnemonic = mnemonic;
  info.family = family;
  info.accepts = accepts;
  info.promotion = promotion;
  info.rule = rule;
  info.combine = combine;
  info.finish = finish;
  info.results = results;
  return info;
}

// What is joined to others is added up, which a bool is not.
constexpr Accepts acceptedWhere(std::optional<OpKind> combine) {
  return combine.value_or(OpKind::Set) == OpKind::Set ? Accepts::Any : Accepts::Number;
}

constexpr OpInfo kOps[] = {
#define POINTWISE(kind, mnemonic, variant, family, operands, accepts, promotion, result, scalar, domain, error, rule, \
                  agreement, ...)                                                                                     \
  {OpKind::kind, #kind, mnemonic, variant, Family::family, operands, Accepts::accepts, Promotion::promotion,          \
   Result::result, ScalarOperand::scalar, Domain::domain, error, IntervalRule::rule, Agreement::agreement,            \
   #__VA_ARGS__, std::nullopt, Finish::Nothing},
#define COMBINE(...) \
  std::optional<OpKind> { __VA_OPT__(OpKind::) __VA_ARGS__ }
#define STRUCTURAL(kind, mnemonic, family, ...)                                                              \
  row(OpKind::kind, #kind, mnemonic, Family::family, acceptedWhere(COMBINE(__VA_ARGS__)), Promotion::Common, \
      IntervalRule::Move, COMBINE(__VA_ARGS__)),
#define REDUCTION(kind, mnemonic, accepts, promotion, combine, finish)                          \
  row(OpKind::kind, #kind, mnemonic, Family::Reduction, Accepts::accepts, Promotion::promotion, \
      IntervalRule::Reduction, OpKind::combine, Finish::finish),
#define SCAN(kind, mnemonic, accepts, promotion, combine)                                                           \
  row(OpKind::kind, #kind, mnemonic, Family::Scan, Accepts::accepts, Promotion::promotion, IntervalRule::Reduction, \
      OpKind::combine),
#define PARTS(kind, mnemonic, family, accepts, results, ...)                                                       \
  row(OpKind::kind, #kind, mnemonic, Family::family, Accepts::accepts, Promotion::Common, IntervalRule::Reduction, \
      COMBINE(__VA_ARGS__), Finish::Nothing, results),
#include "fuser/ops/op_table.def"
#undef POINTWISE
#undef STRUCTURAL
#undef REDUCTION
#undef SCAN
#undef PARTS
#undef COMBINE
};

struct StoredRow {
  OpKind op;
  uint32_t dtypes;  // a bit for each
};
template <class... Dtypes>
constexpr uint32_t bitsOf(Dtypes... dtypes) {
  return (uint32_t{0} | ... | (uint32_t{1} << static_cast<int>(dtypes)));
}
namespace stored {
using enum DataType;
constexpr StoredRow kRows[] = {
#define STORED(op, ...) {OpKind::op, bitsOf(__VA_ARGS__)},
#include "fuser/ops/stored_dtypes.def"
#undef STORED
};
}  // namespace stored

// What moves elements takes all of them; what joins them, or counts them up, computes.
bool takesStored(OpKind op, DataType dtype) {
  const OpInfo& info = opInfo(op);
  if (info.rule == IntervalRule::Move) return info.accepts == Accepts::Any && info.family != Family::Range;
  return std::any_of(std::begin(stored::kRows), std::end(stored::kRows),
                     [&](const StoredRow& row) { return row.op == op && (row.dtypes & bitsOf(dtype)) != 0; });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "min_val = -1.0, max_val"
std::vector<NamedOperand> readNames(std::string_view text) {
  std::vector<NamedOperand> names;
  while (!text.empty() && text != "condition") {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view entry = text.substr(0, end);
    const size_t equals = entry.find('=');
    NamedOperand operand{trimmed(entry.substr(0, equals)), std::nullopt};
    if (equals != std::string_view::npos) {
      const std::string_view digits = trimmed(entry.substr(equals + 1));
      double value = 0;
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      FUSER_CHECK(read.ec == std::errc(), "the op table's '", entry, "' has no number");
      operand.ifAbsent = ScalarValue(value);
    }
    names.push_back(operand);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

}  // namespace

bool takesCondition(OpKind op, size_t i) { return i == 0 && opInfo(op).operands == "condition"; }

bool isPromoted(OpKind op, size_t i) {
  return !takesCondition(op, i) && (i == 0 || opInfo(op).promotion != Promotion::Operand);
}

DataType promotedType(OpKind op, DataType common, bool scalars) {
  switch (opInfo(op).promotion) {
    case Promotion::Common:
    case Promotion::Operand:
    case Promotion::Integral64:
    case Promotion::Truth: return common;
    case Promotion::Float: return isFloating(common) ? common : scalars ? DataType::Double : DataType::Float;
    case Promotion::Number: return common == DataType::Bool ? DataType::Int64 : common;
  }
  FUSER_CHECK(false, "bad Promotion");
}

const std::vector<NamedOperand>& namedOperands(OpKind op) {
  static const std::vector<std::vector<NamedOperand>> byOp = [] {
    std::vector<std::vector<NamedOperand>> all;
    for (const OpInfo& info : kOps) all.push_back(readNames(info.operands));
    return all;
  }();
  return byOp[static_cast<size_t>(op)];
}

const OpInfo& opInfo(OpKind op) { return kOps[static_cast<size_t>(op)]; }
std::string_view opName(OpKind op) { return opInfo(op).name; }

size_t operandCount(OpKind op) {
  FUSER_CHECK(isPointwise(op), opName(op), " is not pointwise");
  return operandsInParentheses(opInfo(op).family).most;
}

std::optional<OpKind> opFromText(std::string_view mnemonic, std::string_view variant) {
  for (const OpInfo& info : kOps) {
    if (info.mnemonic == mnemonic && info.variant == variant) return info.kind;
  }
  return std::nullopt;
}

bool takesAttribute(OpKind op, const FamilyAttribute& attribute) {
  return attribute.name != AttributeName::first_of_ties || op == OpKind::Amax || op == OpKind::Amin;
}

bool acceptsDtype(OpKind op, DataType common) {
  if (isStored(common)) return takesStored(op, common);
  // Of u8 PyTorch's are u8, which a reduction to bool is not.
  if (common == DataType::UInt8 && opInfo(op).promotion == Promotion::Truth) return false;
  switch (opInfo(op).accepts) {
    case Accepts::Any: return true;
    case Accepts::Number: return common != DataType::Bool;
    case Accepts::Floating: return isFloating(common);
    case Accepts::Wide: return common == DataType::Float || common == DataType::Double;
    case Accepts::Integral: return !isFloating(common);
    case Accepts::Integer: return category(common) == Category::Int;
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
  return dispatch(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      return max ? Identity{-infinity, std::numeric_limits<T>::min()}
                 : Identity{infinity, std::numeric_limits<T>::max()};
    } else {
      return max ? Identity{-infinity, std::numeric_limits<int64_t>::min()}
                 : Identity{infinity, std::numeric_limits<int64_t>::max()};
    }
  });
}

}  // namespace fuser
