// The reasons behind a segmentation, asked of the same state that decided them.

#include "fuser/segment/explain.h"

#include <algorithm>

namespace fuser {

namespace {

// Readers of one tensor that are compared with each other; more are counted.
constexpr size_t kMostReaders = 16;

class Explanation {
 public:
  explicit Explanation(Merger& merger)
      : merger_(merger), segmented_(merger.segmented()), labels_(valueLabels(merger.segmented().completeFusion())) {}

  std::string text() {
    segmented_.finalize();
    const std::vector<SegmentedGroup*> groups = segmented_.groups();
    std::string text;
    for (SegmentedGroup* group : groups) {
      std::string exprs;
      for (const Expr* expr : group->exprs()) {
        const bool copy = segmented_.groupOf(expr) != group;
        exprs += concat(exprs.empty() ? "" : ", ", label(expr->output()), copy ? " (a copy)" : "");
      }
      text += concat("group ", group->index(), " ", schedulerTypeName(group->schedulerType()), " {", exprs, "}\n");
      text += neighbours(group);
    }
    return text;
  }

 private:
  std::string label(const Val* val) const { return labels_.at(val->id()); }

  // Those that come later.
  std::string neighbours(SegmentedGroup* group) {
    std::string text;
    VectorOfUniqueEntries<SegmentedGroup*> told;
    const auto tell = [&](SegmentedGroup* other, const Val* val, const char* how) {
      if (other == group || other->index() < group->index() || !told.pushBack(other)) return;
      text += concat("  with ", other->index(), ", which ", how, " ", label(val), ": ", whyApart(group, other), "\n");
    };
    for (const Val* output : group->outputs()) {
      for (SegmentedGroup* consumer : segmented_.consumersOf(output)) tell(consumer, output, "reads");
    }
    for (const Val* input : group->inputs()) {
      if (!input->isTensor()) continue;
      const std::vector<SegmentedGroup*> readers = segmented_.consumersOf(input);
      for (size_t i = 0; i < std::min(readers.size(), kMostReaders); ++i) tell(readers[i], input, "also reads");
      if (readers.size() > kMostReaders) {
        text += concat("  and ", readers.size() - kMostReaders, " more that read ", label(input), "\n");
      }
    }
    return text;
  }

  std::string whyApart(SegmentedGroup* a, SegmentedGroup* b) {
    if (a->isScalarGroup() || b->isScalarGroup()) return "host scalars run on the host";
    const std::vector<SegmentedGroup*> between = merger_.order().pathBetween(a, b);
    if (!between.empty()) {
      std::string path;
      for (const SegmentedGroup* group : between) path += concat(path.empty() ? "" : ", ", group->index());
      return concat("together they would close a circle through ", path);
    }
    const std::string reason = merger_.whyNotTogether({a, b});
    if (!reason.empty()) return reason;
    if (!segmented_.getEdgesBetween(a, b).empty()) {
      for (const SegmentedGroup* group : {a, b}) {
        if (!merger_.isOpen(group)) return concat(group->index(), " was taken whole, top-down, and is not tried again");
      }
    }
    const bool idle = merger_.typeOf(a) == SchedulerType::NoOp || merger_.typeOf(b) == SchedulerType::NoOp;
    return idle ? "it would save no kernel" : "they could be one, and were not tried";
  }

  Merger& merger_;
  SegmentedFusion& segmented_;
  std::vector<std::string> labels_;
};

}  // namespace

std::string explainSegments(Merger& merger) { return Explanation(merger).text(); }

}  // namespace fuser
