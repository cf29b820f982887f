#include "fuzz/cli/arguments.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <random>

#include "fuser/command_line/numbers.h"
#include "fuser/ops/op_table.h"
#include "fuser/support/check.h"
#include "fuser/support/diagnostic.h"
#include "fuser/support/set_up_error.h"
#include "fuser/support/similar_name.h"
#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/compilers/exact_mode.h"
#include "fuzz/compilers/liberties.h"
#include "fuzz/compilers/profiles.h"
#include "fuzz/compilers/target_judge.h"
#include "fuzz/faults/faults.h"
#include "fuzz/worlds/world.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kGroup = "Which cases";

constexpr uint64_t kMostElements = uint64_t{1} << 30;
constexpr uint64_t kMostMegabytes = uint64_t{1} << 40;

volatile std::sig_atomic_t interrupts = 0;

volatile std::sig_atomic_t statusRequests = 0;

void onInterrupt(int) {
  if (interrupts) _exit(kExitInterrupted);
  interrupts = 1;
}

// A terminal that goes away says so more than once: no person asks for haste by that.
void onHangUp(int) { interrupts = 1; }

void onStatusRequest(int) { statusRequests = 1; }

std::vector<std::string_view> mnemonics() {
  std::vector<std::string_view> names;
  for (OpKind op : kAllOps) names.push_back(opInfo(op).mnemonic);
  return names;
}

// Of "add, sum" the second is " sum".
std::string withoutBlanks(const std::string& name) {
  const size_t first = name.find_first_not_of(' ');
  return first == name.npos ? "" : name.substr(first, name.find_last_not_of(' ') + 1 - first);
}

// "add,sum" or "div:rounding_mode = trunc"; a mnemonic alone means all its rows.
std::set<OpKind> parseOps(const std::vector<std::string>& names) {
  std::set<OpKind> ops;
  for (const std::string& typed : names) {
    const std::string name = withoutBlanks(typed);
    bool found = false;
    for (OpKind op : kAllOps) {
      if (opInfo(op).mnemonic != name && opInfo(op).name != name) continue;
      ops.insert(op);
      found = true;
    }
    FUSER_USER_CHECK(found, "no op is called '", name, "'", didYouMean(name, mnemonics()),
                     "; fuserfuzz --list-ops prints all");
  }
  return ops;
}

std::set<DataType> parseDtypes(const std::vector<std::string>& names) {
  std::string all;
  for (const DataType dtype : kAllDataTypes) all += concat(all.empty() ? "" : ", ", dtype);
  std::set<DataType> dtypes;
  for (const std::string& typed : names) {
    const std::optional<DataType> dtype = dtypeFromName(withoutBlanks(typed));
    FUSER_USER_CHECK(dtype, "--seldom: no dtype is called '", typed, "'; there are ", all);
    dtypes.insert(*dtype);
  }
  return dtypes;
}

// Each parses: a campaign would say it of every second case otherwise. `leftOut` says how many do not.
std::vector<std::string> textsOfParents(const std::vector<std::string>& paths, std::string& leftOut) {
  std::vector<std::string> texts;
  std::string firstError;
  const std::vector<std::filesystem::path> files = fusionFiles({paths.begin(), paths.end()});
  FUSER_USER_CHECK(!files.empty(), "--parents: there is no .fusion file in ", paths.front());
  for (const std::filesystem::path& file : files) {
    std::string text = readFusionFile(file.string());
    try {
      parseCase(text, file.string());
      texts.push_back(std::move(text));
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      if (firstError.empty()) firstError = error.what();
    }
  }
  FUSER_USER_CHECK(!texts.empty(), "--parents: no file parses: ", firstError);
  const size_t unread = files.size() - texts.size();
  if (unread > 0) {
    leftOut = concat("--parents: ", unread, " of ", files.size(),
                     " files are left out, as they do not parse: ", firstError.substr(0, firstError.find('\n')),
                     unread > 1 ? "; …" : "");
  }
  return texts;
}

}  // namespace

