#include "oracle/judge.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "fuser/ir/tensor_view.h"
#include "oracle/compare.h"
#include "oracle/slice.h"

namespace oracle {

using fuser::BoundaryValue;
using fuser::Fusion;
using fuser::HostValue;
using fuser::OpKind;
using fuser::RunRecord;
using fuser::SegmentRecord;
using fuser::TensorRef;
using fuser::Val;

std::string_view verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::Agrees: return "agrees";
    case Verdict::Differs: return "differs";
    case Verdict::Undecided: return "undecided";
    case Verdict::Unsupported: return "unsupported";
  }
  FUSER_CHECK(false, "bad Verdict");
}

Counts& Counts::operator+=(const Counts& other) {
  judged += other.judged;
  decided += other.decided;
  within10 += other.within10;
  within12 += other.within12;
  within14 += other.within14;
  decidedToScale += other.decidedToScale;
  inside += other.inside;
  outside += other.outside;
  return *this;
}

Margins& Margins::operator+=(const Margins& other) {
  for (size_t i = 0; i < tenths.size(); ++i) tenths[i] += other.tenths[i];
  return *this;
}

namespace {

// Collects one run's judgement; used once.
class Judge {
 public:
  Judge(const Fusion& original, std::span<const HostValue> inputs, const RunRecord& record, const JudgeOptions& options)
      : original_(original),
        record_(record),
        options_(options),
        facts_(collectFacts(original, inputs)),
        plain_(facts_),
        vals_(original.valCount()),
        position_(original.valCount(), SIZE_MAX),
        certain_(original.valCount()),
        inside_(original.valCount()),
        numbers_(original.valCount()) {
    facts_.arithmetic = options.arithmetic;
    for (Val* val : original.usedVals()) vals_[val->id()] = val;
    const std::vector<fuser::Expr*>& exprs = original.exprs();
    for (size_t i = 0; i < exprs.size(); ++i) {
      for (const Val* result : exprs[i]->outputs()) position_[result->id()] = i;
    }
    for (const SegmentRecord& segment : record.segments) {
      for (const auto& [origin, depth] : segment.reductionDepths) {
        std::optional<fuser::ReductionDepth>& known = facts_.depths.at(origin);
        known = deeper(known.value_or(fuser::ReductionDepth{}), depth);
      }
      for (const auto& [origin, forms] : segment.sums) {
        std::optional<fuser::SumForms>& known = facts_.sums.at(origin);
        known = joined(known.value_or(fuser::SumForms{}), forms);
      }
    }
    for (const auto& [scalar, number] : record.extents) facts_.numbers.at(scalar) = number;
  }

  Judgement run() {
    FUSER_CHECK(record_.outputs.size() == original_.outputs().size(), "a record of ", record_.outputs.size(),
                " outputs for a fusion of ", original_.outputs().size());
    for (const SegmentRecord& segment : record_.segments) judgeSegment(segment);
    for (size_t i = 0; i < record_.outputs.size(); ++i) judgeOutput(i);
    conclude();
    return std::move(judgement_);
  }

 private:
  // What a segment stored, as judged.
  struct Stored {
    const Val* val;
    const HostValue* value;
    size_t judgement;           // in judgement_.stored
    std::optional<Value> sets;  // of the segment's slice, where it is not the plain view
    bool inside = false;        // what lies in these sets lies in the plain view's, too
  };

  // How a segment's values are judged.
  struct SegmentView {
    std::vector<bool> loaded;               // by id
    std::vector<const HostValue*> anchors;  // by id: the numbers that the slice takes as exact; or null
    bool own = false;                       // some anchor is uncertain: the slice is another view than the plain one
    bool anchorsInside = true;              // what the segment loaded was judged, and found inside
  };

  const Val* original(const BoundaryValue& boundary) const {
    if (!boundary.origin) return nullptr;
    const Val* val = vals_.at(*boundary.origin);
    FUSER_CHECK(val, "%", boundary.name, " has origin ", *boundary.origin, ", which '", original_.name(),
                "' does not use");
    return val;
  }

