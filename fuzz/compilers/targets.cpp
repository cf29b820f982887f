#include "fuzz/compilers/targets.h"

#include <cstdlib>

#include "fuser/support/check.h"
#include "fuser/support/similar_name.h"
#include "fuzz/export/embedded_files.h"

namespace fuser::fuzz {
namespace {

constexpr Target kTargets[] = {
#define TARGET(name, environment, format, worker, mode, control, seconds, about) \
  {name, environment, format, worker, mode, control, seconds, about},
#include "fuzz/compilers/target.def"
#undef TARGET
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::span<const Target> allTargets() { return kTargets; }

const Target& targetNamed(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Target& target : kTargets) {
    if (target.name == name) return target;
    names.push_back(target.name);
  }
  std::string known;
  for (std::string_view one : names) known += concat(known.empty() ? "" : ", ", one);
  throw UserError(concat("no target is called '", name, "'", didYouMean(name, names), "; there are: ", known));
}

std::filesystem::path environmentOf(const Target& target) {
  const std::string cache = variable("XDG_CACHE_HOME");
  const std::filesystem::path folder = cache.empty() ? variable("HOME") + "/.cache" : cache;
  return folder / "fuser" / "compilers" / target.environment;
}

std::string whyNotSetUp(const Target& target) {
  const std::filesystem::path environment = environmentOf(target);
  std::error_code error;
  if (std::filesystem::exists(environment / "recipe", error)) return "";
  return concat("the target ", target.name, " needs ", environment.string(),
                "; to make it, type: fuzz/compilers/setup ", target.environment);
}

WorkerCommand commandOf(const Target& target) {
  const std::filesystem::path environment = environmentOf(target);
  WorkerCommand command;
  command.arguments = {(environment / "bin" / "python").string(),
                       "-W",
                       "ignore",
                       "-c",
                       std::string(embeddedFile(target.worker)),
                       std::string(target.mode)};
  // One thread everywhere. What inductor compiles goes to a folder of its own, which keeps its precompiled header.
  command.variables = {{"OMP_NUM_THREADS", "1"},
                       {"TORCHINDUCTOR_COMPILE_THREADS", "1"},
                       {"TORCHINDUCTOR_CACHE_DIR", (environment / "inductor").string()},
                       {"PYTHONDONTWRITEBYTECODE", "1"}};
  return command;
}

}  // namespace fuser::fuzz
