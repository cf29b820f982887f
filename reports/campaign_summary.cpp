// Shares of a campaign, and its figures as text.

#include "reports/campaign_summary.h"

#include <algorithm>
#include <functional>
#include <iomanip>
#include <sstream>

#include "reports/buckets.h"

namespace reports {
double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string setUpProblem(const CampaignSummary& summary) {
  for (const Finding& finding : summary.findings) {
    if (finding.known.empty()) return "";
  }
  if (summary.judgedCases == 0)
    return "the campaign judged nothing: " + std::to_string(summary.cases) + " cases, none of them judged";
  std::string skipped = summary.compilers.skipped;
  if (skipped.empty()) return "";
  while (!skipped.empty() && (skipped.back() == ' ' || skipped.back() == ';')) skipped.pop_back();
  return "a check could not run: " + skipped + "; --no-compilers leaves it out";
}

std::string plantedFault(const CampaignSummary& summary) {
  for (const auto& [name, value] : summary.stamp) {
    if (name == kPlantedFault) return value;
  }
  return "";
}

double decidedShare(const Sums& sums) { return share(sums.elements.decided, sums.elements.judged); }
double decidedOutputShare(const Sums& sums) { return share(sums.outputs.decided, sums.outputs.judged); }
double decidedCaseShare(const Sums& sums) { return share(sums.decidedCases, sums.judgedCases); }
double rejectedShare(const Sums& sums) {
  const auto rejected = sums.verdicts.find("rejected");
  return rejected == sums.verdicts.end() ? 0 : share(rejected->second, sums.cases);
}
double casesPerSecond(const CampaignSummary& summary) {
  return summary.seconds > 0 ? static_cast<double>(summary.cases) / summary.seconds : 0;
}

std::string toLine(const CampaignSummary& summary) {
  const auto known = std::count_if(summary.findings.begin(), summary.findings.end(),
                                   [](const Finding& finding) { return !finding.known.empty(); });
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << "cases " << summary.cases << " in " << summary.seconds << " s ("
      << casesPerSecond(summary) << " a second); " << summary.findings.size()
      << (summary.findings.size() == 1 ? " finding" : " findings");
  if (known > 0) out << ", " << known << " of them known";
  if (!summary.findings.empty()) {
    const size_t buckets = bucketsOf(summary).size();
    out << " in " << buckets << (buckets == 1 ? " bucket" : " buckets");
  }
  out << "; " << 100 * decidedCaseShare(summary) << " % of cases decided";
  if (const std::string fault = plantedFault(summary); !fault.empty()) out << "; planted fault " << fault;
  return out.str();
}

std::string rareFeaturesLine(const CampaignSummary& summary) {
  std::multimap<double, std::string> rare;
  for (const auto& [name, feature] : summary.features) {
    const double part = share(feature.cases, summary.cases);
    if (part < kFewCases) rare.emplace(part, name);
  }
  if (rare.empty() || summary.cases == 0) return "";
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << "features of kernels in less than " << std::setprecision(0)
      << 100 * kFewCases << " % of the cases:" << std::setprecision(2);
  const char* between = " ";
  for (const auto& [part, name] : rare) {
    out << between << name << " " << 100 * part << " %";
    between = ", ";
  }
  return out.str();
}

std::string missingEdgesLine(const CampaignSummary& summary) {
  if (summary.cases == 0) return "";
  std::string missing;
  for (const auto& [kind, count] : summary.edges) {
    for (const auto& [side, runs] : sidesOf(count)) {
      if (runs == 0) missing += (missing.empty() ? " " : ", ") + kind + " " + side;
    }
  }
  return missing.empty() ? "" : "edges that no run met:" + missing;
}

std::string exactModeLines(const CampaignSummary& summary) {
  const ExactMode& exact = summary.exactMode;
  if (exact.cases == 0) return "";
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << "exact: " << 100 * share(exact.exactCases, exact.cases)
      << " % of cases, " << 100 * share(exact.exactRuns, exact.runs) << " % of runs, "
      << 100 * share(exact.exactOutputs, exact.outputs) << " % of outputs; of the cases "
      << 100 * share(exact.longCases, exact.exactCases) << " % with a reduction or a chain of views, median "
      << medianOf(exact.expressions) << " expressions";
  std::multimap<int64_t, std::string, std::greater<>> ends;
  for (const auto& [op, dtypes] : exact.ops) {
    for (const auto& [dtype, counts] : dtypes) {
      for (const auto& [why, count] : counts.stops) ends.emplace(count, op + " " + dtype + ": " + why);
    }
  }
  constexpr size_t kShown = 5;
  const char* between = "\nwhere it ends most often: ";
  size_t shown = 0;
  for (const auto& [count, where] : ends) {
    if (shown++ == kShown) break;
    out << between << where << " (" << count << ")";
    between = "; ";
  }
  return out.str();
}

std::string toText(const CampaignSummary& summary) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(4);
  out << "cases " << summary.cases << " (" << summary.runs << " runs) in " << std::setprecision(1) << summary.seconds
      << " s: " << casesPerSecond(summary) << " cases/s\n"
      << std::setprecision(4);
  out << "decided share of elements " << decidedShare(summary) << " (of outputs " << decidedOutputShare(summary)
      << "; within 2^-10 " << share(summary.elements.within10, summary.elements.judged) << ", 2^-12 "
      << share(summary.elements.within12, summary.elements.judged) << ", 2^-14 "
      << share(summary.elements.within14, summary.elements.judged) << "), of cases " << decidedCaseShare(summary)
      << "; elements judged " << summary.elements.judged << "; " << summary.probedCases << " cases with probes\n";
  const SecondLooks& looks = summary.secondLooks;
  out << "second looks: " << looks.twins << " runs in f64 (" << looks.twinsDecided << " agree, " << looks.ownSchedules
      << " with schedules of their own, " << looks.twinsRejected << " rejected); " << looks.probed
      << " decided runs with probes (" << looks.compared << " compared bit for bit), " << looks.viewed
      << " runs in views (" << looks.viewsCompared << " compared bit for bit); " << looks.otherBits
      << " runs with other bits when repeated (atomics), judged again\n";
  if (summary.slowCases > 0) {
    out << "slow cases " << summary.slowCases << ", the slowest took " << std::setprecision(1) << summary.slowestSeconds
        << " s\n"
        << std::setprecision(4);
  }
  out << "rejected share " << rejectedShare(summary) << "\n";
  for (const auto& [reason, count] : summary.rejectedByReason) out << "  " << count << " x " << reason << "\n";
  for (const auto& [reason, count] : summary.openByReason) out << "  " << count << " x " << reason << "\n";
  out << "verdicts:";
  for (const auto& [kind, count] : summary.verdicts) {
    if (count > 0) out << " " << kind << " " << count;
  }
  const char* between = "\ncases with ";
  for (const auto& [trait, row] : summary.traits) {
    out << between << trait << " " << row.cases;
    between = ", with ";
  }
  if (!summary.passes.empty()) out << "\ncases that a pass changed:" << std::setprecision(1);
  for (const auto& [pass, row] : summary.passes) {
    out << " " << pass << " " << 100 * share(row.cases, summary.cases) << "%";
  }
  if (!summary.decisions.empty()) out << "\ncases in which the segmenter decided:" << std::setprecision(1);
  const char* separator = " ";
  for (const auto& [decision, row] : summary.decisions) {
    out << separator << decision << " " << 100 * share(row.cases, summary.cases) << "%";
    separator = ", ";
  }
  if (!summary.features.empty())
    out << "\nfeatures of kernels: cases, median expressions of the segments (of the largest of each case):";
  for (const auto& [name, feature] : summary.features) {
    out << "\n  " << name << " " << 100 * share(feature.cases, summary.cases) << "% " << medianOf(feature.segments)
        << " (" << medianOf(feature.largest) << ")";
  }
  if (!summary.edges.empty())
    out << "\nsizes at edges of schedules: cases (runs below, at, above; cases out of reach):";
  for (const auto& [kind, count] : summary.edges) {
    out << "\n  " << kind << " " << count.cases << " (" << count.below << ", " << count.at << ", " << count.above
        << "; " << count.outOfReach << ")";
  }
  for (const auto& [reason, cases] : summary.noEdge) out << "\n  none, because " << reason << ": " << cases;
  if (const std::string exact = exactModeLines(summary); !exact.empty()) out << "\n" << exact;
  for (const auto& [name, cases] : summary.exactMode.special) out << "\n  drawn: " << name << ": " << cases;
  double total = 0;
  for (const auto& [stage, seconds] : summary.stageSeconds) total += seconds;
  out << "\ntime of the workers:" << std::setprecision(1);
  for (const auto& [stage, seconds] : summary.stageSeconds) {
    if (seconds >= total / 1000) out << " " << stage << " " << 100 * seconds / total << "%";
  }
  out << "\ncompilers: " << summary.compilers.cases << " cases on the cpu and ptx engines, "
      << summary.compilers.kernels << " kernels; " << summary.compilers.seconds << " s, of which clang "
      << summary.compilers.clangSeconds << " s, NVRTC " << summary.compilers.nvrtcSeconds << " s and running PTX "
      << summary.compilers.ptxSeconds << " s";
  if (summary.compilers.withoutRoom > 0) out << "; no room for " << summary.compilers.withoutRoom << " cases";
  if (!summary.compilers.skipped.empty()) out << "; without " << summary.compilers.skipped;
  out << "\n";
  if (!summary.neverGenerated.empty()) {
    out << "never generated:";
    for (const std::string& op : summary.neverGenerated) out << " " << op;
    out << "\n";
  }
  if (!summary.neverFused.empty()) {
    out << "generated, but never fused:";
    for (const std::string& op : summary.neverFused) out << " " << op;
    out << "\n";
  }
  return out.str();
}

}  // namespace reports
