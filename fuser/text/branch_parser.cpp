// Parses `%y = if %c { … yield %a } else { … yield %b }`. Its ops become ops of the fusion like any other; a branch
// (fuser/ir/branches.h) is made of each result, and of each update on a side.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/view_axes.h"
#include "fuser/text/fusion_parser.h"
#include "fuser/text/limits.h"

namespace fuser::text {

// `names`: of the results; the keyword comes now.
void FusionParser::parseBranch(const std::vector<Token>& names) {
  const Token keyword = reader_.expect("if");
  if (++opCount_ > kMaxOps) reader_.fail(keyword, "more than ", kMaxOps, " ops");
  if (sides_.size() == kMaxBranchDepth) reader_.fail(keyword, "more than ", kMaxBranchDepth, " branches in each other");
  const Token at = reader_.peek();
  Val* condition = parseOperand();
  if (condition->isTensor() || condition->dtype() != DataType::Bool) {
    reader_.fail(at, "the condition of an if is a bool scalar, not ", typeText(condition),
                 condition->isTensor() ? ": item gives that of a tensor on the host" : "");
  }
  const std::vector<Val*> first = parseSide({condition, true}, names);
  std::vector<Val*> second;
  if (reader_.accept("else")) {
    second = parseSide({condition, false}, names);
  } else if (!names.empty()) {
    reader_.failExpected("'else': an if with results has two sides");
  }
  opCount_ += names.size();
  if (opCount_ > kMaxOps) reader_.fail(keyword, "more than ", kMaxOps, " ops");
  std::vector<Val*> results;
  for (size_t i = 0; i < names.size(); ++i) {
    results.push_back(refusable(
        [&] { return reader_.located(keyword, [&] { return eitherOf(condition, first[i], second[i], names[i]); }); }));
  }
  defineResults(names, results);
}

// Reads a block; what it defines is not seen outside. Returns what it yields, for each of the results.
std::vector<Val*> FusionParser::parseSide(Side side, const std::vector<Token>& results) {
  const NamedVals outside = values_;
  const std::map<std::string, size_t, std::less<>> definedOutside = definedAt_;
  const CopiedViews copiesOutside = copies_;
  const auto complexesOutside = complexes_;
  if (!sides_.empty()) side.all = withOuterSides(side);
  sides_.push_back(side);
  reader_.expect("{");
  while (!reader_.at("yield") && !reader_.at("}")) parseStatement("an op, 'update', 'if', 'yield' or '}'");
  std::vector<Val*> yielded;
  const Token keyword = reader_.peek();
  if (reader_.accept("yield")) {
    do {
      yielded.push_back(parseOperand());
    } while (reader_.accept(","));
  }
  if (yielded.size() != results.size()) {
    reader_.fail(keyword, "the if has ", results.size(), results.size() == 1 ? " result" : " results",
                 ", and this side yields ", yielded.size());
  }
  reader_.expect("}");
  sides_.pop_back();
  values_ = outside;
  definedAt_ = definedOutside;
  complexes_ = complexesOutside;
  copies_.restore(copiesOutside);
  return yielded;
}

// Whether the run takes this side of a branch and the sides around it: a scalar of its own.
Val* FusionParser::withOuterSides(const Side& side) {
  const auto holds = [&](const Side& each) -> Val* {
    if (each.all) return each.all;
    return each.first ? each.condition : build::unary(*fusion_, OpKind::LogicalNot, each.condition);
  };
  return build::binary(*fusion_, OpKind::LogicalAnd, holds(sides_.back()), holds(side));
}

// A scalar is computed on both sides: its ops are defined for all operands.
Val* FusionParser::eitherOf(Val* condition, Val* first, Val* second, const Token& name) {
  const std::string text(name.text);
  FUSER_USER_CHECK(first->isTensor() == second->isTensor() && (first->isTensor() || first->dtype() == second->dtype()),
                   "the sides of a branch give ", typeText(first), " and ", typeText(second),
                   ": they must have one dtype",
                   first->isTensor() == second->isTensor() ? "" : ", and both be tensors or scalars");
  if (first->isScalar()) return build::where(*fusion_, condition, first, second, text);
  return build::cond(*fusion_, first->as<TensorView>(), second->as<TensorView>(), condition, text);
}

// On a side, memory keeps what it has where the run goes the other way.
TensorView* FusionParser::writtenOnSide(TensorView* target, TensorView* source) {
  if (sides_.empty()) return source;
  source = build::asWritten(*fusion_, target, source);
  const std::vector<IntExpr> sizes = sizesOf(target);
  if (sizesOf(source) != sizes) source = build::expand(*fusion_, source, sizes, concat(target->name(), ".e", opCount_));
  const Side& side = sides_.back();
  if (side.all) return build::cond(*fusion_, source, target, side.all, concat(target->name(), ".i", opCount_));
  TensorView *first = side.first ? source : target, *second = side.first ? target : source;
  return build::cond(*fusion_, first, second, side.condition, concat(target->name(), ".i", opCount_));
}

}  // namespace fuser::text
