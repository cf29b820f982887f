// Draws schedules for the segments of a case; compiles it to see that they are legal.

#include "fuzz/views/random_schedule.h"

#include <algorithm>

#include "fuser/ir/clone.h"
#include "fuser/ops/op_table.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/schedule/facts.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/choices/choices.h"
#include "fuzz/views/drawn_schedule.h"
#include "fuzz/views/legal_schedules.h"
#include "fuzz/views/limit_work.h"
#include "fuzz/views/segment_cuts.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {
namespace {

constexpr int kAttempts = 16;        // of a case
constexpr double kIndexType = 0.15;  // of all segments say whether indices have 32 or 64 bits
constexpr double kRecompute = 0.15;  // of all segments compute something again

// Most segments are small, and what a step breaks may need several ops beside each other.
constexpr int64_t kFewExprs = 5;
constexpr double kFew = 0.6;  // of the segments with fewer have another schedule

// A schedule's random numbers have nothing to do with the generator's.
constexpr uint64_t kSeed = 0x5c4ed01e;
constexpr uint64_t kIndexTypeSeed = 0x32b17;  // of their own, so that schedules are what they are without them
constexpr uint64_t kRecomputeSeed = 0xa6a1;   // the same

Transform indexTypeOf(Choices& choices) {
  Transform step;
  step.kind = TransformKind::IndexType;
  step.indexType = choices.chance(0.5) ? DataType::Int32 : DataType::Int64;
  return step;
}

// Whether a step says where the tensor is computed for the reader.
bool isPlaced(const Schedule& schedule, const std::string& tensor, const std::string& reader) {
  return std::any_of(schedule.begin(), schedule.end(), [&](const Transform& step) {
    return step.kind == TransformKind::ComputeAt && step.tensor == tensor && step.other == reader;
  });
}

size_t stepsBeyond(const Schedule& schedule, const Schedule& chosen) {
  return static_cast<size_t>(std::count_if(schedule.begin(), schedule.end(), [&](const Transform& step) {
    return std::find(chosen.begin(), chosen.end(), step) == chosen.end();
  }));
}

// Lets a reader compute an operand again, which the schedule leaves where it was for the other readers.
void recomputeOperand(const Fusion& part, Schedule& schedule, Choices& choices) {
  std::vector<std::pair<std::string, int64_t>> reads;  // a reader and an operand, by the names in the kernel
  for (const Expr* expr : part.exprs()) {
    for (size_t i = 0; i < expr->inputs().size(); ++i) {
      const Val* operand = expr->input(i);
      const bool isRepeated = operand->isTensor() && operand->definition() && !isReduction(operand->definition()->op());
      if (!isRepeated || isPlaced(schedule, nameInKernel(operand), nameInKernel(expr->output()))) continue;
      reads.emplace_back(nameInKernel(expr->output()), static_cast<int64_t>(i));
    }
  }
  if (reads.empty()) return;
  const auto& [reader, operand] = choices.pick(reads);
  Transform step = on(TransformKind::Recompute, reader, reader + ".again");
  step.axis = operand;
  // Behind the copies of inputs and outputs, whose names the other steps know.
  const auto isCopy = [](const Transform& each) {
    return each.kind == TransformKind::CacheBefore || each.kind == TransformKind::CacheAfter;
  };
  schedule.insert(std::find_if_not(schedule.begin(), schedule.end(), isCopy), step);
}

}  // namespace

std::optional<std::map<int64_t, Schedule>> randomSchedules(const Case& testCase, uint64_t draw, DrawCounts* counts) {
  if (testCase.runs.empty() || testCase.schedule || !testCase.segmentSchedules.empty()) return std::nullopt;
  if (testCase.options.probes) return std::nullopt;
  const RunData data = materialize(testCase, testCase.runs.front(), kMaxInputBytes);
  const std::vector<HostValue> inputs = hostValues(data);
  // What a caller gives memory for has strides of its own, which vectors depend on.
  const OutputMemory outputs = outputMemory(testCase, inputs);
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  Choices choices(kSeed, draw), indexTypes(kIndexTypeSeed, draw), recomputes(kRecomputeSeed, draw);
  const DeviceProperties device = settings.context.device();
  LegalSchedules legal([&](const Fusion& part, Schedule& schedule) {
    if (static_cast<int64_t>(part.exprs().size()) < kFewExprs && !choices.chance(kFew)) return;
    std::optional<Schedule> drawn = drawSchedule(part, schedule, device, choices);
    if (!drawn) return;
    if (counts) counts->changes.push_back(stepsBeyond(*drawn, schedule));
    schedule = std::move(*drawn);
    if (recomputes.chance(kRecompute)) recomputeOperand(part, schedule, recomputes);
    if (indexTypes.chance(kIndexType)) schedule.push_back(indexTypeOf(indexTypes));
  });
  settings.context.observers.push_back(&legal);
  LimitWork limit;
  settings.context.observers.push_back(&limit);
  const std::shared_ptr<const Fusion> fusion = cloneFusion(*testCase.fusion).fusion;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    try {
      FusionExecutorCache(fusion, settings).run(inputs, outputs.refs);
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      if (counts && legal.isFirstDraw()) counts->refused.push_back(error.what());
      if (!legal.refuse()) return std::nullopt;  // the case itself is refused
      continue;
    } catch (const std::exception& error) {
      rethrowIfSetUpError(error);
      // Legal, and broken: whoever judges the case will see it again.
    }
    std::map<int64_t, Schedule> schedules = legal.drawn();
    if (counts) counts->segments += legal.segmentsDrawn();
    if (schedules.empty()) return std::nullopt;
    return schedules;
  }
  return std::nullopt;
}

// For the first run alone: schedules may rely on its sizes.
bool randomSchedule(Case& testCase, uint64_t draw) {
  if (hasFixedSegments(testCase)) return false;
  std::optional<std::map<int64_t, Schedule>> schedules = randomSchedules(testCase, draw);
  if (!schedules) return false;
  testCase.segmentSchedules = std::move(*schedules);
  testCase.runs.resize(1);
  return true;
}

}  // namespace fuser::fuzz
