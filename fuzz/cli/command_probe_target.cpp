// fuserfuzz probe-target: what another compiler takes of the liberties that its profile grants, and how far its
// functions are off.

#include <cmath>
#include <memory>

#include "fuser/ops/op_table.h"
#include "fuser/support/check.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "fuzz/compilers/measure_functions.h"
#include "fuzz/compilers/probe_target.h"

namespace fuser::fuzz {
namespace {

struct ProbeArguments {
  std::string target;
  std::vector<std::string> only;
  bool functions = false;
};

std::string_view wordFor(Shown shown) {
  switch (shown) {
    case Shown::Taken: return "taken";
    case Shown::NotTaken: return "not taken";
    case Shown::Neither: return "another result";
    case Shown::NotAnswered: return "not answered";
  }
  FUSER_CHECK(false, "bad Shown");
}

// As function_errors.def writes it.
std::string_view enumeratorOf(DataType dtype) {
  if (dtype == DataType::Double) return "Double";
  if (dtype == DataType::Float) return "Float";
  return dtype == DataType::Half ? "Half" : "BFloat16";
}

const LibertyRow* rowOf(const Target& target, bool oracle::Profile::*liberty) {
  for (const LibertyRow& row : libertyRows()) {
    if (row.target == target.name && row.liberty == liberty) return &row;
  }
  return nullptr;
}

// The number of liberties whose row is not what the target does.
int probeLiberties(const Target& target, WorkerProcess& worker) {
  int differing = 0;
  std::span<const Probe> probes = allProbes();
  while (!probes.empty()) {
    const Probe first = probes.front();
    bool isTaken = false, isOther = false;
    std::vector<std::string> lines;
    for (; !probes.empty() && probes.front().liberty == first.liberty; probes = probes.subspan(1)) {
      const ProbeResult result = probeTarget(target, worker, probes.front());
      isTaken = isTaken || result.shown == Shown::Taken;
      isOther = isOther || result.shown == Shown::Neither;
      lines.push_back(concat("    ", probes.front().program, ": ", wordFor(result.shown),
                             result.detail.empty() ? "" : ": ", result.detail));
    }
    const LibertyRow* row = rowOf(target, first.liberty);
    const bool isDocumented = row && row->basis == Basis::Documented;
    const bool differs = isOther || (isTaken != (row != nullptr) && !isDocumented);
    differing += differs;
    printLine(concat(first.liberties, ": ", isTaken ? "taken" : "not taken", differs ? ", which is not its row" : "",
                     "; row: ", row ? concat(isDocumented ? "documented: " : "", row->source) : "none"));
    for (const std::string& line : lines) printLine(line);
  }
  return differing;
}

// Rows for function_errors.def; the number of those whose error is larger than the file's.
int measureFunctions(const Target& target, WorkerProcess& worker, const std::set<OpKind>& only) {
  const oracle::Profile* profile = profileOf(target.name);
  int differing = 0;
  for (const OpKind op : measurableOps()) {
    if (!only.empty() && !only.contains(op)) continue;
    for (const DataType dtype : {DataType::Double, DataType::Float, DataType::Half, DataType::BFloat16}) {
      const Measurement measured = measureFunction(target, worker, op, dtype, profile && profile->flushToZero);
      if (!measured.error) {
        printLine(concat("// ", opName(op), " of ", dtype, ": ", measured.why));
        continue;
      }
      const oracle::FunctionError* row = profile ? oracle::errorOf(*profile, op, dtype) : nullptr;
      // The file has nine digits of the largest operand.
      const bool differs = row && (measured.error->ulps > row->ulps || measured.error->most < row->most * (1 - 1e-6));
      differing += differs;
      char figures[64];
      std::snprintf(figures, sizeof figures, "%.3g, %.9g", std::ceil(20 * measured.error->ulps) / 10,
                    measured.error->most);
      printLine(concat("FUNCTION(\"", target.name, "\", ", opName(op), ", ", enumeratorOf(dtype), ", ", figures, ")",
                       measured.why.empty() ? "" : concat("  // then ", measured.why),
                       differs ? concat("  // its row says ", row->ulps) : ""));
    }
  }
  return differing;
}

int probeCommand(const ProbeArguments& arguments) {
  const Target& target = targetNamed(arguments.target);
  const std::string why = whyNotSetUp(target);
  FUSER_SET_UP_CHECK(why.empty(), why);
  WorkerLimits limits;
  limits.seconds = target.seconds;
  WorkerProcess worker(viewsOf(target).front().command, limits);
  const int differing =
      arguments.functions ? measureFunctions(target, worker, opsNamed(arguments.only)) : probeLiberties(target, worker);
  printLine(concat(worker.version(), ": ", differing, " rows differ from what it does"));
  return differing ? kExitFinding : kExitClean;
}

}  // namespace

Command addProbeTargetCommand(CLI::App& app) {
  CLI::App* probe =
      app.add_subcommand("probe-target", "what another compiler does by right: hold its profile against it");
  const auto arguments = std::make_shared<ProbeArguments>();
  probe->add_option("target", arguments->target, "a target (fuserfuzz run --help lists them)")
      ->required()
      ->type_name("NAME");
  probe->add_flag(
      "--functions", arguments->functions,
      "measure its functions against MPFR, on 2^16 points each, and print rows of function_errors.def; minutes");
  probe->add_option("--only", arguments->only, "measure only these ops")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("OP,OP");
  probe->footer(R"(
Examples
  fuserfuzz probe-target xla-cpu                          a line a liberty: taken or not, and the row of profiles.def
  fuserfuzz probe-target onnxruntime --functions          a row a function and dtype
  fuserfuzz probe-target onnxruntime --functions --only exp,tanh

Exit codes
  0 each row is what the target does   1 usage or set-up   77 some row is not
)");
  return {probe, [arguments](const LogPtr&) { return probeCommand(*arguments); }};
}

}  // namespace fuser::fuzz
