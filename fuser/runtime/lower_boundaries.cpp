#include "fuser/runtime/lower_boundaries.h"

#include <algorithm>
#include <set>

#include "fuser/case/aliases.h"
#include "fuser/ir/builder.h"
#include "fuser/ir/clone.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/schedule/schedule.h"
#include "fuser/segment/segment_candidate_finder.h"

namespace fuser {
namespace {

constexpr int64_t kExtent = 1024;  // of each symbol: what is asked about sizes has an answer, and nothing is empty

// The one 16-bit dtype among the outputs; nullopt: there is none, or there are two.
std::optional<DataType> lowDtypeOf(const Fusion& fusion) {
  std::set<DataType> found;
  for (const Val* output : fusion.outputs()) {
    if (output->isTensor() && isFloating(output->dtype()) && dtypeSize(output->dtype()) == 2)
      found.insert(output->dtype());
  }
  return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

bool isNeverStored(const SegmentedGroup* group) {
  return group->isScalarGroup() || group->schedulerType() == SchedulerType::NoOp;
}

// Finds the readers of each value that are in other segments, of the fusion before passes.
class Boundaries {
 public:
  Boundaries(const Fusion& original, const SegmentGraph& segments, DataType low)
      : original_(original), segments_(segments), low_(low) {}

  // The readers of the value, which the passes' fusion computes there; empty if it stays as it is.
  std::vector<const Expr*> outsideReaders(const Val* made) const {
    const Val* value = originalOf(made);
    const bool isKept = !value || made->dtype() != DataType::Float || value->dtype() != DataType::Float ||
                        made->isFusionOutput() || value->isFusionOutput() || !value->definition() ||
                        made->as<TensorView>()->domain().view;
    if (isKept || segments_.isPrivatized(made->definition()) || wasLow(value)) return {};
    const SegmentedGroup* maker = segments_.groupOf(made->definition());
    if (isNeverStored(maker)) return {};
    std::vector<const Expr*> outside;
    for (const Expr* reader : segments_.readers(made)) {
      if (segments_.isPrivatized(reader)) return {};
      const SegmentedGroup* group = segments_.groupOf(reader);
      if (group == maker || group->isScalarGroup()) continue;
      const Val* result = originalOf(reader->output());
      const Expr* own = result ? result->definition() : nullptr;
      const bool reads = own && std::count(own->inputs().begin(), own->inputs().end(), value) > 0;
      if (isNeverStored(group) || !reads) return {};
      if (std::find(outside.begin(), outside.end(), own) == outside.end()) outside.push_back(own);
    }
    return outside;
  }

  const Val* originalOf(const Val* made) const {
    return made->origin() ? original_.allVals().at(*made->origin()).get() : nullptr;
  }

 private:
  // A rounding to the dtype would change nothing.
  bool wasLow(const Val* value) const {
    const Expr* maker = value->definition();
    return maker->op() == OpKind::Cast && maker->input(0)->dtype() == low_;
  }

  const Fusion& original_;
  const SegmentGraph& segments_;
  DataType low_;
};

std::string freshName(const Fusion& fusion, std::string name) {
  const auto isTaken = [&](const std::unique_ptr<Val>& val) { return val->name() == name; };
  while (std::any_of(fusion.allVals().begin(), fusion.allVals().end(), isTaken)) name += "_";
  return name;
}

// These readers of the value get it rounded, through memory.
void round(Fusion& fusion, TensorView* value, const std::vector<Expr*>& readers, DataType low) {
  const auto named = [&](const char* what) { return freshName(fusion, concat(value->name(), ".", what)); };
  Val* rounded = build::cast(fusion, value, low, named("low"));
  Val* stored = build::segmentSet(fusion, rounded->as<TensorView>(), named("stored"));
  Val* wide = build::cast(fusion, stored, DataType::Float, named("wide"));
  for (Expr* reader : readers) {
    for (size_t i = 0; i < reader->inputs().size(); ++i) {
      if (reader->input(i) == value) fusion.replaceInput(reader, i, wide);
    }
  }
}

}  // namespace

bool lowersBoundaries(const Fusion& fusion, const CacheSettings& settings) {
  return settings.context.options.ioToLowerPrecision && !settings.schedule && !fusion.hasStreams() &&
         !fusion.hasDevices() && lowDtypeOf(fusion).has_value();
}

std::unique_ptr<Fusion> lowerBoundaries(const Fusion& fusion, const CacheSettings& settings) {
  CompileContext context;
  context.options = settings.context.options;
  context.options.mergePredicate = MergePredicate::Schedulers;
  const Schedulers schedulers(context.options);
  context.schedulers = &schedulers;
  SizeFacts sizes([](IntExpr size) { return evaluate(size, [](IntExpr) { return kExtent; }); });
  context.sizes = &sizes;
  const std::unique_ptr<Fusion> trial = cloneInOrderOfUse(fusion);
  trial->setConcrete(true);
  for (const auto& [output, input] : aliasesIn(*trial, settings.aliases)) trial->setAlias(output, input);
  CompileContext passes = context;
  std::erase_if(passes.options.disabledPasses, [](const std::string& pass) { return !isPassName(pass); });
  PreSegmenter::runPass(trial.get(), passes);
  const std::unique_ptr<SegmentedFusion> segments = segment(*trial, context, finderOptionsOf(context.options));

  ClonedFusion result = cloneFusion(fusion);
  const DataType low = lowDtypeOf(fusion).value();
  const Boundaries boundaries(fusion, *segments, low);
  for (const Expr* expr : segments->liveTensorExprs()) {
    for (const Val* made : expr->outputs()) {
      std::vector<Expr*> readers;
      for (const Expr* reader : boundaries.outsideReaders(made))
        readers.push_back(result.vals.at(reader->output())->definition());
      if (readers.empty()) continue;
      round(*result.fusion, result.vals.at(boundaries.originalOf(made))->as<TensorView>(), readers, low);
    }
  }
  return std::move(result.fusion);
}

Case loweredCase(const Case& testCase) {
  Case result = cloneCase(testCase);
  const CacheSettings settings = settingsOf(testCase);
  if (lowersBoundaries(*testCase.fusion, settings)) result.fusion = lowerBoundaries(*testCase.fusion, settings);
  result.options.ioToLowerPrecision = false;
  return result;
}

}  // namespace fuser
