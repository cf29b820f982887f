// PTX text -> Module, as text: an entry, functions that are called, and what every seed's kernels are made of.

#include <gtest/gtest.h>

#include <filesystem>

#include "fuser/ptx/module.h"
#include "fuser/support/check.h"
#include "tests/golden/golden_tests.h"

namespace fuser::ptx {
namespace {

std::string describe(const Variable& variable) {
  static constexpr const char* kSpaces[] = {"param", "global", "shared", "local", "const"};
  const std::string initial = variable.initial.empty() ? "" : concat(", ", variable.initial.size(), " of them given");
  return concat(kSpaces[static_cast<size_t>(variable.space)], " ", variable.name, ": ", variable.bytes, " bytes at ",
                variable.alignment, initial, "\n");
}

std::string describe(const Module& module) {
  std::string text = concat("target ", module.target, "\n");
  for (const Variable& variable : module.variables) text += describe(variable);
  for (const Function& function : module.functions) {
    text += concat(function.isEntry ? "entry " : "function ", function.name, ", ", function.results, " results, ",
                   function.parameters, " parameters, ", function.registers.size(), " registers");
    const auto& most = function.mostThreads;
    text += most[0] == 0 ? "\n" : concat(", threads ", most[0], " ", most[1], " ", most[2], "\n");
    for (const Variable& variable : function.variables) text += "  " + describe(variable);
    for (const Instruction& instruction : function.instructions) {
      text += concat("  ", instruction.line, ": ", instructionText(function, instruction));
      for (const Operand& operand : instruction.operands) {
        if (operand.kind == Operand::Kind::Label) text += concat("  -> ", operand.at);
      }
      text += instruction.cudaLine == 0 ? "\n" : concat("  // line ", instruction.cudaLine, "\n");
    }
  }
  return text;
}

const golden::Texts kParsed("tests/fuser/ptx/parse.txt", {}, [](const golden::Case& test) -> golden::Made {
  try {
    return describe(parsePtx(test.input, "kernel.ptx"));
  } catch (const UserError& error) {
    return std::string(error.what()) + "\n";
  }
});

}  // namespace
}  // namespace fuser::ptx
