// Asks the Merger that made the segmentation why two groups may not merge, so that the reasons are the real ones.

#include "fuser/segment/explain.h"
#include "fuser/segment/segmented_text.h"

#include <algorithm>

namespace fuser {

namespace {

class Explanation {
 public:
  explicit Explanation(Merger& merger)
      : merger_(merger),
        segmented_(merger.segmented()),
        labels_(valueLabels(merger.segmented().completeFusion())),
        reductions_(reductionsBySignature(segmented_)) {}

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

  // One line per neighbor with a larger index.
  std::string neighbours(SegmentedGroup* group) {
    Neighbors neighbors{group, {}, ""};
    for (const Val* output : group->outputs()) {
      for (SegmentedGroup* consumer : segmented_.consumersOf(output))
        append(neighbors, consumer, "which reads", output);
    }
    for (const Val* input : group->inputs()) {
      if (input->isTensor()) appendOtherReaders(neighbors, input);
    }
    for (const std::vector<Expr*>& reductions : reductions_) appendLikeReductions(neighbors, reductions);
    return neighbors.text;
  }

  struct Neighbors {
    SegmentedGroup* group;
    VectorOfUniqueEntries<SegmentedGroup*> others;
    std::string text;
  };

  void append(Neighbors& neighbors, SegmentedGroup* other, const char* how, const Val* val) {
    if (other == neighbors.group || other->index() < neighbors.group->index() || !neighbors.others.pushBack(other))
      return;
    neighbors.text +=
        concat("  with ", other->index(), ", ", how, " ", label(val), ": ", whyApart(neighbors.group, other), "\n");
  }

  // Other readers of an input, within the window in which SiblingMerges tries them.
  void appendOtherReaders(Neighbors& neighbors, const Val* input) {
    std::vector<SegmentedGroup*> readers = segmented_.consumersOf(input);
    std::erase_if(readers, [&](const SegmentedGroup* reader) { return reader->index() <= neighbors.group->index(); });
    std::sort(readers.begin(), readers.end(),
              [](const SegmentedGroup* a, const SegmentedGroup* b) { return a->index() < b->index(); });
    size_t more = 0;
    for (size_t i = 0; i < readers.size(); ++i) {
      if (i < kSiblingWindow) {
        append(neighbors, readers[i], "which also reads", input);
      } else {
        more += !neighbors.others.contains(readers[i]);
      }
    }
    if (more == 0) return;
    neighbors.text += concat("  with ", more, " more that read ", label(input), ": ", kNotTried, "\n");
  }

  void appendLikeReductions(Neighbors& neighbors, const std::vector<Expr*>& reductions) {
    for (size_t i = 0; i < reductions.size(); ++i) {
      if (segmented_.groupOf(reductions[i]) != neighbors.group) continue;
      const size_t end = std::min(reductions.size(), i + 1 + kReductionWindow);
      for (size_t j = i + 1; j < end; ++j) {
        append(neighbors, segmented_.groupOf(reductions[j]), "which reduces the same axes as", reductions[i]->output());
      }
    }
  }

  // The reason why the group runs no kernel.
  std::string whyIdle(const SegmentedGroup* group) const {
    std::string results;
    for (const Val* output : group->outputs()) {
      const bool view = output->as<TensorView>()->domain().view;
      results += concat(results.empty() ? "" : ", ", label(output), view ? " is a view" : " is empty");
    }
    return concat("it would save no kernel: none runs for ", group->index(), ", ", results);
  }

  std::string whyApart(SegmentedGroup* a, SegmentedGroup* b) {
    if (a->isScalarGroup() || b->isScalarGroup()) return "host scalars run on the host";
    const std::vector<SegmentedGroup*> between = merger_.order().pathBetween(a, b);
    if (!between.empty()) {
      std::string path;
      for (const SegmentedGroup* group : between) path += concat(path.empty() ? "" : ", ", group->index());
      return concat("merging them would create a cycle through ", path);
    }
    const std::string reason = merger_.whyNotTogether({a, b});
    if (!reason.empty()) return reason;
    if (!segmented_.getEdgesBetween(a, b).empty()) {
      for (const SegmentedGroup* group : {a, b}) {
        if (!merger_.isOpen(group)) return concat(group->index(), " was taken whole, top-down, and is not tried again");
      }
    }
    for (const SegmentedGroup* group : {a, b}) {
      if (merger_.typeOf(group) == SchedulerType::NoOp) return whyIdle(group);
    }
    return concat("they could be one, and were ", kNotTried);
  }

  static constexpr const char* kNotTried = "not tried: each reader of a tensor is tried with a few that come next";

  Merger& merger_;
  SegmentedFusion& segmented_;
  std::vector<std::string> labels_;
  std::vector<std::vector<Expr*>> reductions_;
};

}  // namespace

std::string explainSegments(Merger& merger) { return Explanation(merger).text(); }

}  // namespace fuser
