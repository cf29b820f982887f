// GroupsPartition: derived from the groups' expressions and edges, independently of the segmenter's own checker. Every
// live expression has one owning group; private copies are exactly in the groups that read their results; every value
// that crosses has one edge, whose source computes it and whose target reads it; inputs and outputs are the values that
// cross; the groups are in topological order.

#include <algorithm>
#include <map>

#include "fuser/segment/segmented_fusion.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;
namespace {

class PartitionCheck {
 public:
  explicit PartitionCheck(const SegmentedFusion& segmented)
      : segmented_(segmented), computedIn_(segmented.completeFusion().exprIdCount()) {
    const std::vector<SegmentedGroup*>& groups = segmented.groups();
    for (size_t i = 0; i < groups.size(); ++i) {
      index_[groups[i]] = i;
      for (const Expr* expr : groups[i]->exprs()) computedIn_.at(expr->id()).push_back(i);
    }
  }

  // The first thing that is wrong; "" when nothing is.
  std::string problem() {
    for (const Expr* expr : segmented_.liveExprs()) checkHome(expr);
    for (size_t i = 0; i < segmented_.groups().size(); ++i) checkGroup(i);
    checkEdges();
    return problem_;
  }

 private:
  template <class... Args>
  void report(const Args&... args) {
    if (problem_.empty()) problem_ = concat(args...);
  }

  static std::string name(const Expr* expr) { return concat("%", expr->output()->name()); }

  bool computes(size_t group, const Expr* expr) const {
    const std::vector<size_t>& in = computedIn_.at(expr->id());
    return std::find(in.begin(), in.end(), group) != in.end();
  }

  void checkHome(const Expr* expr) {
    const std::vector<size_t>& in = computedIn_.at(expr->id());
    if (in.empty()) return report(name(expr), " is in no group");
    const auto home = index_.find(segmented_.groupOf(expr));
    if (home == index_.end() || !computes(home->second, expr)) return report(name(expr), " is not in its group");
    if (in.size() == 1) return;
    for (size_t group : in) checkCopy(expr, group);
  }

  void checkCopy(const Expr* expr, size_t group) {
    const std::vector<Expr*>& exprs = segmented_.groups()[group]->exprs();
    if (std::count(exprs.begin(), exprs.end(), expr) != 1) return report(name(expr), " is twice in group ", group);
    if (expr->isScalarExpr()) return report(name(expr), " is a host scalar and in several groups");
    bool read = false;
    for (const Val* output : expr->outputs()) {
      if (output->isFusionOutput()) return report(name(expr), " is stored by several groups");
      for (const Expr* reader : segmented_.readers(output)) read |= computes(group, reader);
    }
    if (!read) report("group ", group, " has a copy of ", name(expr), " and does not read it");
  }

  // Its inputs and outputs, from its expressions.
  void checkGroup(size_t group) {
    const SegmentedGroup& it = *segmented_.groups()[group];
    for (const Expr* expr : it.exprs()) {
      for (Val* val : segmented_.reads(expr)) {
        const bool isComputed = val->definition() && computes(group, val->definition());
        if (!isComputed && !it.inputs().contains(val)) report("%", val->name(), " is not an input of group ", group);
        if (!isComputed && val->definition()) needed_[{group, val}] = 0;
      }
      for (Val* output : expr->outputs()) {
        if (segmented_.groupOf(expr) == &it && isWanted(output, group) && !it.outputs().contains(output))
          report("%", output->name(), " is not an output of group ", group);
      }
    }
    for (const Val* output : it.outputs()) {
      if (!output->definition() || !computes(group, output->definition()))
        report("group ", group, " does not make its output %", output->name());
    }
  }

  bool isWanted(const Val* val, size_t group) const {
    if (val->isFusionOutput()) return true;
    const std::span<Expr* const> readers = segmented_.readers(val);
    return std::any_of(readers.begin(), readers.end(), [&](const Expr* reader) {
      const std::vector<size_t>& in = computedIn_.at(reader->id());
      return std::any_of(in.begin(), in.end(),
                         [&](size_t other) { return other != group && !computes(other, val->definition()); });
    });
  }

  void checkEdges() {
    for (const SegmentedEdgePtr& edge : segmented_.edges()) {
      const auto from = index_.find(edge->from()), to = index_.find(edge->to());
      if (!edge->isConnected() || from == index_.end() || to == index_.end())
        return report("edge ", edge->toString(), " leads from or to no group");
      const Val* val = edge->val();
      if (!val->definition() || !computes(from->second, val->definition()))
        return report("edge ", edge->toString(), ": its source does not make the value");
      const auto need = needed_.find({to->second, val});
      if (need == needed_.end()) return report("edge ", edge->toString(), ": its target does not read the value");
      if (++need->second > 1) return report("edge ", edge->toString(), " is there twice");
      if (from->second >= to->second) {
        return report("group ", to->second, " comes before group ", from->second, ", which it reads");
      }
    }
    for (const auto& [need, edges] : needed_) {
      if (edges == 0) report("no edge brings %", need.second->name(), " to group ", need.first);
    }
  }

  // By id, so that the first one told is always the same.
  struct ById {
    bool operator()(const std::pair<size_t, const Val*>& a, const std::pair<size_t, const Val*>& b) const {
      return std::pair(a.first, a.second->id()) < std::pair(b.first, b.second->id());
    }
  };

  const SegmentedFusion& segmented_;
  std::map<const SegmentedGroup*, size_t> index_;              // look-ups only
  std::vector<std::vector<size_t>> computedIn_;                // by expression id
  std::map<std::pair<size_t, const Val*>, int, ById> needed_;  // (group, value it reads from outside) -> edges
  std::string problem_;
};

}  // namespace

std::string checkGroupsPartition(const Compilation& compilation) {
  return PartitionCheck(compilation.segmented).problem();
}

}  // namespace oracle
