#include "tests/reports/samples/summaries.h"

namespace reports_test {

using reports::CampaignSummary;
using reports::Finding;
using reports::GraphNode;
using reports::SegmentGraph;

namespace {

SegmentGraph picture(const std::string& text) {
  SegmentGraph graph;
  graph.nodes = {
      {GraphNode::Kind::Input, text + "%x", {}},
      {GraphNode::Kind::Segment,
       "segment 0: PointWise" + text,
       {{"%c" + text, "%c = cast(%x) {dtype = f16} : f16[i0]" + text, true}, {"%d", "%d = neg(%c) : f16[i0]", false}}},
      {GraphNode::Kind::Segment, "segment 1: Reduction", {{"%s", "%s = sum(%d) {dims = [0]} : f16[]", false}}},
      {GraphNode::Kind::Output, "%s", {}}};
  graph.edges = {{0, 1, "%x" + text, "f32[i0]" + text}, {1, 2, "%d", "f16[i0]"}, {2, 3, "%s", "f16[]"}};
  return graph;
}

Finding finding(const std::string& bucket, const std::string& text, int number) {
  Finding finding;
  finding.kind = "differs" + text;
  finding.bucket = bucket;
  finding.symptom = bucket;
  finding.placedBy = "its symptom" + text;
  finding.title = "cast is wrong in 3 of 4 elements" + text;
  finding.guiltyOp = "Cast" + text;
  finding.structure = "Cast Neg Sum" + text;
  finding.reason = "cast %c: 3 elements outside" + text;
  finding.detail = "differs\n  %c[0] is 0.5, accepted [0.24, 0.26]\n" + text;
  finding.foundSeconds = 5 * number;
  finding.file = "mismatch-" + std::to_string(number) + ".fusion" + text;
  finding.origin = "seed 7 case " + std::to_string(number) + text;
  finding.replay = "fuserfuzz replay out/mismatch-" + std::to_string(number) + ".fusion" + text;
  finding.minimize = "fuserfuzz minimize out/mismatch-" + std::to_string(number) + ".fusion" + text;
  finding.reproduces = "fails fresh" + text;
  return finding;
}

void addFindings(CampaignSummary& summary, const std::string& text) {
  const std::string cast = "differs | pass ConsecutiveCastPass | Cast | Cast" + text;
  summary.findings.push_back(finding("crash | lower | reduction | stack" + text, text, 1));
  summary.findings.push_back(finding(cast, text, 2));
  summary.findings.push_back(finding(cast, text, 3));
  summary.findings.push_back(finding("check | known" + text, text, 4));
  summary.findings.back().known = "erf near 0" + text;
  reports::MinimizedFinding& minimized = summary.minimized.emplace_back();
  summary.findings[2].placedBy = reports::kItsSmallestCase;
  minimized.bucket = cast;
  minimized.symptom = summary.findings[2].symptom;
  minimized.finding = summary.findings[2].file;
  minimized.file = "minimized-from-3.fusion" + text;
  minimized.title = "cast has or lacks NaN in 1 of 1 element" + text;
  minimized.reason = "cast %c: 1 element outside" + text;
  minimized.detail = "differs\n  %c[0] is nan, accepted [0.5, 0.5]\n" + text;
  minimized.guiltyOp = minimized.structure = "Cast" + text;
  minimized.replay = "fuserfuzz replay out/minimized-from-3.fusion" + text;
  minimized.text =
      "#: source = a book\nfusion f(%x: f32[i0]) {\n  %c = cast(%x) {dtype = f16}\n  return %c\n}\n" + text;
  minimized.picture = picture(text);
  minimized.exprsBefore = 21;
  minimized.exprsAfter = 3;
  minimized.seconds = 4.25;
  reports::MinimizedFinding& failed = summary.minimized.emplace_back();
  failed.bucket = "crash | lower | reduction | stack" + text;
  failed.symptom = summary.findings[0].symptom;
  failed.finding = summary.findings[0].file;
  failed.problem = "it does not reproduce alone" + text;
  failed.picture.problem = "the compiler crashes" + text;
}

}  // namespace

CampaignSummary hostileSummary(const std::string& text) {
  CampaignSummary summary;
  summary.stamp = {{"version", "0.1" + text}, {"libtorch" + text, "2.11"}};
  summary.seed = 7;
  summary.started = "2026-01-31T22:00:00Z" + text;
  summary.jobs = 2;
  summary.seconds = 40;
  summary.exitCode = 77;
  summary.cases = 2000;
  summary.runs = 2400;
  summary.verdicts = {{"agrees", 1800}, {"differs", 4}, {"rejected", 100}, {"undecided", 96}};
  summary.rejectedByReason = {{"axis # differs" + text, 90}, {"too large", 10}};
  summary.openByReason = {{"unsupported: no kernel: Abs of i8" + text, 4}};
  summary.judgedCases = 1900;
  summary.decidedCases = 1804;
  summary.probedCases = 120;
  summary.elements = {1000000, 990000};
  summary.outputs = {300000, 290000};
  summary.ops["add" + text] = {900, {5000, 4950}};
  summary.ops["sum"] = {300, {800, 700}};
  summary.ops["size"] = {12, {}};
  summary.dtypes = {{"f16", {700, {}}}, {"f32", {1500, {}}}};
  summary.ranks = {{"0", {100, {}}}, {"2", {1200, {}}}};
  summary.schedulers = {{"PointWise", {1700, {}}}, {"Reduction", {400, {}}}};
  summary.passes = {{"DeadCodePass" + text, {80, {}}}, {"RemoveEmptyPass", {0, {}}}};
  summary.traits = {{"streams" + text, {3, {}}}, {"aliases", {0, {}}}};
  summary.decisions = {{"forwarded" + text, {70, {}}}, {"narrowed", {0, {}}}};
  summary.opCoverage["add" + text]["f32" + text]["PointWise" + text] = 1234;
  summary.opCoverage["add" + text]["f16"]["PointWise" + text] = 9;
  summary.opCoverage["sum"]["f16"]["Reduction"] = 300;
  summary.combinations["add" + text]["f32"]["5" + text] = 3;
  summary.neverDrawn = {"pad f32 rank 5" + text};
  summary.cells["layout"]["add" + text]["permuted"] = 2;
  summary.neverInCell = {"add: layout with gaps" + text};
  summary.seldomDrawn = {"add: layout permuted (2)" + text};
  summary.neverGenerated = {"atan2" + text};
  summary.neverFused = {"size" + text};
  summary.margins["add" + text] = {900, 50, 20, 10, 5, 5, 4, 3, 2, 1};
  summary.margins["sum"] = {10, 9, 8, 7, 6, 5, 40, 30, 20, 100};
  summary.progress = {{10, 500, 0, 8, 0}, {20, 1000, 2, 8, 0}, {30, 1500, 4, 8, 0}, {40, 2000, 4, 8, 20}};
  summary.stageSeconds = {{"compile" + text, 30}, {"judge", 20}, {"run", 10}};
  summary.compilers = {64, 200, 12.5, 8, 4, 0.5, "nvrtc: not here" + text};
  summary.views["transposed" + text] = {
      "inputs with other strides" + text, 10, {{"agrees", 180}, {"differs" + text, 1}}, 300, 420};
  summary.costs = {
      40,
      1000,
      {{"PointWise" + text, {39, 60, 61, 2500, 1200, 1100, 0, 0}}, {"Reduction", {7, 7, 7, 1300, 900, 800, 12, 345}}}};
  summary.exactMode = {10, 8, 12, 9, 30, 25, 5, {{7, 5}, {9, 3}}, {{"16 bits" + text, 4}}, {}};
  summary.exactMode.ops["Mul" + text]["f16" + text] = {20, 2, {{"the product is too wide" + text, 3}}};
  summary.neverExact = {"Gcd" + text};
  summary.edges = {{"block" + text, {31, 12, 9, 14, 3}}, {"grid limit" + text, {}}};
  summary.noEdge = {{"no edge is in reach" + text, 7}};
  summary.features = {{"grid barrier" + text, {12, {{1, 4}, {5, 9}, {8, 2}}, {{8, 12}}}},
                      {"unrolled loop", {1600, {{3, 2000}}, {}}},
                      {"workspace", {}}};
  summary.corpus = {{"corpus/a.fusion" + text, "agrees", "", ""},
                    {"corpus/b.fusion", "rejected" + text, "does not parse" + text, ""}};
  addFindings(summary, text);
  summary.findings[0].sequenceFile = "crash-1.sequence" + text;
  summary.findings[0].programFile = "crash-1.py" + text;
  summary.pages[summary.findings[1].bucket] = "minimized-from-3.html" + text;
  summary.files = {"campaign.log", "crash-1.sequence" + text, "minimized-from-3.fusion" + text};
  return summary;
}

CampaignSummary fullSummary() { return hostileSummary(""); }

}  // namespace reports_test
