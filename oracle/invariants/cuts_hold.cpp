// CutsHold: no group crosses a cut. Cuts are derived from the expressions, independently of the segmenter's own list: a
// segment_set separates its operand and its readers if no other path through the program connects them. With boundary
// precision, the cut may be behind casts to a narrower type.

#include <algorithm>

#include "fuser/schedule/schedule.h"
#include "fuser/segment/segmented_fusion.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;
namespace {

class Cuts {
 public:
  Cuts(const SegmentedFusion& segmented, const CompileOptions& options)
      : segmented_(segmented), boundaryPrecision_(options.boundaryPrecision), schedulers_(options) {
    const size_t count = segmented.completeFusion().exprIdCount();
    part_.assign(count, -1);
    neighbours_.resize(count);
    forEachEdge([&](const Val* val, const Expr* reader) {
      const Expr* writer = val->definition();
      if (writer->op() == OpKind::SegmentSet || isRequired(val, reader)) return;
      neighbours_[writer->id()].push_back(reader->id());
      neighbours_[reader->id()].push_back(writer->id());
    });
    int parts = 0;
    for (const Expr* expr : segmented.liveExprs()) {
      if (part_[expr->id()] < 0) flood(expr->id(), parts++);
    }
  }

  std::string firstCrossed() const {
    std::string problem;
    forEachEdge([&](const Val* val, const Expr* reader) {
      if (!problem.empty() || !isInside(val, reader)) return;
      const char* why = isRequired(val, reader)  ? ", which a scheduler must find in memory"
                        : separates(val, reader) ? ", a segment_set between two parts"
                                                 : nullptr;
      if (why) {
        problem = concat("group ", segmented_.groupOf(reader)->index(), " holds both ends of %", val->name(), why);
      }
    });
    return problem;
  }

 private:
  template <class Visit>
  void forEachEdge(Visit visit) const {
    for (const Expr* reader : segmented_.liveExprs()) {
      if (reader->isScalarExpr()) continue;
      for (const Val* val : segmented_.reads(reader)) {
        if (val->isTensor() && val->definition()) visit(val, reader);
      }
    }
  }

  // Whether some group computes both ends.
  bool isInside(const Val* val, const Expr* reader) const {
    const std::vector<SegmentedGroup*> groups = segmented_.groupsOf(reader);
    return std::any_of(groups.begin(), groups.end(),
                       [&](const SegmentedGroup* group) { return segmented_.computes(group, val->definition()); });
  }

  bool isRequired(const Val* val, const Expr* reader) const {
    const std::vector<Val*> required = schedulers_.mustBeSegmentInputs(reader);
    return std::find(required.begin(), required.end(), val) != required.end();
  }

  bool separates(const Val* val, const Expr* reader) const {
    const Expr* writer = val->definition();
    if (writer->op() != OpKind::SegmentSet || part_[writer->id()] == part_[reader->id()]) return false;
    return !(boundaryPrecision_ && isNarrowingCast(reader) && isReadOutsideAlone(reader));
  }

  static bool isNarrowingCast(const Expr* expr) {
    return expr->op() == OpKind::Cast && dtypeSize(expr->output()->dtype()) < dtypeSize(expr->input(0)->dtype());
  }

  // The cut stands behind the cast.
  bool isReadOutsideAlone(const Expr* cast) const {
    const std::span<Expr* const> readers = segmented_.readers(cast->output());
    return std::none_of(readers.begin(), readers.end(),
                        [&](const Expr* reader) { return isInside(cast->output(), reader); });
  }

  void flood(uint32_t start, int part) {
    std::vector<uint32_t> work = {start};
    part_[start] = part;
    while (!work.empty()) {
      const uint32_t expr = work.back();
      work.pop_back();
      for (uint32_t next : neighbours_[expr]) {
        if (part_[next] >= 0) continue;
        part_[next] = part;
        work.push_back(next);
      }
    }
  }

  const SegmentedFusion& segmented_;
  const bool boundaryPrecision_;
  Schedulers schedulers_;
  std::vector<std::vector<uint32_t>> neighbours_;  // by id of expression; what no cut parts
  std::vector<int> part_;                          // by id of expression
};

}  // namespace

std::string checkCutsHold(const Compilation& compilation) {
  if (compilation.settings.schedule) return "";  // a schedule for the whole fusion makes one segment of it
  // A custom merge predicate alone decides.
  const CompileOptions& options = compilation.settings.context.options;
  if (options.mergePredicate != MergePredicate::Schedulers || compilation.presegmented.hasStreams() ||
      compilation.presegmented.hasDevices()) {
    return "";
  }
  return Cuts(compilation.segmented, options).firstCrossed();
}

}  // namespace oracle
