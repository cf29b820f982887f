#include "fuzz/views/segment_cuts.h"

#include <algorithm>

#include "fuser/ir/builder.h"

namespace fuser::fuzz {

std::vector<TensorView*> cutPlaces(const Fusion& fusion) {
  std::vector<TensorView*> places;
  const auto add = [&](Val* val) {
    if (!val->isTensor() || val->definition() == nullptr || val->definition()->op() == OpKind::SegmentSet) return;
    auto* tensor = val->as<TensorView>();
    if (std::find(places.begin(), places.end(), tensor) == places.end()) places.push_back(tensor);
  };
  for (const Expr* expr : fusion.exprs()) {
    for (Val* input : expr->inputs()) add(input);
  }
  return places;
}

void cut(Fusion& fusion, TensorView* tensor) {
  const std::vector<Expr*> before = fusion.exprs();
  TensorView* behind = build::segmentSet(fusion, tensor);
  for (Expr* expr : before) {
    for (size_t i = 0; i < expr->inputs().size(); ++i) {
      if (expr->inputs()[i] == tensor) fusion.replaceInput(expr, i, behind);
    }
  }
}

bool hasFixedSegments(const Case& testCase) {
  return testCase.schedule || !testCase.segmentSchedules.empty() || testCase.fusion->hasStreams() ||
         testCase.fusion->hasDevices();
}

}  // namespace fuser::fuzz
