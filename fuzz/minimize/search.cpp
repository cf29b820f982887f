// Tries candidates, keeps the best.

#include "fuzz/minimize/search.h"

#include <algorithm>
#include <cctype>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "reports/campaign_summary.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kMaxOthers = 50;

int64_t rarity(DataType dtype) {
  constexpr DataType kUsual[] = {DataType::Float, DataType::Int64, DataType::Bool, DataType::Double};
  return std::find(std::begin(kUsual), std::end(kUsual), dtype) - std::begin(kUsual);
}

int64_t strangeness(const Recipe& recipe) {
  switch (recipe.kind) {
    case RecipeKind::Integers: return 1;
    case RecipeKind::Uniform: return 2;
    case RecipeKind::Normal: return 1;
    case RecipeKind::Special: return 4;
    case RecipeKind::Values: return 8 + static_cast<int64_t>(recipe.values.size());
    case RecipeKind::View: return 16;
  }
  FUSER_CHECK(false, "bad RecipeKind");
}

bool isPlainLayout(const TensorView* tensor) {
  const std::vector<int>& order = tensor->domain().allocationOrder;
  const auto& contiguity = tensor->domain().contiguity;
  return std::is_sorted(order.begin(), order.end()) && !tensor->domain().hasFixedLayout &&
         std::none_of(contiguity.begin(), contiguity.end(),
                      [](const std::optional<bool>& entry) { return entry == std::optional<bool>(false); });
}

}  // namespace

OpKind plainOp(Family family) {
  const auto found =
      std::find_if(std::begin(kAllOps), std::end(kAllOps), [&](OpKind op) { return opInfo(op).family == family; });
  FUSER_CHECK(found != std::end(kAllOps), "a family without op");
  return *found;
}

Weight weigh(const Case& testCase, size_t bytes) {
  Weight weight{};
  const Fusion& fusion = *testCase.fusion;
  weight[0] = static_cast<int64_t>(fusion.exprs().size());
  weight[1] = static_cast<int64_t>(fusion.inputs().size() + fusion.outputs().size());
  for (const Val* val : fusion.usedVals()) {
    weight[7] += rarity(val->dtype());
    if (val->isScalar()) continue;
    weight[2] += static_cast<int64_t>(val->as<TensorView>()->axes().size());
    weight[6] += !isPlainLayout(val->as<TensorView>());
  }
  const OpKind plain[] = {plainOp(Family::Unary), plainOp(Family::Reduction)};
  for (const Expr* expr : fusion.exprs()) weight[7] += expr->op() != plain[0] && expr->op() != plain[1];
  weight[3] = static_cast<int64_t>(testCase.runs.size());
  for (const Run& run : testCase.runs) {
    for (const RunInput& input : run.inputs) {
      const TensorInput* tensor = std::get_if<TensorInput>(&input.value);
      if (!tensor) continue;
      weight[4] += numel(tensor->sizes);
      weight[6] += (tensor->strides ? 1 : 0) + (tensor->offset > 0);
      weight[8] += strangeness(tensor->recipe);
    }
  }
  for (const PreallocatedOutput& memory : testCase.preallocated) {
    weight[6] += !memory.order.empty() + !memory.gaps.empty() + (memory.offset > 0);
  }
  const CompileOptions& options = testCase.options;
  weight[5] =
      (options.engine != EngineKind::Interp) + options.contraction + options.probes +
      static_cast<int64_t>(options.disabled.size() + options.disabledPasses.size()) + !options.fault.empty() +
      static_cast<int64_t>(testCase.aliases.size() + testCase.preallocated.size() + testCase.segmentSchedules.size()) +
      (testCase.schedule ? 1 : 0);
  weight[9] = static_cast<int64_t>(bytes);
  return weight;
}

CaseSize sizeOf(const Case& testCase, size_t bytes) {
  const Weight weight = weigh(testCase, bytes);
  return {static_cast<size_t>(weight[0]), weight[4], bytes};
}

Search::Search(std::string text, Bucket target, const JudgedCase& finding, Judging& judging,
               const MinimizeSettings& settings, Minimized& result)
    : text_(std::move(text)),
      // Once, from text: a file may state sizes in its result types that an edit would not keep.
      best_(parseCase(text_, "case")),
      weight_(weigh(best_, text_.size())),
      finding_(finding),
      target_(std::move(target)),
      judging_(judging),
      settings_(settings),
      result_(result),
      recorded_(judging.values(text_)) {
  writeBestSoFar(settings_, text_);
}

double Search::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Search::isOver() {
  if (settings_.interrupted && settings_.interrupted()) return true;
  if (settings_.maxTried > 0 && judging_.judged() >= settings_.maxTried) return true;
  return seconds() >= settings_.seconds;
}

std::vector<ValId> Search::suspects() const {
  std::vector<ValId> ids;
  const auto add = [&](const std::string& name) {
    for (const Val* val : best_.fusion->usedVals()) {
      if (val->name() == name && std::find(ids.begin(), ids.end(), val->id()) == ids.end()) ids.push_back(val->id());
    }
  };
  if (!finding_.wrongValue.empty()) add(finding_.wrongValue);
  const std::string& reason = finding_.reason;
  for (size_t i = 0; i < reason.size(); ++i) {
    if (reason[i] != '%') continue;
    size_t end = i + 1;
    while (end < reason.size() &&
           (std::isalnum(static_cast<unsigned char>(reason[end])) || reason[end] == '_' || reason[end] == '.')) {
      ++end;
    }
    while (end > i + 1 && reason[end - 1] == '.') --end;
    add(reason.substr(i + 1, end - i - 1));
  }
  for (const Val* output : best_.fusion->outputs()) add(output->name());
  return ids;
}

