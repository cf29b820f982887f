#include "fuzz/judge/refused_indices.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fuser/analysis/axis_map.h"
#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/host_run/tensor_memory.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/generate/is_seen.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {
namespace {

struct Range {
  int64_t least = 0, most = 0;
};

// Whether LibTorch's integers are ours whatever the operands, or it refuses those that it has no result for. Of others
// they may differ, as shifts by the width and scatters to one place.
bool meansTheSame(const Expr* maker) {
  constexpr OpKind kSame[] = {OpKind::Neg,     OpKind::Add,     OpKind::Sub,       OpKind::Mul,
                              OpKind::Minimum, OpKind::Maximum, OpKind::Remainder, OpKind::Where};
  const Family family = maker->family();
  const Coordinates coordinates = familyInfo(family).coordinates;
  const bool moves = coordinates == Coordinates::AxisMap && family != Family::Scatter;
  return moves || coordinates == Coordinates::Producing || family == Family::LoadStore || family == Family::Cast ||
         family == Family::Size || std::find(std::begin(kSame), std::end(kSame), maker->op()) != std::end(kSame);
}

class Indices {
 public:
  Indices(const Case& testCase, size_t run, size_t maxInputBytes) : fusion_(*testCase.fusion), sizes_(fusion_) {
    for (const Expr* expr : fusion_.exprs()) {
      if (!takesIndices(expr)) continue;
      readers_.push_back(expr);
      if (isWhole(expr->input(1))) want(expr->input(1));
    }
    data_ = materialize(testCase, testCase.runs[run], maxInputBytes);
    evaluate(hostValues(data_));
  }

  const std::vector<const Expr*>& readers() const { return readers_; }

  // Whether the op's indices have places along its axis; nullopt: nobody knows.
  std::optional<bool> areInRange(const Expr* reader) {
    if (!isEvaluated_ || !isWhole(reader->input(1))) return std::nullopt;
    const std::optional<reference::Value>& value = values_[reader->input(1)->id()];
    const auto dim = static_cast<size_t>(reader->attributes().dim());
    if (!value) return std::nullopt;
    const int64_t size = sizes_.evaluate(reader->input(0)->as<TensorView>()->axes().at(dim)->size());
    const std::optional<Range> range = rangeOf(std::get<TensorRef>(value->value));
    return !range || (range->least >= 0 && range->most < size);
  }

 private:
  // Whether it depends on the elements of integers and bools alone, by ops that mean the same.
  bool isWhole(const Val* val) {
    const auto [place, isNew] = whole_.try_emplace(val, false);
    if (!isNew) return place->second;
    const Expr* maker = val->definition();
    bool whole = !isFloating(val->dtype()) && (!maker || meansTheSame(maker));
    if (!maker) return whole_[val] = whole;
    const std::vector<Val*> scalars = Fusion::extentScalars(maker);
    whole = whole && std::all_of(scalars.begin(), scalars.end(), [&](const Val* each) { return isWhole(each); });
    if (maker->op() == OpKind::Size) {  // which depends on no element
      forEachSymbol(sizedAxis(maker)->size(), [&](IntExpr symbol) {
        const Val* scalar = fusion_.scalarOf(symbol);
        whole = whole && (!scalar || isWhole(scalar));
      });
    } else {
      const std::vector<Val*>& operands = maker->inputs();
      whole = whole && std::all_of(operands.begin(), operands.end(), [&](const Val* each) { return isWhole(each); });
    }
    return whole_[val] = whole;
  }
  static const IterDomain* sizedAxis(const Expr* size) {
    return size->input(0)->as<TensorView>()->axes().at(static_cast<size_t>(size->attributes().dim()));
  }

  void want(const Val* val) {
    const Expr* maker = val->definition();
    if (!maker || !wanted_.insert(maker).second) return;
    for (const Val* operand : maker->inputs()) want(operand);
    for (const Val* scalar : Fusion::extentScalars(maker)) want(scalar);
  }

  // LibTorch refuses an index that is out of range among what makes others, and a division of integers by 0: then
  // nothing is known.
  void evaluate(const std::vector<HostValue>& given) {
    sizes_.bindInputs(given);
    std::vector<reference::Value> inputs;
    for (const HostValue& input : given) inputs.push_back({input, nullptr});
    try {
      reference::useOneThread();
      values_ = reference::evaluate(fusion_, inputs, [&](const Expr* expr) { return wanted_.count(expr) != 0; });
      isEvaluated_ = true;
    } catch (const std::exception& error) {
      rethrowIfSetUpError(error);
    }
  }

  // None: there is no element.
  static std::optional<Range> rangeOf(const TensorRef& ref) {
    const std::vector<std::byte> bytes = elementsOf(ref);
    std::optional<Range> range;
    for (size_t at = 0; at < bytes.size(); at += dtypeSize(ref.dtype)) {
      const auto element = elementAt(ref.dtype, bytes.data() + at).as<int64_t>();
      if (!range) range = Range{element, element};
      range->least = std::min(range->least, element);
      range->most = std::max(range->most, element);
    }
    return range;
  }

  const Fusion& fusion_;
  ExpressionEvaluator sizes_;  // of the run
  RunData data_;
  std::vector<const Expr*> readers_;
  std::unordered_set<const Expr*> wanted_;      // for lookups only
  std::unordered_map<const Val*, bool> whole_;  // for lookups only
  std::vector<std::optional<reference::Value>> values_;
  bool isEvaluated_ = false;
};

}  // namespace

std::string wrongRefusal(const Case& testCase, size_t run, const std::string& refused, size_t maxInputBytes) {
  const std::vector<Expr*>& exprs = testCase.fusion->exprs();
  if (std::none_of(exprs.begin(), exprs.end(), takesIndices)) return "";
  Indices indices(testCase, run, maxInputBytes);
  bool allInRange = true;
  for (const Expr* reader : indices.readers()) {
    const std::optional<bool> inRange = indices.areInRange(reader);
    allInRange &= inRange.value_or(false);
    if (refused.empty() && inRange == false && isSeen(reader->output()->as<TensorView>()))
      return concat("an index of %", reader->output()->name(), " is out of range, and the run is not rejected");
  }
  return refused.empty() || !allInRange ? "" : concat("rejected, and no index is out of range: ", refused);
}

}  // namespace fuser::fuzz