void GeneratorArguments::addTo(CLI::App* app) {
  takesCount(app->add_option("--seed", seed, "seed of all cases; 0 draws a random one and prints it first"), 0,
             std::numeric_limits<uint64_t>::max())
      ->type_name("N")
      ->group(kGroup)
      ->capture_default_str();
  app->add_option("--only", only, "draw only these ops: mnemonics, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)  // what follows a space is an argument of its own
      ->type_name("OP,OP")
      ->group(kGroup);
  app->add_option("--exclude", exclude, "never draw these ops")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("OP,OP")
      ->group(kGroup);
  app->add_option("--favour", favour,
                  "half of the draws of an op are of these: mnemonics; 'products' and 'names': half of the cases have "
                  "products of matrices, or softmaxes, norms, sorts, pools and other names that are made of ops")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("OP,OP")
      ->group(kGroup);
  app->add_option("--seldom", seldom, "draw these dtypes a fiftieth as often: dtypes, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("DTYPE,DTYPE")
      ->group(kGroup);
  takesCount(app->add_option("--median-elements", options.medianElements, "of a case's main shape"), 1, kMostElements)
      ->type_name("N")
      ->group(kGroup)
      ->capture_default_str();
  takesCount(app->add_option("--max-elements", options.maxElements, "of one tensor"), 1, kMostElements)
      ->type_name("N")
      ->group(kGroup)
      ->capture_default_str();
  app->add_flag("--no-swarm", noSwarm,
                "all ops and the usual dtypes in each case, in place of a drawn part of them with drawn weights")
      ->group(kGroup);
  app->add_flag("--exact-data", options.exactData,
                "small whole numbers as data, powers of two as literals, and what compilers treat as special: most "
                "results are "
                "then exact in any order")
      ->group(kGroup);
}

void GeneratorArguments::addParentsTo(CLI::App* app) {
  app->add_option(
         "--parents", parents,
         "file or folder of cases; may be repeated: half of the cases are then mutants of these, by one to four "
         "changes")
      ->allow_extra_args(false)
      ->type_name("PATH")
      ->group(kGroup);
}

void GeneratorArguments::addWorldTo(CLI::App* app) {
  app->add_option("--world", world,
                  "the cases of a small world instead, by number: three, or words such as 'depth=2 ops=relu,add "
                  "dtypes=f32 ranks=0,1' (fuserfuzz enumerate)")
      ->type_name("WORDS")
      ->group(kGroup);
}

void GeneratorArguments::addFaultTo(CLI::App* app) {
  app->add_option("--fault", options.fault, "plant this bug in every generated case (fuserfuzz selftest --list)")
      ->type_name("NAME")
      ->group(kGroup);
}

std::set<OpKind> opsNamed(const std::vector<std::string>& names) { return parseOps(names); }

void GeneratorArguments::resolve() {
  const bool usual = options.medianElements == GeneratorOptions().medianElements;
  FUSER_USER_CHECK(usual || options.medianElements <= options.maxElements, "--median-elements ", options.medianElements,
                   " is above --max-elements ", options.maxElements);
  if (!options.fault.empty()) plantFault(options.fault);  // a UserError if there is none of that name
  if (!parents.empty())
    options.parents = std::make_shared<const std::vector<std::string>>(textsOfParents(parents, leftOut));
  options.swarm = !noSwarm;
  options.only = parseOps(only);
  options.exclude = parseOps(exclude);
  options.seldom = parseDtypes(seldom);
  resolveFavour();
  FUSER_USER_CHECK(options.only.empty() || !std::includes(options.exclude.begin(), options.exclude.end(),
                                                          options.only.begin(), options.only.end()),
                   "--exclude removes every op that --only allows");
  // Room for some tensors of the largest size.
  options.maxCaseElements = std::max(options.maxCaseElements, 4 * options.maxElements);
  if (seed == 0) seed = std::random_device{}() | 1u;
  if (!world.empty()) {
    WorldOptions small = worldOptions(world);
    small.seed = seed;
    options.world = std::make_shared<const World>(std::move(small));
  }
}

void GeneratorArguments::resolveFavour() {
  std::vector<std::string> ops;
  for (const std::string& name : favour) {
    const std::string word = withoutBlanks(name);
    options.favourProducts |= word == "products";
    options.favourNames |= word == "names";
    if (word != "products" && word != "names") ops.push_back(name);
  }
  options.favour = parseOps(ops);
}

std::vector<std::string> GeneratorArguments::flags() const {
  const GeneratorOptions usual;
  std::vector<std::string> flags;
  const auto list = [&](const char* flag, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::string joined;
    for (const std::string& name : names) joined += (joined.empty() ? "" : ",") + name;
    flags.insert(flags.end(), {flag, joined});
  };
  const auto number = [&](const char* flag, int64_t value, int64_t usually) {
    if (value != usually) flags.insert(flags.end(), {flag, std::to_string(value)});
  };
  list("--only", only);
  list("--exclude", exclude);
  list("--favour", favour);
  list("--seldom", seldom);
  number("--median-elements", options.medianElements, usual.medianElements);
  number("--max-elements", options.maxElements, usual.maxElements);
  if (options.exactData) flags.emplace_back("--exact-data");
  if (noSwarm) flags.emplace_back("--no-swarm");
  if (!world.empty()) flags.insert(flags.end(), {"--world", world});
  for (const std::string& path : parents) flags.insert(flags.end(), {"--parents", std::filesystem::absolute(path)});
  if (!options.fault.empty()) flags.insert(flags.end(), {"--fault", options.fault});
  return flags;
}

void WorkerArguments::addTo(CLI::App* app) {
  constexpr const char* kGroup = "Workers";
  takesCount(app->add_option("--jobs,-j", jobs, "worker processes"), 1, 1024)
      ->type_name("N")
      ->group(kGroup)
      ->capture_default_str();
  takesSeconds(
      app->add_option("--timeout", limits.seconds, "time limit of a case: 60, 2m; a case that exceeds it is a finding"),
      0.01, 1e6)
      ->type_name("SECONDS")
      ->group(kGroup)
      ->capture_default_str();
  takesCount(app->add_option("--rss-limit-mb", limits.residentMb,
                             "memory limit of a worker (resident size); a case that exceeds it is a finding"),
             1, kMostMegabytes)
      ->type_name("N")
      ->group(kGroup)
      ->capture_default_str();
}

void TargetArguments::addTo(CLI::App* app) {
  std::string names;
  for (const Target& one : allTargets()) names += concat(names.empty() ? "" : ", ", one.name);
  app->add_option(
         "--target", target,
         concat("judge another compiler than fuser: ", names,
                "; NAME@RELEASE is another release of it. Cases are exported, run by it, and judged where each "
                "value is exact (fuzz/README.md)"))
      ->type_name("NAME");
}

void TargetArguments::resolve(JudgeSettings& judge, Limits& limits, JudgingMode mode) const {
  if (target.empty()) return;
  const Target named = targetNamed(target);
  WorkerLimits ofTarget;
  ofTarget.seconds = named.seconds;
  ofTarget.residentMb = limits.residentMb;
  judge.target = makeTargetJudge(named, ofTarget, mode);
  // Our process waits for those of all views and for the control's.
  const auto processes = static_cast<double>(viewsOf(named).size() + 1);
  limits.seconds = std::max(limits.seconds, processes * (ofTarget.startSeconds + ofTarget.seconds) + Limits().seconds);
}

const oracle::Profile& TargetArguments::profile() const {
  const oracle::Profile* profile = target.empty() ? nullptr : profileOf(target);
  FUSER_USER_CHECK(profile, "--mixed-data needs a --target with a profile, which ",
                   target.empty() ? "our own compiler" : target,
                   " has not; profiles are rows of fuzz/compilers/profiles.def");
  return *profile;
}

void GeneratorArguments::drawUnder(const std::string& target, const oracle::Profile& profile) {
  if (seldom.empty()) {
    for (const DataType dtype : floatsHeldOtherwise(targetNamed(target).name)) seldom.emplace_back(dtypeName(dtype));
  }
  if (!only.empty()) return;
  for (const OpKind op : judgedOps(profile)) only.emplace_back(opName(op));
}

void GeneratorArguments::drawExactly() {
  options.exactData = true;
  if (!only.empty()) return;
  // By their names: a mnemonic may have other rows.
  for (const OpKind op : exactOps()) only.emplace_back(opName(op));
}

void addNoProbes(CLI::App* app, bool& noProbes) {
  app->add_flag("--no-probes", noProbes, "do not judge cases again with each op by itself");
}

void watchInterrupts() {
  std::signal(SIGINT, onInterrupt);
  std::signal(SIGTERM, onInterrupt);
  if (std::signal(SIGHUP, onHangUp) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
}

void watchStatusRequests() { std::signal(SIGUSR1, onStatusRequest); }

bool statusRequested() {
  const bool requested = statusRequests != 0;
  statusRequests = 0;
  return requested;
}

bool interrupted() { return interrupts != 0; }

std::string runningProgram() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "fuserfuzz" : path.string();
}

void printLine(const std::string& line) {
  std::puts(withoutControls(line).c_str());
  std::fflush(stdout);
}

void printText(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace fuser::fuzz
