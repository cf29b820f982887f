// Promotion against LibTorch: every pair and triple of dtypes, with axes, of rank 0 and as scalars.

#include <gtest/gtest.h>

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ops/op_table.h"
#include "tests/oracle/second_reader/second_reader.h"

namespace second_reader {
namespace {

using fuser::DataType;
using fuser::OpKind;
using fuser::Val;

std::vector<Kind> scalarKinds() { return {{"f64", -1}, {"i64", -1}, {"bool", -1}}; }

std::vector<Kind> allKinds() {
  std::vector<Kind> kinds = scalarKinds();
  for (DataType dtype : fuser::kAllDataTypes) {
    for (int rank : {0, 1}) kinds.push_back({std::string(fuser::dtypeName(dtype)), rank});
  }
  return kinds;
}

bool areScalars(const std::vector<Kind>& kinds) {
  return std::all_of(kinds.begin(), kinds.end(), [](const Kind& kind) { return kind.rank < 0; });
}

std::string textOf(const std::vector<Kind>& kinds) {
  std::string text;
  for (const Kind& kind : kinds) {
    text += (text.empty() ? "" : ", ") + kind.dtype + (kind.rank < 0 ? "" : kind.rank == 0 ? "[]" : "[i0]");
  }
  return text;
}

// Calls f with every choice of one kind a place.
template <class F>
void forEachChoice(const std::vector<std::vector<Kind>>& places, F&& f) {
  std::vector<size_t> at(places.size(), 0);
  while (true) {
    std::vector<Kind> kinds;
    for (size_t i = 0; i < at.size(); ++i) kinds.push_back(places[i][at[i]]);
    f(kinds);
    size_t place = at.size();
    while (place > 0 && ++at[place - 1] == places[place - 1].size()) at[--place] = 0;
    if (place == 0) return;
  }
}

// A value of each kind.
class Values {
 public:
  Val* of(const Kind& kind, bool literal) {
    const DataType dtype = *fuser::dtypeFromName(kind.dtype);
    if (kind.rank < 0) {
      return literal ? fusion.newConstant(fuser::ScalarValue(true).castTo(dtype)) : fusion.newScalar(dtype);
    }
    std::vector<fuser::IntExpr> sizes;
    if (kind.rank == 1) sizes.push_back(fusion.extentSymbol("i0"));
    return fuser::build::input(fusion, dtype, sizes, fuser::concat("x", fusion.valCount()));
  }