  void judgeSegment(const SegmentRecord& segment) {
    Slice slice(facts_);
    SegmentView view;
    view.loaded.resize(vals_.size(), false);
    view.anchors.resize(vals_.size(), nullptr);
    view.own = options_.probes;
    const auto anchor = [&](const BoundaryValue& boundary) {
      const Val* val = original(boundary);
      if (!val || facts_.inputs[val->id()]) return false;
      slice.anchor(val->id(), numbersOf(boundary.value, val));
      view.anchors[val->id()] = &boundary.value;
      return true;
    };
    for (const BoundaryValue& input : segment.inputs) {
      if (!anchor(input)) continue;
      view.loaded[*input.origin] = true;
      view.own |= !isCertain(*original(input));
      view.anchorsInside &= isInside(original(input)->id(), input.value);
    }
    if (options_.probes) {
      for (const BoundaryValue& output : segment.outputs) anchor(output);
    }
    for (const BoundaryValue& output : segment.outputs) judgeStored(segment, output, slice, view);
    note(slice);
  }

  void judgeStored(const SegmentRecord& segment, const BoundaryValue& output, Slice& slice, const SegmentView& view) {
    ValueJudgement judged;
    judged.name = output.name;
    judged.segment = segment.index;
    const Val* val = original(output);
    if (!val) {
      judgement_.stored.push_back(std::move(judged));
      return;
    }
    Stored stored{val, &output.value, judgement_.stored.size(), std::nullopt};
    const bool alone = options_.probes && val->definition() && !view.loaded[val->id()] && !facts_.inputs[val->id()];
    bool ownView = view.own, anchorsInside = view.anchorsInside;
    if (alone) {
      ownView = !hasCertainOperands(*val->definition());
      anchorsInside = hasOperandsInside(*val->definition(), view);
    }
    if (ownView) {
      stored.sets = alone ? *slice.evaluateAlone(val) : slice.evaluate(val);
    }
    stored.inside = ownView && anchorsInside && !options_.allViews;
    Comparison comparison = against(output.value, val, stored.sets, !stored.inside);
    if (comparison.counts.outside == 0 && comparison.problem.empty()) inside_[val->id()].push_back(&output.value);
    certain_[val->id()] = certain_[val->id()].value_or(true) && comparison.certain;
    fill(judged, val, comparison);
    if (comparison.outsideSlice > 0 || (!ownView && comparison.counts.outside > 0)) noteWrong(judged, val, comparison);
    if (comparison.counts.outside > 0 && !judgement_.wrong) noteElements(comparison, judged);
    keep(comparison, judged);
    judgement_.stored.push_back(std::move(judged));
    stored_.push_back(std::move(stored));
  }

  Comparison against(const HostValue& value, const Val* val, const std::optional<Value>& sets, bool wholeFusion) {
    std::vector<View> views;
    if (sets) views.push_back({&*sets, false});
    if (wholeFusion) views.push_back({&plain_.evaluate(val), true});
    Comparison comparison = compare(numbersOf(value, val), views, options_.maxMismatches);
    if (!wholeFusion) comparison.certain = false;
    return comparison;
  }

  // Whether the very values were judged, and all elements were inside.
  bool isInside(uint32_t id, const HostValue& value) const {
    const std::vector<const HostValue*>& judged = inside_[id];
    return std::any_of(judged.begin(), judged.end(), [&](const HostValue* other) {
      const auto* scalar = std::get_if<fuser::ScalarValue>(&value);
      const auto* same = std::get_if<fuser::ScalarValue>(other);
      return scalar ? same && *same == *scalar : sameMemory(*other, value);
    });
  }

  bool hasOperandsInside(const fuser::Expr& expr, const SegmentView& view) const {
    const auto inside = [&](const Val* val) {
      return !val->definition() || (view.anchors[val->id()] && isInside(val->id(), *view.anchors[val->id()]));
    };
    const std::vector<Val*> sizes = fuser::Fusion::extentScalars(&expr);
    return std::all_of(expr.inputs().begin(), expr.inputs().end(), inside) &&
           std::all_of(sizes.begin(), sizes.end(), inside);
  }

  // What each copy of the value holds that was judged is the one value that the plain view accepts: from there on a
  // slice that starts with it is the plain view. (A product that an FMA takes unrounded is another value.)
  bool isCertain(const Val& val) const {
    return !options_.arithmetic.contraction && !options_.arithmetic.profile && certain_[val.id()].value_or(false);
  }

