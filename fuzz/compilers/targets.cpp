#include "fuzz/compilers/targets.h"

#include <algorithm>
#include <cstdlib>

#include "fuser/support/check.h"
#include "fuser/support/similar_name.h"
#include "fuzz/export/embedded_files.h"

namespace fuser::fuzz {
namespace {

// The modules that workers import.
constexpr std::string_view kModules[] = {"worker_protocol", "onnx_models"};

// Runs a worker. Its text is an argument, and so are the modules' names and texts.
constexpr const char* kLaunch = R"(
import importlib.abc, importlib.util, sys
texts = {}
while (name := sys.argv.pop(1)) != "worker":
    texts[name] = sys.argv.pop(1)

class Embedded(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name in texts else None

    def exec_module(self, module):
        exec(compile(texts[module.__name__], module.__name__ + ".py", "exec"), vars(module))

sys.meta_path.insert(0, Embedded())
exec(compile(sys.argv.pop(1), "worker.py", "exec"))
)";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::span<const Target> allTargets() {
  static const std::vector<Target> targets = {
#define TARGET(name, environment, format, worker, views, every, examined, switches, tells, control, seconds, about) \
  {name,     environment,        format,       worker,  views,   every,                                             \
   examined, Switches::switches, Tells::tells, control, seconds, about},
#include "fuzz/compilers/target.def"
#undef TARGET
  };
  return targets;
}

Target targetNamed(std::string_view typed) {
  const std::string_view name = typed.substr(0, typed.find('@'));
  std::vector<std::string_view> names;
  for (const Target& target : allTargets()) {
    names.push_back(target.name);
    if (target.name != name) continue;
    Target found = target;
    if (name.size() < typed.size()) found.release = typed.substr(name.size() + 1);
    FUSER_USER_CHECK(name.size() == typed.size() || !found.release.empty(), "'", typed, "' names no release behind @");
    return found;
  }
  std::string known;
  for (std::string_view one : names) known += concat(known.empty() ? "" : ", ", one);
  throw UserError(concat("no target is called '", name, "'", didYouMean(name, names), "; there are: ", known));
}

std::string fullName(const Target& target) {
  return target.release.empty() ? std::string(target.name) : concat(target.name, "@", target.release);
}

std::string tellingTargets() {
  std::string names;
  for (const Target& target : allTargets()) {
    if (target.tells == Tells::Decisions) names += concat(names.empty() ? "" : ", ", target.name);
  }
  return names;
}

std::filesystem::path environmentOf(const Target& target) {
  const std::string cache = variable("XDG_CACHE_HOME");
  const std::filesystem::path folder = cache.empty() ? variable("HOME") + "/.cache" : cache;
  const std::string release = target.release.empty() ? "" : "@" + target.release;
  return folder / "fuser" / "compilers" / concat(target.environment, release);
}

std::string whyNotSetUp(const Target& target) {
  const std::filesystem::path environment = environmentOf(target);
  std::error_code error;
  if (std::filesystem::exists(environment / "recipe", error)) return "";
  return concat("the target ", fullName(target), " needs ", environment.string(),
                "; to make it, type: fuzz/compilers/setup ", target.environment, target.release.empty() ? "" : " ",
                target.release);
}

WorkerCommand pythonWorker(const std::string& python, std::string_view text, std::string_view view) {
  WorkerCommand command{{python, "-W", "ignore", "-c", kLaunch}, {}};
  for (const std::string_view name : kModules) {
    const std::string_view module = embeddedFile(concat("fuzz/compilers/", name, ".py"));
    command.arguments.insert(command.arguments.end(), {std::string(name), std::string(module)});
  }
  command.arguments.insert(command.arguments.end(), {"worker", std::string(text), std::string(view)});
  return command;
}

WorkerCommand commandOf(const Target& target, std::string_view view) {
  const std::filesystem::path environment = environmentOf(target);
  WorkerCommand command = pythonWorker((environment / "bin" / "python").string(), embeddedFile(target.worker), view);
  // One thread everywhere. What inductor compiles goes to a folder of its own, which keeps its precompiled header.
  command.variables = {{"OMP_NUM_THREADS", "1"},
                       {"TORCHINDUCTOR_COMPILE_THREADS", "1"},
                       {"TORCHINDUCTOR_CACHE_DIR", (environment / "inductor").string()},
                       {"PYTHONDONTWRITEBYTECODE", "1"}};
  return command;
}

std::vector<TargetView> viewsOf(const Target& target) {
  std::vector<TargetView> views;
  const auto add = [&](std::string_view names, uint64_t every) {
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find(','));
      views.push_back({std::string(name), commandOf(target, name), views.empty() ? 1 : every});
      names.remove_prefix(std::min(names.size(), name.size() + 1));
    }
  };
  add(target.views, target.every);
  add(target.examined, 0);
  return views;
}

}  // namespace fuser::fuzz
