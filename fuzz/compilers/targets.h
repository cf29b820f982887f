#pragma once
// The targets: other compilers, as rows of target.def.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/compilers/worker_process.h"

namespace fuser::fuzz {

enum class Switches : uint8_t { Rules, Operators, Options };  // of a worker: target.def
enum class Tells : uint8_t { Nothing, Decisions };            // the same

struct Target {
  std::string_view name;         // "torch-compile"
  std::string_view environment;  // "torch": fuzz/compilers/setup makes it
  std::string_view format;       // "pytorch"
  std::string_view worker;       // the embedded Python program
  std::string_view views;        // its argument, separated by commas: the main view first
  uint64_t every;                // the other views see one case in so many
  std::string_view examined;     // views of findings alone
  Switches switches;
  Tells tells;
  std::string_view control;      // another target's name, or ""
  double seconds;                // the time limit of a program
  std::string_view about;
  std::string release = "";  // "1.31.0": another one than requirements.txt pins, in an environment of its own
};

// Cases that a campaign judges at once: their programs are under way at the same time, and a worker that can compiles
// them in one.
inline constexpr uint64_t kCasesAtOnce = 8;

std::span<const Target> allTargets();
// Of "xla-cpu", or with a release "xla-cpu@0.9.0". A UserError names the targets that there are.
Target targetNamed(std::string_view name);
std::string fullName(const Target& target);  // "xla-cpu@0.9.0"
std::string tellingTargets();                // those that tell decisions: "torch-compile, onnxruntime, …"

// Where fuzz/compilers/setup makes the environment: ~/.cache/fuser/compilers/torch, or below XDG_CACHE_HOME. That of a
// release is torch@2.10.0.
std::filesystem::path environmentOf(const Target& target);
// "" where the environment is complete; else a sentence that says what to type.
std::string whyNotSetUp(const Target& target);

// How a worker is started: its text, with the modules that workers import (worker_protocol.py, onnx_models.py).
WorkerCommand pythonWorker(const std::string& python, std::string_view text, std::string_view view);
// How the worker of a view is started.
WorkerCommand commandOf(const Target& target, std::string_view view);

// A way through a target.
struct TargetView {
  std::string name;
  WorkerCommand command;
  uint64_t every = 1;  // sees one case in so many; 0: only what is wrong in another one
};
// The main view is the first one.
std::vector<TargetView> viewsOf(const Target& target);

}  // namespace fuser::fuzz
