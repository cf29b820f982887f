#include "fuzz/cli/comparison.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "reports/fields_sum.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kLegend =
    "Verdicts are the oracle's on this engine's results, and exact: bits that must be the interpreter's (ops that "
    "agree\n"
    "to the bit on every engine, from equal operands; a NaN stands for every NaN). Other: library functions, unless "
    "the\n"
    "engine calls the interpreter's, as cpu does, and maxima and minima, whose zeros may have either sign: judged by "
    "the\n"
    "oracle's intervals alone; equal bits are counted for information.\n";

std::string share(int64_t part, int64_t whole) {
  if (whole == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.4f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

constexpr const char* kLegendOfFunctions =
    "Library functions that were stored, of operands with the interpreter's bits: how far their results are from the\n"
    "interpreter's; 1 is the next number of the dtype. Column: the error that the op's row allows either of them, in\n"
    "ulps of the dtype that computes, so that the distance may be twice as large; steps: a formula of functions that\n"
    "have columns of their own, whose errors may grow where it cancels.\n";

// The results of all rows together.
std::map<std::string, FunctionResults> functionsOf(const Comparison& comparison) {
  std::map<std::string, FunctionResults> functions;
  for (const ComparisonRow& row : comparison.rows) reports::addTo(functions, row.bits.functions);
  return functions;
}

std::string tableOf(const std::map<std::string, FunctionResults>& functions) {
  std::ostringstream out;
  out << "| function | elements | equal | largest distance | column |\n|---|---|---|---|---|\n";
  for (const auto& [key, results] : functions) {
    out << "| " << key << " | " << results.elements << " | " << share(results.equal, results.elements) << " | "
        << results.distance << " | " << results.column << " |\n";
  }
  out << "\n" << kLegendOfFunctions;
  return out.str();
}

}  // namespace

ComparisonRow& Comparison::row(const std::string& set) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const ComparisonRow& row) { return row.set == set; });
  if (found != rows.end()) return *found;
  rows.push_back({set, {}, 0, 0, {}});
  return rows.back();
}

void Comparison::add(const std::string& set, const std::string& origin, const ComparedCase& compared) {
  ComparisonRow& counts = row(set);
  const CaseVerdict& verdict = compared.verdict;
  ++counts.verdicts[verdict.kind];
  counts.judged += verdict.elements.judged;
  counts.decided += verdict.elements.decided;
  reports::addTo(counts.bits, compared.bits);
  judgedCases += verdict.kind != VerdictKind::Unsupported;
  if (isFinding(verdict.kind) || !verdict.expected)
    findings.push_back({origin, concat(verdictName(verdict.kind), ": ", verdict.reason)});
}

std::string toMarkdown(const Comparison& comparison, const std::string& engine) {
  std::ostringstream out;
  out << "| cases | " << engine
      << ": agree | undecided | unsupported | rejected | findings | elements judged | decided |"
      << " exact: elements | equal | other: elements | equal |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const ComparisonRow& row : comparison.rows) {
    const auto count = [&](VerdictKind kind) { return row.verdicts.count(kind) ? row.verdicts.at(kind) : 0; };
    int64_t cases = 0, findings = 0;
    for (const auto& [kind, number] : row.verdicts) {
      cases += number;
      if (isFinding(kind)) findings += number;
    }
    out << "| " << row.set << ": " << cases << " | " << count(VerdictKind::Agrees) << " | "
        << count(VerdictKind::Undecided) << " | " << count(VerdictKind::Unsupported) << " | "
        << count(VerdictKind::Rejected) << " | " << findings << " | " << row.judged << " | "
        << share(row.decided, row.judged) << " | " << row.bits.exact << " | "
        << share(row.bits.exactEqual, row.bits.exact) << " | " << row.bits.others << " | "
        << share(row.bits.othersEqual, row.bits.others) << " |\n";
  }
  out << "\n" << kLegend;
  const std::map<std::string, FunctionResults> functions = functionsOf(comparison);
  if (!functions.empty()) out << "\n" << tableOf(functions);
  if (comparison.casesLeftOut > 0) out << "\n" << comparison.casesLeftOut << " cases did not run: the time was over.\n";
  if (!comparison.findings.empty()) out << "\nFindings:\n\n";
  for (const ComparisonFinding& finding : comparison.findings)
    out << "- " << finding.origin << ": " << finding.reason << "\n";
  return out.str();
}

std::string toText(const PtxWork& work, double seconds) {
  const auto of = [&](double part) { return seconds > 0 ? std::lround(100 * part / seconds) : 0; };
  std::ostringstream out;
  out << work.compiled << " kernels compiled";
  if (work.fromStore > 0) out << " (" << work.fromStore << " by earlier runs)";
  out << ", " << work.kernels.size() << " distinct by their PTX, of " << work.opcodes.size() << " opcodes with types; "
      << work.launches << " launches. Of the time of all processes, " << std::lround(seconds) << " s: NVRTC "
      << of(work.compileSeconds) << " %, reading PTX " << of(work.parseSeconds) << " %, executing it "
      << of(work.runSeconds) << " %, drawing, interpreting and judging "
      << of(seconds - work.compileSeconds - work.parseSeconds - work.runSeconds) << " %.\n";
  return out.str();
}

}  // namespace fuser::fuzz
