// Which findings probably have one cause.

#include "fuzz/judge/bucket.h"

#include <cctype>
#include <functional>
#include <sstream>
#include <vector>

#include "fuser/analysis/compile_observer.h"
#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/passes/passes.h"
#include "fuser/text/option_table.h"
#include "fuser/text/transform_table.h"
#include "fuzz/judge/pattern.h"

namespace fuser::fuzz {
namespace {

std::string upTo(const std::string& text, const std::string& stops) {
  return text.substr(0, text.find_first_of(stops));
}

// "kernel k0_pointwise: out of bounds: element 3 of T1, …; block …" -> place pointwise, pattern "out of bounds".
void readViolation(const std::string& reason, Bucket& bucket) {
  std::string rest = reason;
  if (rest.rfind("kernel ", 0) == 0 && rest.find(": ") != std::string::npos) {
    const std::string name = rest.substr(7, rest.find(": ") - 7);
    if (name.find('_') != std::string::npos) bucket.place = name.substr(name.find('_') + 1);
    rest = rest.substr(rest.find(": ") + 2);
  }
  bucket.pattern = withoutNames(upTo(rest, ":;"));
}

// "fuser/lower/x.cpp:53: check failed: a == b: message; in: T9[0] = …" keeps its place, and no statement.
std::string patternOfCheck(const std::string& whole) {
  const std::string reason = whole.substr(0, whole.find("; in: "));
  const size_t colon = reason.find(".cpp:");
  if (colon == std::string::npos) return withoutNames(reason);
  const size_t end = reason.find(':', colon + 5);
  if (end == std::string::npos) return withoutNames(reason);
  return reason.substr(0, end) + withoutNames(std::string_view(reason).substr(end));
}

// A finding, looked for again in changed settings.
class Bisection {
 public:
  Bisection(const Case& testCase, const CaseVerdict& verdict, const JudgeSettings& settings)
      : case_(cloneCase(testCase)), kind_(verdict.kind), settings_(settings) {
    settings_.roundTrip = false;
    settings_.repeat = settings.repeat && verdict.kind == VerdictKind::Invariant;
    settings_.probes = verdict.seenIn == SeenIn::Probes;
    settings_.secondLooks = verdict.seenIn == SeenIn::Run ? HowOften::Never : HowOften::Always;
  }

  // The least limit with which the finding is there: doubled until it is, then halved.
  std::optional<GuiltyRewrite> guiltyRewrite() const {
    constexpr int64_t kMost = int64_t{1} << 20;
    const auto fails = [&](int64_t limit) {
      return !goesAway([&](Case& variant) { variant.options.passLimit = limit; });
    };
    if (fails(0)) return std::nullopt;
    int64_t good = 0, bad = 1;
    while (bad < kMost && !fails(bad)) {
      good = bad;
      bad *= 2;
    }
    if (bad >= kMost) return std::nullopt;
    while (bad - good > 1) {
      const int64_t middle = good + (bad - good) / 2;
      (fails(middle) ? bad : good) = middle;
    }
    return GuiltyRewrite{lastPass(bad), bad};
  }

  std::string stage() {
    if (const std::string pass = guiltyPass(); !pass.empty()) return pass;
    if (const std::string option = guiltyOption(); !option.empty()) return option;
    if (case_.schedule || !case_.segmentSchedules.empty()) {
      if (goesAway([](Case& variant) {
            variant.schedule.reset();
            variant.segmentSchedules.clear();
          })) {
        return "schedule" + guiltyTransform();
      }
    }
    const bool probes = case_.options.probes || settings_.probes;
    if (!probes && goesAway([](Case& variant) { variant.options.probes = true; })) return "fusing";
    return "kernel";
  }

 private:
  bool goesAway(const std::function<void(Case&)>& change) const {
    Case variant = cloneCase(case_);
    change(variant);
    return judgeCase(variant, settings_).kind != kind_;
  }

  // " split": the kind of the last step of a schedule without which nothing is wrong. Without some steps others make no
  // sense, and the case is rejected: that tells nothing.
  std::string guiltyTransform() const {
    const auto guilty = [&](const Schedule& schedule, const std::function<Schedule&(Case&)>& of) -> std::string {
      for (size_t step = schedule.size(); step-- > 0;) {
        Case variant = cloneCase(case_);
        of(variant).erase(of(variant).begin() + static_cast<std::ptrdiff_t>(step));
        if (judgeCase(variant, settings_).kind <= VerdictKind::Undecided)
          return concat(" ", text::transformForm(schedule[step].kind).name);
      }
      return "";
    };
    std::string found;
    if (case_.schedule) found = guilty(*case_.schedule, [](Case& variant) -> Schedule& { return *variant.schedule; });
    for (const auto& [segment, schedule] : case_.segmentSchedules) {
      if (!found.empty()) break;
      found =
          guilty(schedule, [key = segment](Case& variant) -> Schedule& { return variant.segmentSchedules.at(key); });
    }
    return found;
  }