  bool hasCertainOperands(const fuser::Expr& expr) const {
    const auto isKnown = [&](const Val* val) { return !val->definition() || isCertain(*val); };
    const std::vector<Val*> sizes = fuser::Fusion::extentScalars(&expr);
    return std::all_of(expr.inputs().begin(), expr.inputs().end(), isKnown) &&
           std::all_of(sizes.begin(), sizes.end(), isKnown);
  }

  // Read once, where several ask for the same memory.
  Value numbersOf(const HostValue& value, const Val* val) {
    std::pair<const HostValue*, Value>& last = numbers_[val->id()];
    if (!last.first || !sameMemory(*last.first, value)) last = {&value, exact(value)};
    return last.second;
  }

  void judgeOutput(size_t index) {
    const Val* val = original_.outputs()[index];
    ValueJudgement judged;
    const Stored* source = nullptr;
    for (const Stored& stored : stored_) {
      if (stored.val == val) source = &stored;
    }
    if (source && sameMemory(*source->value, record_.outputs[index])) {
      judged = judgement_.stored[source->judgement];
      judged.segment = -1;
    } else {
      const bool wholeFusion = !source || !source->inside;
      Comparison comparison = against(record_.outputs[index], val, source ? source->sets : std::nullopt, wholeFusion);
      fill(judged, val, comparison);
      keep(comparison, judged);
      if (comparison.counts.outside > 0 && !judgement_.wrong) noteElements(comparison, judged);
    }
    judgement_.outputs.push_back(std::move(judged));
  }

  static bool sameMemory(const HostValue& a, const HostValue& b) {
    const auto* first = std::get_if<TensorRef>(&a);
    const auto* second = std::get_if<TensorRef>(&b);
    return first && second && first->data == second->data && first->dtype == second->dtype &&
           first->sizes == second->sizes && first->strides == second->strides;
  }

  static void fill(ValueJudgement& judged, const Val* val, const Comparison& comparison) {
    judged.name = val->name();
    judged.origin = val->id();
    if (val->definition()) judged.op = val->definition()->op();
    judged.counts = comparison.counts;
    judged.margins = comparison.margins;
    judged.problem = comparison.problem;
  }

  void keep(Comparison& comparison, const ValueJudgement& judged) {
    for (Mismatch& mismatch : comparison.worst) {
      mismatch.value = judged.name;
      mismatch.segment = judged.segment;
      judgement_.worst.push_back(mismatch);
    }
    std::stable_sort(judgement_.worst.begin(), judgement_.worst.end(),
                     [](const Mismatch& a, const Mismatch& b) { return a.distance > b.distance; });
    if (judgement_.worst.size() > options_.maxMismatches) judgement_.worst.resize(options_.maxMismatches);
  }

  void noteWrong(const ValueJudgement& judged, const Val* val, const Comparison& comparison) {
    if (!judged.op || position_[val->id()] >= firstWrong_) return;
    firstWrong_ = position_[val->id()];
    FirstWrongOp first{*judged.op, judged.name, judged.segment, comparison.counts.outside, {}};
    if (!comparison.worst.empty()) first.worst = comparison.worst.front();
    first.worst.value = judged.name;
    first.worst.segment = judged.segment;
    judgement_.firstWrongOp = std::move(first);
    firstWorst_ = comparison.worst;
    for (Mismatch& mismatch : firstWorst_) {
      mismatch.value = judged.name;
      mismatch.segment = judged.segment;
    }
    noteElements(comparison, judged);
  }

  // What is wrong for the first op's sake may be further off than its own result is.
  void showFirstWrongOpFirst() {
    if (!judgement_.firstWrongOp) return;
    const FirstWrongOp& first = *judgement_.firstWrongOp;
    std::vector<Mismatch> others = std::move(judgement_.worst);
    judgement_.worst = std::move(firstWorst_);
    for (Mismatch& other : others) {
      if (other.value != first.value || other.segment != first.segment) judgement_.worst.push_back(std::move(other));
    }
    if (judgement_.worst.size() > options_.maxMismatches) judgement_.worst.resize(options_.maxMismatches);
  }

  void noteElements(const Comparison& comparison, const ValueJudgement& judged) {
    judgement_.wrong = comparison.wrong;
    judgement_.wrong->value = judged.name;
    judgement_.wrong->segment = judged.segment;
  }