bool Search::attemptCase(const std::optional<Case>& candidate) {
  if (!candidate || isOver()) return false;
  std::string text = printCase(*candidate);
  if (!(weigh(*candidate, text.size()) < weight_)) return false;
  if (!seen_.insert(text).second) return false;
  const JudgedCase judged = judging_.judge(text);
  ++result_.tried;
  if (!isFinding(judged.kind)) return false;
  Bucket withoutStage = target_;
  withoutStage.stage.clear();
  Bucket bucket = judged.bucket;
  if (bucket == withoutStage && !target_.stage.empty()) bucket = judging_.bucket(text);
  if (bucket == target_) {
    accept(*candidate, std::move(text), judged);
    return true;
  }
  noteOther(text, bucket);
  return false;
}

bool Search::attempt(const Change& change) {
  const MakeRecipe plain = [](const Val* val, size_t, DataType dtype, const Dims&) {
    return plainRecipe(dtype, val->id());
  };
  bool recordedUsed = false;
  const MakeRecipe recorded = [&](const Val* val, size_t run, DataType dtype, const Dims& sizes) {
    Recipe recipe = plainRecipe(dtype, val->id());
    if (run >= recorded_.size()) return recipe;
    const auto found = recorded_[run].find(val->name());
    if (found == recorded_[run].end() || found->second.sizes != sizes || dtype != val->dtype()) return recipe;
    recipe.kind = RecipeKind::Values;
    recipe.values = found->second.values;
    recordedUsed = true;
    return recipe;
  };
  if (attemptCase(built([&] { return rebuild(best_, change, plain); }))) return true;
  if (change.asInputs.empty() || isOver()) return false;
  const std::optional<Case> withValues = built([&] { return rebuild(best_, change, recorded); });
  return recordedUsed && attemptCase(withValues);
}

bool Search::attempt(const EditCase& change) {
  return attemptCase(built([&] { return edited(best_, change); }));
}

std::optional<Case> Search::built(const std::function<std::optional<Case>()>& make) {
  try {
    return make();
  } catch (const CheckError& error) {
    CaseVerdict verdict;
    verdict.kind = VerdictKind::Check;
    verdict.reason = error.what();
    const Bucket bucket = bucketWithoutStage(verdict);
    const bool isNew = others_.insert(toString(bucket)).second && result_.others.size() < kMaxOthers;
    if (isNew) result_.others.push_back({bucket, text_, error.what()});
    return std::nullopt;
  }
}

void Search::accept(const Case& candidate, std::string text, const JudgedCase& judged) {
  // Made once more, values are numbered as the text has them, without gaps where builders put lines or literals in
  // between: by these numbers inputs are ordered and their data seeded, and whoever begins with the text gets the same.
  Case smaller = finish(caseEditOf(candidate));
  weight_ = weigh(candidate, text.size());
  text_ = std::move(text);
  best_ = std::move(smaller);
  finding_ = judged;
  writeBestSoFar(settings_, text_);
  if (!isLogged(settings_.log, LogLevel::Info)) return;
  char line[160];
  std::snprintf(line, sizeof line, "%6.1f s: %lld expressions, %lld inputs and outputs, %lld elements  (%s; %zu tried)",
                seconds(), static_cast<long long>(weight_[0]), static_cast<long long>(weight_[1]),
                static_cast<long long>(weight_[4]), std::string(reducer_).c_str(), judging_.judged());
  logLine(settings_.log, LogLevel::Info, line);
}

// The stage costs a few judgings: it is asked of the first finding that is told apart without it.
void Search::noteOther(const std::string& text, const Bucket& found) {
  if (!others_.insert(toString(found)).second || result_.others.size() >= kMaxOthers) return;
  const Bucket bucket = found.stage.empty() ? judging_.bucket(text) : found;
  const bool known =
      bucket == target_ || std::any_of(result_.others.begin(), result_.others.end(),
                                       [&](const OtherFinding& other) { return other.bucket == bucket; });
  if (!known) result_.others.push_back({bucket, text});
}

bool reduceChunks(Search& search, const std::function<size_t()>& count,
                  const std::function<std::optional<Change>(size_t first, size_t last)>& candidate) {
  bool progress = false;
  size_t size = count();
  while (size > 0 && !search.isOver()) {
    bool success = false;
    size_t end = count();
    while (end > 0 && !search.isOver()) {
      const size_t begin = end > size ? end - size : 0;
      const std::optional<Change> change = candidate(begin, end);
      success |= change && search.attempt(*change);
      end = std::min(begin, count());
    }
    progress |= success;
    size = success ? std::min(size, count()) : size / 2;
  }
  return progress;
}

void writeBestSoFar(const MinimizeSettings& settings, const std::string& text) {
  const bool fits = static_cast<int64_t>(text.size()) <= settings.maxBytes;
  if (!settings.bestSoFar.empty() && fits) reports::writeFile(settings.bestSoFar, text);
}

}  // namespace fuser::fuzz