  // The pass that threw within the limit, or made the last rewrite; empty: none.
  std::string lastPass(int64_t limit) const {
    struct Applications : CompileObserver {
      void beforeApplication(std::string_view pass, const Fusion&) override {
        noteThrow();
        running = pass;
      }
      void afterApplication(std::string_view pass, Fusion&, bool& modified) override {
        running.clear();
        if (modified) last = pass;
      }
      void noteThrow() {
        if (threw.empty()) threw = running;
      }
      std::string running, threw, last;
    };
    Case variant = cloneCase(case_);
    variant.options.passLimit = limit;
    JudgeSettings watched = settings_;
    Applications applications;
    watched.observers.push_back(&applications);
    judgeCase(variant, watched);
    applications.noteThrow();
    return applications.threw.empty() ? applications.last : applications.threw;
  }

  // Those of the host program, the last one first: what one works on, those before it made. They have nothing to do
  // without streams and devices; there is no program of a device without LowerReshardingsPass.
  std::vector<std::string_view> passes() const {
    std::vector<std::string_view> names;
    for (const PassInfo& pass : allPasses()) names.push_back(pass.name);
    const std::span<const std::string_view> host = allHostPasses();
    if (case_.fusion->hasStreams() || case_.fusion->hasDevices()) names.insert(names.end(), host.rbegin(), host.rend());
    if (case_.fusion->hasDevices()) std::erase(names, LowerReshardingsPass::name());
    return names;
  }

  std::string guiltyPass() const {
    const auto off = [](std::string_view name) {
      return [name](Case& variant) { variant.options.disabledPasses.emplace(name); };
    };
    const std::vector<std::string_view> names = passes();
    // One judging where it is no pass, as mostly.
    const bool together = goesAway([&](Case& variant) {
      for (std::string_view name : names) off(name)(variant);
    });
    if (!together) return "";
    for (std::string_view name : names) {
      if (goesAway(off(name))) return concat("pass ", name);
    }
    const std::optional<GuiltyRewrite> rewrite = guiltyRewrite();
    return rewrite && !rewrite->pass.empty() ? concat("pass ", rewrite->pass) : "passes";
  }

  std::string guiltyOption() const {
    const CompileOptions usual;
    for (const OptionInfo& option : optionTable()) {
      if (option.get(case_.options) == option.get(usual)) continue;
      if (goesAway([&](Case& variant) { option.set(variant.options, option.get(usual)); })) {
        return concat("option ", option.name);
      }
    }
    return "";
  }