  fuser::Fusion fusion{"promotion"};
};

// "": there is none.
std::string fusersResultType(const std::vector<Val*>& vals) {
  try {
    return std::string(fuser::dtypeName(fuser::resultType(vals)));
  } catch (const fuser::UserError&) {
    return "";
  }
}

TEST(PromotionTest, IsLibTorchsResultType) {
  const std::vector<Kind> kinds = allKinds();
  ASSERT_EQ(kinds.size(), 31u);
  int choices = 0;
  Values values;
  std::map<std::string, Val*> known;
  for (const Kind& kind : kinds) known[textOf({kind})] = values.of(kind, false);
  for (size_t count : {1, 2, 3}) {
    forEachChoice(std::vector(count, kinds), [&](const std::vector<Kind>& operands) {
      if (areScalars(operands)) return;  // Python's numbers alone: no tensor, no torch.result_type
      std::vector<Val*> vals;
      for (const Kind& kind : operands) vals.push_back(known.at(textOf({kind})));
      EXPECT_EQ(fusersResultType(vals), resultType(operands)) << textOf(operands);
      ++choices;
    });
  }
  EXPECT_EQ(choices, 31 + 31 * 31 + 31 * 31 * 31 - (3 + 9 + 27));
}

// The line "%y = op(%x0, %x1) {name = %x2}".
Line lineOf(const fuser::OpInfo& info) {
  Line line{{"y"}, std::string(info.mnemonic), {}, {}, {}, 0, {}};
  const std::string variant(info.variant);
  if (const size_t equals = variant.find(" = "); equals != std::string::npos)
    line.attributes[variant.substr(0, equals)] = {{variant.substr(equals + 3), 0}};
  const std::vector<fuser::NamedOperand>& named = fuser::namedOperands(info.kind);
  const size_t count = fuser::operandCount(info.kind), first = count - named.size();
  for (size_t i = 0; i < count; ++i) {
    const std::string name = "x" + std::to_string(i);
    if (i < first) {
      line.operands.emplace_back(name);
    } else {
      line.attributes[std::string(named[i - first].name)] = {{"%" + name, 0}};
    }
  }
  return line;
}

std::string fusersDtype(OpKind op, const std::vector<Kind>& operands) {
  Values values;
  std::vector<Val*> vals;
  const size_t first = operands.size() - fuser::namedOperands(op).size();
  for (size_t i = 0; i < operands.size(); ++i) vals.push_back(values.of(operands[i], i >= first));
  try {
    return std::string(fuser::dtypeName(fuser::build::pointwise(values.fusion, op, vals)->dtype()));
  } catch (const fuser::UserError&) {
    return "";
  }
}

// Where fuser takes more, or less, than LibTorch, and why. "" for what must not be.
std::string whyOther(OpKind op, const std::vector<Kind>& operands, const std::string& ours, const std::string& theirs) {
  const auto is = [&](size_t i, const char* first, const char* second) {
    return operands[i].dtype.starts_with(first) || operands[i].dtype.starts_with(second);
  };
  bool hasBool = false;
  for (const Kind& kind : operands) hasBool |= kind.dtype == "bool";
  const bool refusesBool = op == OpKind::Sub || op == OpKind::Softsign || op == OpKind::Tanhshrink;
  if (theirs.empty() && refusesBool && hasBool) return "LibTorch refuses bool, fuser promotes it";
  if (op == OpKind::Nextafter && ours.empty() && (theirs == "f16" || theirs == "bf16"))
    return "fuser does not take 16 bits";
  const auto isWhole = [&](size_t i) { return (is(i, "i", "u") || is(i, "bool", "bool")); };
  bool hasStored = false, isOfSeveral = false;
  for (const Kind& kind : operands) {
    hasStored |= fuser::isStored(*fuser::dtypeFromName(kind.dtype));
    isOfSeveral |= kind.dtype != operands[0].dtype;
  }
  if (theirs.empty() && hasStored && isOfSeveral)
    return "LibTorch has no kernel of operands of several dtypes, fuser promotes them";
  if (op == OpKind::Softsign && theirs.empty() && hasStored)
    return "LibTorch has no abs of u16 and u32, fuser converts first";
  if (op == OpKind::Abs && hasStored) return "LibTorch's abs of 8 bits leaves -0 as it is, fuser has none";
  if (op == OpKind::Philox && hasStored) return "an op of ours, which LibTorch does not have";
  if (op == OpKind::Addcdiv && theirs.empty() && isWhole(1) && isWhole(2))
    return "LibTorch refuses the quotient of integers, fuser promotes them";
  return "";
}

TEST(PromotionTest, OfEachRowIsThatOfLibTorchsOp) {
  std::map<std::string, int> others;
  int choices = 0;
  for (OpKind op : fuser::kAllOps) {
    if (!fuser::isPointwise(op)) continue;
    const fuser::OpInfo& info = fuser::opInfo(op);
    const size_t count = fuser::operandCount(op), first = count - fuser::namedOperands(op).size();
    std::vector<std::vector<Kind>> places;
    for (size_t i = 0; i < count; ++i) places.push_back(i < first ? allKinds() : scalarKinds());
    if (fuser::takesCondition(op, 0)) places[0] = {{"bool", -1}, {"bool", 0}, {"bool", 1}};
    const Line line = lineOf(info);
    int wrong = 0;
    forEachChoice(places, [&](const std::vector<Kind>& operands) {
      ++choices;
      const std::string ours = fusersDtype(op, operands), theirs = resultDtype(line, operands);
      if (ours == theirs) return;
      const std::string why = whyOther(op, operands, ours, theirs);
      if (!why.empty()) {
        ++others[std::string(info.name) + ": " + why];
      } else if (++wrong <= 3) {
        ADD_FAILURE() << info.name << "(" << textOf(operands) << ") is '" << ours << "', LibTorch gives '" << theirs
                      << "'";
      }
    });
    EXPECT_EQ(wrong, 0) << info.name;
  }
  std::printf("%d choices of operands\n", choices);
  for (const auto& [why, times] : others) std::printf("%d: %s\n", times, why.c_str());
}

}  // namespace
}  // namespace second_reader
