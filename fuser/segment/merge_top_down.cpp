// Top-down merging: whole parts of the fusion, before single expressions.

#include <algorithm>

#include "fuser/segment/merging.h"

namespace fuser {

namespace {

// Whether the groups' graph stays acyclic when each part becomes one group.
bool partsAreAcyclic(const SegmentedFusion& segmented, const std::vector<std::vector<Expr*>>& parts) {
  std::vector<int64_t> partOf(segmented.completeFusion().exprIdCount(), -1);
  for (size_t part = 0; part < parts.size(); ++part) {
    for (const Expr* expr : parts[part]) partOf[expr->id()] = static_cast<int64_t>(part);
  }
  std::vector<std::vector<size_t>> users(parts.size());
  std::vector<size_t> missing(parts.size(), 0);
  for (size_t part = 0; part < parts.size(); ++part) {
    for (const Expr* expr : parts[part]) {
      for (const Val* val : segmented.reads(expr)) {
        const int64_t from = val->definition() ? partOf[val->definition()->id()] : -1;
        if (from < 0 || from == static_cast<int64_t>(part)) continue;
        users[static_cast<size_t>(from)].push_back(part);
        ++missing[part];
      }
    }
  }
  std::vector<size_t> ready;
  for (size_t part = 0; part < parts.size(); ++part) {
    if (missing[part] == 0) ready.push_back(part);
  }
  size_t ordered = 0;
  while (!ready.empty()) {
    const size_t part = ready.back();
    ready.pop_back();
    ++ordered;
    for (size_t user : users[part]) {
      if (--missing[user] == 0) ready.push_back(user);
    }
  }
  return ordered == parts.size();
}

bool hasCutInside(const SegmentedFusion& segmented, const Cuts& cuts, const std::vector<Expr*>& part) {
  std::vector<bool> inside(segmented.completeFusion().exprIdCount(), false);
  for (const Expr* expr : part) inside[expr->id()] = true;
  return std::any_of(part.begin(), part.end(), [&](const Expr* reader) {
    const std::vector<Val*>& reads = segmented.reads(reader);
    return std::any_of(reads.begin(), reads.end(), [&](const Val* val) {
      return val->isTensor() && val->definition() && inside[val->definition()->id()] && cuts.isCut(val, reader);
    });
  });
}

void mergeAll(SegmentedFusion& segmented, const std::vector<Expr*>& exprs) {
  SegmentedGroup* merged = segmented.groupOf(exprs.front());
  for (const Expr* expr : exprs) {
    SegmentedGroup* group = segmented.groupOf(expr);
    if (group != merged) merged = segmented.mergeGroups(merged, group);
  }
}

}  // namespace

bool mergeTopDown(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts) {
  const std::vector<std::vector<Expr*>>& parts = cuts.parts();
  if (!cuts.any()) {
    std::vector<Expr*> all;
    for (const std::vector<Expr*>& part : parts) all.insert(all.end(), part.begin(), part.end());
    all = segmented.inTopologicalOrder(std::move(all));
    if (!all.empty() && answers.ask(all).accepted()) {
      mergeAll(segmented, all);
      segmented.finalize();
      return true;
    }
    if (parts.size() == 1) return false;  // the one part is the whole
  }
  if (!partsAreAcyclic(segmented, parts)) return false;
  for (const std::vector<Expr*>& part : parts) {
    if (part.size() > 1 && !hasCutInside(segmented, cuts, part) && answers.ask(part).accepted()) {
      mergeAll(segmented, part);
    }
  }
  segmented.finalize();
  return false;
}

}  // namespace fuser
