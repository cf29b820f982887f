#pragma once
// The targets: other compilers, as rows of target.def.

#include <filesystem>
#include <span>
#include <string_view>

#include "fuzz/compilers/worker_process.h"

namespace fuser::fuzz {

struct Target {
  std::string_view name;         // "torch-compile"
  std::string_view environment;  // "torch": fuzz/compilers/setup makes it
  std::string_view format;       // "pytorch"
  std::string_view worker;       // the embedded Python program
  std::string_view mode;         // its argument
  std::string_view control;      // another target's name, or ""
  double seconds;                // the time limit of a program
  std::string_view about;
};

std::span<const Target> allTargets();
// A UserError names the targets that there are.
const Target& targetNamed(std::string_view name);

// Where fuzz/compilers/setup makes the environment: ~/.cache/fuser/compilers/torch, or below XDG_CACHE_HOME.
std::filesystem::path environmentOf(const Target& target);
// "" where the environment is complete; else a sentence that says what to type.
std::string whyNotSetUp(const Target& target);

// How its worker is started.
WorkerCommand commandOf(const Target& target);

}  // namespace fuser::fuzz