  const Case case_;
  const VerdictKind kind_;
  JudgeSettings settings_;
};

// The function of a frame, without arguments of templates and parameters: "fuser::IntExpr fuser::bound<int>(int) at …"
// -> "fuser::bound". Its name is the first word with a parameter list; what stands before is a return type. Without
// any, it is the first word.
std::string functionOf(const std::string& frame) {
  std::string word, first;
  int depth = 0;  // of <…> and (…)
  for (size_t i = 0; i < frame.size(); ++i) {
    const char c = frame[i];
    if (depth == 0 && word.ends_with("operator") && std::string_view("<>=-").find(c) != std::string_view::npos)
      continue;
    if (depth == 0 && c == '(' && word != "decltype") return word;
    if (depth == 0 && c == ' ') {
      if (word.ends_with("operator")) return word;  // of a conversion
      if (first.empty()) first = word;
      word.clear();
      continue;
    }
    if (c == '<' || c == '(') ++depth;
    if (depth == 0) word += c;
    if (c == '>' || c == ')') --depth;
  }
  return first;
}

// The function where it is ours: "fuser::lower(…) at fuser/lower/lower.cpp:30" -> "fuser::lower"; empty for those of
// others, whatever of ours their arguments name.
std::string ourFunction(std::string frame) {
  for (const std::string noise : {"(anonymous namespace)::", "(inlined by) "}) {
    for (size_t at = frame.find(noise); at != std::string::npos; at = frame.find(noise)) frame.erase(at, noise.size());
  }
  const std::string function = functionOf(frame);
  for (const char* root : {"fuser::", "oracle::", "reference::", "reports::"}) {
    if (function.rfind(root, 0) == 0) return function;
  }
  return "";
}

}  // namespace

std::string toString(const Bucket& bucket) {
  std::string text = bucket.kind;
  for (const std::string* part : {&bucket.stage, &bucket.place, &bucket.pattern}) {
    text += " | " + (part->empty() ? std::string("-") : *part);
  }
  return text;
}

bool isSplit(std::string_view kind) {
  return kind == verdictName(VerdictKind::Differs) || kind == verdictName(VerdictKind::Violation);
}

std::string nameOfMinimized(const Bucket& bucket, const std::string& guiltyOp, const std::string& structure) {
  if (!isSplit(bucket.kind)) return concat(bucket.kind, " | ", bucket.pattern);
  std::string text = toString(bucket);
  for (const std::string* part : {&guiltyOp, &structure}) text += " | " + (part->empty() ? std::string("-") : *part);
  return text;
}

std::string stageOfTarget(std::string_view target) { return std::string(target.substr(0, target.find('@'))); }

Bucket bucketWithoutStage(const CaseVerdict& verdict) {
  Bucket bucket;
  bucket.kind = verdictName(verdict.kind);
  switch (verdict.kind) {
    case VerdictKind::Differs:
      bucket.place = verdict.place;
      bucket.pattern = verdict.pattern;
      break;
    case VerdictKind::Violation: readViolation(verdict.reason, bucket); break;
    case VerdictKind::Check:
      bucket.place = verdict.place;
      bucket.pattern = patternOfCheck(verdict.reason);
      break;
    case VerdictKind::Hang:
    case VerdictKind::Crash:
      bucket.place = verdict.place;
      bucket.pattern = withoutNames(verdict.reason);
      break;
    case VerdictKind::Agrees:
    case VerdictKind::Undecided:
    case VerdictKind::Unsupported:
    case VerdictKind::Rejected:
    case VerdictKind::Invariant:
    case VerdictKind::OutOfMemory: bucket.pattern = withoutNames(verdict.reason); break;
  }
  return bucket;
}

Bucket bucketOf(const Case& testCase, const CaseVerdict& verdict, const JudgeSettings& settings) {
  Bucket bucket = bucketWithoutStage(verdict);
  if (isFinding(verdict.kind) && !testCase.runs.empty()) {
    // What is guilty in another compiler is not known.
    bucket.stage =
        settings.target ? stageOfTarget(settings.target->name()) : Bisection(testCase, verdict, settings).stage();
  }
  return bucket;
}

std::optional<GuiltyRewrite> guiltyRewrite(const Case& testCase, const CaseVerdict& verdict,
                                           const JudgeSettings& settings) {
  if (!isFinding(verdict.kind) || testCase.runs.empty() || testCase.options.passLimit) return std::nullopt;
  return Bisection(testCase, verdict, settings).guiltyRewrite();
}

std::string toString(const GuiltyRewrite& rewrite) {
  return concat(rewrite.pass.empty() ? "a pass" : rewrite.pass, ", rewrite ", rewrite.number,
                ": the finding is gone with pass_limit = ", rewrite.number - 1, " and there with ", rewrite.number);
}

Bucket bucketOfEnding(VerdictKind kind, const std::string& detail) {
  Bucket bucket;
  bucket.kind = verdictName(kind);
  std::istringstream lines(detail);
  std::string line;
  std::vector<std::string> frames;  // the innermost first
  while (std::getline(lines, line)) {
    const std::string function = ourFunction(line);
    // A hang is not told by the frames of the harness around it, nor by those of the cache of programs: of several slow
    // runs, in which it is interrupted is chance. A crash may be the harness' own, but for its handler's.
    const bool harness = function.starts_with("fuser::fuzz::") || function.starts_with("fuser::FusionExecutorCache::");
    const bool handler = function.find("writeStack") != std::string::npos;
    if (!function.empty() && !handler && (kind == VerdictKind::Crash || !harness)) frames.push_back(function);
  }
  if (kind == VerdictKind::Crash) {
    constexpr size_t kInnermost = 3;
    bucket.pattern = withoutNames(upTo(detail, "\n"));
    for (size_t i = 0; i < frames.size() && i < kInnermost; ++i) bucket.pattern += " < " + frames[i];
    return bucket;
  }
  // Where a hang is interrupted, and what an allocation fails in, is chance: the outer frames are not. (The first line
  // says how long, how much: the limit, not the cause.)
  constexpr size_t kOutermost = 4;
  for (size_t i = 0; i < frames.size() && i < kOutermost; ++i) {
    bucket.pattern += (i == 0 ? "" : " > ") + frames[frames.size() - 1 - i];
  }
  return bucket;
}

}  // namespace fuser::fuzz