  void note(const Slice& slice) {
    if (!slice.wrongExtents().empty() && judgement_.reason.empty()) {
      const auto& [scalar, set] = slice.wrongExtents().front();
      judgement_.reason = fuser::concat("%", scalar->name(), " is ", *facts_.numbers[scalar->id()],
                                        " where it sets a size, accepted [", set.lo, ", ", set.hi, "]");
    }
    noteMissingDepths(slice);
  }

  void noteMissingDepths(const Slice& slice) {
    for (const fuser::Expr* expr : slice.withoutDepth()) {
      const std::string note = fuser::concat("no depth recorded for the reduction %", expr->output()->name(),
                                             ": judged as a chain of its terms");
      if (std::find(judgement_.notes.begin(), judgement_.notes.end(), note) == judgement_.notes.end()) {
        judgement_.notes.push_back(note);
      }
    }
  }

  // Each value counts once: an output as such, what a segment stored besides on its own.
  void conclude() {
    note(plain_);
    showFirstWrongOpFirst();
    std::map<OpKind, OpCounts> byOp;
    bool wrong = !judgement_.reason.empty();
    const auto count = [&](const ValueJudgement& judged) {
      if (!judged.problem.empty()) {
        wrong = true;
        if (judgement_.reason.empty()) judgement_.reason = "%" + judged.name + " " + judged.problem;
      }
      judgement_.total += judged.counts;
      if (!judged.op) return;
      OpCounts& op = byOp.try_emplace(*judged.op, OpCounts{*judged.op, {}, {}}).first->second;
      op.counts += judged.counts;
      op.margins += judged.margins;
    };
    for (const ValueJudgement& output : judgement_.outputs) count(output);
    for (const ValueJudgement& stored : judgement_.stored) {
      if (!stored.origin || !vals_[*stored.origin]->isFusionOutput() || stored.counts.outside > 0) count(stored);
    }
    for (const auto& [op, counts] : byOp) judgement_.ops.push_back(counts);
    const Counts& total = judgement_.total;
    judgement_.verdict = wrong || total.outside > 0      ? Verdict::Differs
                         : total.decided == total.judged ? Verdict::Agrees
                                                         : Verdict::Undecided;
  }

  const Fusion& original_;
  const RunRecord& record_;
  const JudgeOptions& options_;
  RunFacts facts_;
  Slice plain_;
  std::vector<const Val*> vals_;  // by id
  std::vector<size_t> position_;  // by id: of the definition, in topological order
  std::vector<Stored> stored_;
  std::vector<std::optional<bool>> certain_;                 // by id; none: not judged yet
  std::vector<std::vector<const HostValue*>> inside_;        // by id: judged, with all elements inside
  std::vector<std::pair<const HostValue*, Value>> numbers_;  // by id: what was read last, and its numbers
  size_t firstWrong_ = SIZE_MAX;
  std::vector<Mismatch> firstWorst_;  // its elements
  Judgement judgement_;
};

}  // namespace

Judgement judge(const Fusion& original, std::span<const HostValue> inputs, const RunRecord& record,
                const JudgeOptions& options) {
  try {
    return Judge(original, inputs, record, options).run();
  } catch (const Unsupported& unsupported) {
    Judgement judgement;
    judgement.verdict = Verdict::Unsupported;
    judgement.reason = unsupported.what();
    return judgement;
  }
}

std::string toString(const Judgement& judgement) {
  std::ostringstream out;
  const Counts& total = judgement.total;
  out << verdictName(judgement.verdict);
  if (!judgement.reason.empty()) out << ": " << judgement.reason;
  out << "\n  " << total.judged << " elements judged, " << total.decided << " decided, " << total.outside
      << " outside\n";
  for (const Mismatch& mismatch : judgement.worst) {
    out << "  %" << mismatch.value << mismatch.index;
    if (mismatch.segment >= 0) out << " of segment " << mismatch.segment;
    out << " is " << mismatch.got << ", accepted " << mismatch.accepts
        << (mismatch.wholeFusionView ? " (from the fusion's inputs)" : "") << "\n";
  }
  if (judgement.firstWrongOp) {
    const FirstWrongOp& first = *judgement.firstWrongOp;
    out << "  first wrong op: " << fuser::opName(first.op) << " -> %" << first.value << " in segment " << first.segment
        << ", " << first.outside << " elements\n";
  }
  for (const std::string& note : judgement.notes) out << "  note: " << note << "\n";
  return out.str();
}

}  // namespace oracle
