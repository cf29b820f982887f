// The script of a case: its function, its runs, and what every script has.

#include "fuzz/export/pytorch.h"

#include <algorithm>
#include <map>
#include <set>

#include "fuser/case/aliases.h"
#include "fuser/case/functional_updates.h"
#include "fuser/evaluate/concrete_case.h"
#include "fuser/ir/branches.h"
#include "fuser/ir/updates.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/printer.h"
#include "fuzz/export/comments.h"
#include "fuzz/export/embedded_files.h"
#include "fuzz/export/pytorch_ops.h"
#include "fuzz/export/pytorch_runs.h"
#include "fuzz/export/script_parts.h"

namespace fuser::fuzz {
namespace {

constexpr std::string_view kImports = R"(import argparse
import sys
import zlib

import numpy as np
import torch
import torch.nn.functional as F


)";

// --- the head ---

std::string head(const Case& testCase) {
  std::string text = R"("""Exported by fuserfuzz: one fusion, its data, and each of its runs.

  python FILE                     prints dtype, shape, checksum and first elements of every output of every run
  python FILE --compile           compares them with torch.compile's, bit by bit
  python FILE --save out.npz      saves their bits
"""
)";
  for (const auto& [key, value] : testCase.metadata) text += commented(concat(key, ": ", value));
  return text + leftOutComment(testCase) + "\n";
}

// --- the function ---

// What stands behind the outputs in the functional form: inputs that updates write to, and that are not returned.
std::vector<Val*> writtenInputs(const Fusion& fusion) {
  std::vector<Val*> written;
  for (Val* input : fusion.inputs()) {
    if (input->isTensor() && !input->isFusionOutput() && isUpdated(fusion, input->as<TensorView>())) {
      written.push_back(input);
    }
  }
  return written;
}

class FunctionText {
 public:
  FunctionText(const Case& testCase, const PythonNames& names)
      : case_(testCase),
        fusion_(*testCase.fusion),
        names_(names),
        written_(fusion_),
        aliases_(aliasesIn(fusion_, testCase.aliases)) {}

  std::string write() {
    std::string text = concat("def fusion(", parameters(), "):\n", extents());
    for (const Expr* expr : fusion_.exprs()) {
      if (expr->family() == Family::Update) {
        text += updateLine(expr);
        continue;
      }
      const bool isOne = expr->outputs().size() == 1;  // several are new tensors, which share no memory
      text += concat("    ", results(expr), " = ", pytorchCall(expr, names_), isOne ? ownMemory(expr) : "", "  # ",
                     printType(expr->output(), written_), "\n");
    }
    text += copies() + stores();
    return text + concat("    return ", pythonTuple(outputs()), "\n\n\n");
  }

 private:
  // PyTorch refuses a source that overlaps what is written.
  std::string updateLine(const Expr* update) const {
    const auto* target = update->input(0)->as<TensorView>();
    const auto* source = update->input(1)->as<TensorView>();
    const bool overlaps = storageOf(target) == storageOf(source);
    return concat("    ", names_.of(target), ".copy_(", names_.of(source), overlaps ? ".clone()" : "", ")\n");
  }

  // What an update writes to, or an operand of whose memory it writes to, has memory of its own where fuser says so.
  std::string ownMemory(const Expr* expr) const {
    if (expr->isScalarExpr() || memoryOf(expr) == Memory::OfOperand) return "";
    const auto* result = expr->output()->as<TensorView>();
    if (isUpdated(fusion_, result)) return ".clone(memory_format=torch.contiguous_format)";
    const bool mayShare = !expr->inputs().empty() && expr->input(0)->isTensor() && mayReturnItsOperand(expr);
    return mayShare && isUpdated(fusion_, storageOf(expr->input(0)->as<TensorView>())) ? ".clone()" : "";
  }

  std::string parameters() const {
    std::string text;
    const auto add = [&](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
    for (const Val* input : fusion_.inputs()) add(names_.of(input));
    for (const PreallocatedOutput& given : case_.preallocated) add(memoryName(names_, outputNamed(given.output)));
    return text;
  }

  const Val* outputNamed(const std::string& name) const {
    return fusion_.outputs()[indexOfNamed(fusion_.outputs(), name)];
  }

  std::set<int64_t> symbolsUsed() const {
    std::set<int64_t> used;
    for (const Expr* expr : fusion_.exprs()) {
      for (IntExpr dim : expr->attributes().allIntegers()) {
        forEachSymbol(dim, [&](IntExpr symbol) { used.insert(symbol->value); });
      }
    }
    return used;
  }

  // "i0 = x.size(0)", for the extents that a line names.
  std::string extents() const {
    std::string text;
    std::set<int64_t> used = symbolsUsed();
    for (const Val* input : fusion_.inputs()) {
      if (input->isScalar()) continue;
      const std::vector<IterDomain*> axes = input->as<TensorView>()->axes();
      for (size_t axis = 0; axis < axes.size(); ++axis) {
        const IntExpr size = axes[axis]->size();
        if (!size->isSymbol() || fusion_.scalarOf(size) || used.erase(size->value) == 0) continue;
        text += concat("    ", names_.dim(size), " = ", names_.of(input), ".size(", axis, ")\n");
      }
    }
    return text;
  }

  std::string results(const Expr* expr) const {
    std::string text;
    for (const Val* result : expr->outputs()) text += (text.empty() ? "" : ", ") + names_.of(result);
    return text;
  }

  // Whether PyTorch may return its operand's memory: what computes nothing, of one tensor. (Some of these always copy,
  // where one more copy does no harm.)
  static bool mayReturnItsOperand(const Expr* expr) {
    const FamilyInfo& family = familyInfo(expr->family());
    return !expr->isScalarExpr() && family.coordinates != Coordinates::Reducing &&
           (family.operands == FamilyOperands::Tensor || family.copies == Copies::Cheap);
  }

  static const Val* memoryOwner(const Val* val) {
    while (val->definition() && mayReturnItsOperand(val->definition())) val = val->definition()->input(0);
    return val;
  }

  // Before inputs are overwritten, what may lie in their memory is copied.
  std::string copies() const {
    std::string text;
    std::set<const Val*> seen;
    for (const Val* output : fusion_.outputs()) {
      if (!output->isTensor() || !output->definition() || !seen.insert(output).second) continue;
      const Val* owner = memoryOwner(output);
      const auto overwrites = [&](const auto& alias) { return alias.second == owner; };
      if (std::none_of(aliases_.begin(), aliases_.end(), overwrites)) continue;
      text += concat("    ", names_.of(output), " = ", names_.of(output), ".clone()\n");
    }
    return text;
  }

  // Writes outputs to the memory of inputs, and to memory that the caller gives.
  std::string stores() {
    std::string text;
    const auto store = [&](const Val* output, const std::string& to) {
      text += concat("    ", to, ".copy_(", names_.of(output), ")\n");
      lies_[output] = to;
    };
    for (const auto& [index, input] : aliases_) store(fusion_.outputs()[index], names_.of(input));
    for (const PreallocatedOutput& given : case_.preallocated) {
      const Val* output = outputNamed(given.output);
      store(output, memoryName(names_, output));
    }
    return text;
  }

  std::vector<std::string> outputs() const {
    std::vector<std::string> entries;
    for (const Val* output : fusion_.outputs()) {
      const auto lies = lies_.find(output);
      const Scalar* scalar = output->isScalar() ? output->as<Scalar>() : nullptr;
      entries.push_back(lies != lies_.end()              ? lies->second
                        : scalar && scalar->isConstant() ? pythonLiteral(*scalar->constant())
                                                         : names_.of(output));
    }
    for (const Val* input : writtenInputs(fusion_)) entries.push_back(names_.of(input));
    return entries;
  }

  const Case& case_;
  const Fusion& fusion_;
  const PythonNames& names_;
  ValueNames written_;  // the names in the .fusion text, for types
  std::map<size_t, Val*> aliases_;
  std::map<const Val*, std::string> lies_;  // outputs in memory that is not their own
};

std::string outputNames(const Fusion& fusion, const PythonNames& names) {
  std::vector<std::string> entries;
  std::vector<Val*> outputs = fusion.outputs();
  const std::vector<Val*> written = writtenInputs(fusion);
  outputs.insert(outputs.end(), written.begin(), written.end());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = names.of(outputs[i]);
    entries.push_back(concat("\"", name.empty() ? concat("output_", i) : name, "\""));
  }
  return pythonTuple(entries);
}

Exported program(const Case& testCase) {
  const Fusion& fusion = *testCase.fusion;
  for (const Expr* expr : fusion.exprs()) {
    if (const std::optional<std::string_view> why = whyNotInPytorch(expr->op())) {
      return {{}, Refusal{std::string(expr->info().mnemonic), concat(expr->output()->dtype()), std::string(*why)}};
    }
  }
  const PythonNames names(fusion);
  const PytorchRuns runs = pytorchRuns(testCase, names);
  const std::string own = concat(FunctionText(testCase, names).write(), runs.functions,
                                 "OUTPUTS = ", outputNames(fusion, names), "\nRUNS = (", runs.names, ")\n");
  const std::string text = concat(head(testCase), kImports, own, "\n\n",
                                  partsThatAreNamed(embeddedFile("fuzz/export/pytorch_script.py"), own));
  const auto said = std::make_shared<Case>(functionalCase(testCase));
  return {{{".py", text, "", std::nullopt, said}}, std::nullopt};
}

// A program for each run, of the sides of branches that it takes: the other ones may not run with its data.
Exported programsOfSides(const Case& functional) {
  Exported exported;
  for (size_t i = 0; i < functional.runs.size(); ++i) {
    try {
      const RunData data = materialize(functional, functional.runs[i], kMaxExportBytes);
      Case testCase = concreteCase(functional, inputsOf(data));
      testCase.runs = {functional.runs[i]};
      Exported one = program(testCase);
      if (one.refusal) return one;
      one.programs.front().ending = concat(".run_", i, ".py");
      one.programs.front().run = i;
      exported.programs.push_back(std::move(one.programs.front()));
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);  // a run whose data does not fit has no program
    }
  }
  if (exported.programs.empty()) {
    exported.refusal =
        Refusal{"run", "no", "a program takes the sides of a run, and no run of the case fits its fusion"};
  }
  return exported;
}

}  // namespace

Exported exportToPytorch(const Case& testCase) {
  const Case functional = functionalCase(testCase);  // a UserError for updates that are refused
  return hasBranches(*testCase.fusion) ? programsOfSides(functional) : program(testCase);
}

}  // namespace fuser::fuzz
