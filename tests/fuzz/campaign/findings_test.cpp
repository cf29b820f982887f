// What happens to a finding: its label, its files, their limits.

#include "fuzz/campaign/findings.h"

#include <signal.h>

#include <algorithm>
#include <memory>

#include "fuser/kernel/text.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/campaign/sha1.h"
#include "fuzz/edges/at_an_edge.h"
#include "fuzz/views/views.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

class FindingsTest : public CampaignFolder {
 protected:
  // A compiler that fails as `fails` says, which sees each compilation in its own process.
  CampaignOptions faulty(uint64_t runs, std::function<bool(const Fusion&)> fails) {
    CampaignOptions campaign = options(runs);
    campaign.out = folder_ / "out";
    campaign.jobs = 1;
    campaign.task.judge.probes = false;
    campaign.task.judge.observers = {&failing_};
    failing_.fails = std::move(fails);
    return campaign;
  }
  // The same, but it looks at the program that is compiled: passes cut, too.
  CampaignOptions faultyBeforePasses(uint64_t runs, std::function<bool(const Fusion&)> fails) {
    failing_.early = true;
    return faulty(runs, std::move(fails));
  }

  struct Failing : CompileObserver {
    void beforePasses(Fusion& fusion) override { FUSER_CHECK(!early || !fails(fusion), "planted"); }
    void afterSegment(std::unique_ptr<SegmentedFusion>& segmented) override {
      FUSER_CHECK(early || !fails(segmented->completeFusion()), "planted");
    }
    std::function<bool(const Fusion&)> fails;
    bool early = false;
  };
  Failing failing_;
  std::vector<std::string> log_;
  Log keep_ = [this](const std::string& line) { log_.push_back(line); };
};

// In order.
std::vector<std::string> namesIn(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool has(const Fusion& fusion, OpKind op) {
  const auto exprs = fusion.exprs();
  return std::any_of(exprs.begin(), exprs.end(), [&](const Expr* expr) { return expr->op() == op; });
}

TEST_F(FindingsTest, ACaseThatFailsAloneIsReproducible) {
  CampaignOptions campaign = faulty(0, [](const Fusion& fusion) { return has(fusion, OpKind::Exp); });
  campaign.runs = 1;
  campaign.task.generator.exclude = {OpKind::Exp};
  campaign.corpora = {file("right.fusion", kRight)};
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  ASSERT_EQ(summary.findings.size(), 1u);
  EXPECT_EQ(summary.findings[0].kind, "check");
  EXPECT_EQ(summary.findings[0].reproduces, "fails fresh");
  EXPECT_EQ(exitCode(summary), kExitFinding);
  // The file says what found it, and parses.
  const std::string text = readTextFile((campaign.out / summary.findings[0].file).string());
  EXPECT_NE(text.find("#: finding = check: "), std::string::npos) << text;
  EXPECT_NE(text.find("; libtorch 2.11"), std::string::npos) << text;
  EXPECT_EQ(replay({campaign.out / summary.findings[0].file}, {}, kSilent), kExitClean);
}

// A case that fails only in a process that has compiled an exp before: the shortest history is that one case.
TEST_F(FindingsTest, ACaseThatFailsAfterItsHistoryIsASequence) {
  const auto sawExp = std::make_shared<bool>(false);  // after a fork, in each process its own
  CampaignOptions campaign = faulty(0, [sawExp](const Fusion& fusion) {
    const bool bad = *sawExp && has(fusion, OpKind::Neg);
    *sawExp = *sawExp || has(fusion, OpKind::Exp);
    return bad;
  });
  campaign.task.generator.only = {OpKind::Add};
  campaign.runs = 1;
  const std::string plain =
      "\nfusion f(%x: f32[i0]) {\n  %y = abs(%x)\n  return %y\n}\n"
      "run { %x = normal(seed = 1) : f32[4] }\n";
  const std::string fails =
      "\nfusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\n"
      "run { %x = normal(seed = 1) : f32[4] }\n";
  campaign.corpora = {file("1.fusion", plain), file("2.fusion", plain), file("3.fusion", kRight),
                      file("4.fusion", plain), file("5.fusion", plain), file("6.fusion", fails)};
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  ASSERT_EQ(summary.findings.size(), 1u);
  const reports::Finding& finding = summary.findings[0];
  EXPECT_EQ(finding.reproduces, "fails only after its history");
  // exp, then neg.
  const std::filesystem::path sequence =
      std::filesystem::path(campaign.out / finding.file).replace_extension(".sequence");
  ASSERT_TRUE(std::filesystem::exists(sequence));
  EXPECT_NE(finding.replay.find("replay --sequence "), std::string::npos) << finding.replay;
  const std::string text = readTextFile(sequence.string());
  EXPECT_NE(text.find("exp("), std::string::npos);
  EXPECT_NE(text.find("neg("), std::string::npos);
  EXPECT_EQ(text.find("abs("), std::string::npos) << text;
  // It fails as a sequence, and its last case does not fail alone.
  ReplayOptions replays;
  replays.judge = campaign.task.judge;
  EXPECT_EQ(replaySequence(sequence, replays, kSilent), kExitFinding);
  EXPECT_EQ(replay({campaign.out / finding.file}, replays, kSilent), kExitClean);
}

TEST_F(FindingsTest, AnIntermittentFailureIsFlakyWithItsRate) {
  // Every seventh compilation of the neg fails, over all processes: a file counts.
  const std::filesystem::path counter = file("counter", "");
  CampaignOptions campaign = faulty(0, [counter](const Fusion& fusion) {
    if (!has(fusion, OpKind::Neg)) return false;
    std::ofstream(counter, std::ios::app) << 'x';
    return std::filesystem::file_size(counter) % 7 == 1;
  });
  campaign.task.generator.only = {OpKind::Add};
  campaign.runs = 1;
  campaign.corpora = {file("a.fusion",
                           "\nfusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\n"
                           "run { %x = normal(seed = 1) : f32[4] }\n")};
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  ASSERT_EQ(summary.findings.size(), 1u);
  EXPECT_EQ(summary.findings[0].reproduces.rfind("flaky: ", 0), 0u) << summary.findings[0].reproduces;
  EXPECT_NE(summary.findings[0].reproduces, "flaky: 0 of 10");
  EXPECT_NE(summary.findings[0].reproduces, "flaky: 10 of 10");
  EXPECT_EQ(summary.findings[0].file.rfind("flaky-", 0), 0u);
}

TEST_F(FindingsTest, AWorkerKilledFromOutsideIsNoFinding) {
  const std::filesystem::path mark = folder_ / "killed";
  CampaignOptions campaign = faulty(5, [mark](const Fusion&) {
    if (!std::filesystem::exists(mark)) {
      std::ofstream(mark) << "x";
      raise(SIGKILL);
    }
    return false;
  });
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  EXPECT_EQ(summary.cases, 5);
  EXPECT_TRUE(summary.findings.empty());
  EXPECT_TRUE(std::any_of(log_.begin(), log_.end(), [](const std::string& line) {
    return line.find("was killed from outside; it runs again alone") != std::string::npos;
  }));
}

TEST_F(FindingsTest, ACrashHasItsStackAndItsText) {
  CampaignOptions campaign = faulty(1, [](const Fusion& fusion) -> bool {
    if (has(fusion, OpKind::Exp)) raise(SIGSEGV);
    return false;
  });
  campaign.task.generator.only = {OpKind::Add};
  campaign.corpora = {file("right.fusion", kRight)};
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  ASSERT_EQ(summary.findings.size(), 1u);
  EXPECT_EQ(summary.findings[0].kind, "crash");
  EXPECT_EQ(summary.findings[0].reproduces, "fails fresh");
  EXPECT_NE(summary.findings[0].detail.find("findings_test.cpp"), std::string::npos) << summary.findings[0].detail;
  EXPECT_NE(readTextFile((campaign.out / summary.findings[0].file).string()).find("exp(%x)"), std::string::npos);
  // What it had is covered, though its process could not say.
  ASSERT_TRUE(summary.ops.count("Exp"));
  EXPECT_EQ(summary.ops.at("Exp").cases, 1);
  EXPECT_EQ(summary.ops.at("Exp").verdicts.at("crash"), 1);
  EXPECT_EQ(summary.ops.at("Exp").known, 0);
  EXPECT_EQ(summary.dtypes.at("f32").verdicts.at("crash"), 1);
  EXPECT_EQ(summary.ranks.at("1").verdicts.at("crash"), 1);
  EXPECT_EQ(std::count(summary.neverGenerated.begin(), summary.neverGenerated.end(), "Exp"), 0);
}

TEST_F(FindingsTest, AKnownFindingIsCounted) {
  CampaignOptions campaign = faulty(1, [](const Fusion& fusion) { return has(fusion, OpKind::Exp); });
  campaign.task.generator.only = {OpKind::Add};
  campaign.corpora = {file("right.fusion", kRight)};
  campaign.knownIssues = {{"check | *", "why", ""}};
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  EXPECT_EQ(summary.findings.at(0).known, "why");
  EXPECT_EQ(summary.ops.at("Exp").known, 1);
  EXPECT_EQ(summary.ops.at("Exp").cases, 1);
  EXPECT_EQ(summary.dtypes.at("f32").known, 1);
  EXPECT_EQ(summary.ranks.at("1").known, 1);
  EXPECT_EQ(summary.ops.at("Add").known, 0);
}

// The first case of seed 1 that is judged in the view, and has a place for it.
uint64_t firstSeenIn(const std::string& view, const GeneratorOptions& generator) {
  for (uint64_t number = 0; number < 5000; ++number) {
    const std::optional<uint64_t> draw = viewDraw(viewOfName(view), 1, number);
    if (draw && viewOf(viewOfName(view), campaignCase(1, number, generator), *draw)) return number;
  }
  throw std::runtime_error("no case is judged in the view " + view);
}

bool isCut(const Fusion& fusion) { return has(fusion, OpKind::SegmentSet); }

class ViewFindingsTest : public FindingsTest {
 protected:
  // Up to the first case with a cut, which none but views make ("io to lower precision" says by one where it rounds);
  // the finding must be of that.
  reports::Finding onlyFinding(CampaignOptions& campaign) {
    campaign.task.generator.exclude = {OpKind::SegmentSet};
    const uint64_t number = firstSeenIn("one cut", campaign.task.generator);
    campaign.runs = number + 1;
    const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
    for (const reports::Finding& finding : summary.findings) {
      if (finding.origin == concat("seed 1 case ", number, " in the view 'one cut'")) return finding;
      const bool isOfCuts = finding.origin.ends_with(" in the view 'cut at every op'") ||
                            finding.origin.ends_with(" in the view 'io to lower precision'");
      EXPECT_TRUE(isOfCuts) << finding.origin;
    }
    ADD_FAILURE() << "no finding of the view";
    return {};
  }
  void expectTheView(const CampaignOptions& campaign, const reports::Finding& finding) {
    EXPECT_EQ(finding.reproduces, "fails fresh");
    const std::string text = readTextFile((campaign.out / finding.file).string());
    EXPECT_NE(text.find("#: view = one cut\n"), std::string::npos) << text;
    EXPECT_NE(text.find("segment_set("), std::string::npos) << text;
  }
};

TEST_F(ViewFindingsTest, AFindingOfAViewIsTheCaseInThatView) {
  CampaignOptions campaign = faultyBeforePasses(1, isCut);
  const reports::Finding finding = onlyFinding(campaign);
  expectTheView(campaign, finding);
  EXPECT_EQ(finding.bucket.rfind("check | kernel | - | ", 0), 0u) << finding.bucket;
  ReplayOptions replays;
  replays.judge = campaign.task.judge;
  EXPECT_EQ(replay({campaign.out / finding.file}, replays, kSilent), kExitFinding);
}

TEST_F(ViewFindingsTest, ACrashInAViewIsTheCaseInThatView) {
  const auto crashes = [](const Fusion& fusion) -> bool {
    if (isCut(fusion)) raise(SIGSEGV);
    return false;
  };
  CampaignOptions campaign = faultyBeforePasses(1, crashes);
  const reports::Finding finding = onlyFinding(campaign);
  EXPECT_EQ(finding.kind, "crash");
  expectTheView(campaign, finding);
}

TEST_F(ViewFindingsTest, WithoutAFileTheReplayLineNamesTheView) {
  CampaignOptions campaign = faultyBeforePasses(1, isCut);
  campaign.out.clear();
  const reports::Finding finding = onlyFinding(campaign);
  EXPECT_NE(finding.replay.find(" --view 'one cut' "), std::string::npos) << finding.replay;
}

// Mismatches that fail by chance are still told apart by where and what.
TEST_F(FindingsTest, AFlakyMismatchHasItsPlaceAndItsPattern) {
  const std::filesystem::path counter = file("counter", "");
  CampaignOptions campaign = faulty(1, [](const Fusion&) { return false; });
  campaign.task.generator.only = {OpKind::Add};
  AfterLower emptying([counter](int, Kernel& kernel) {
    if (printKernel(kernel).find("Exp") == std::string::npos) return;
    std::ofstream(counter, std::ios::app) << 'x';
    if (std::filesystem::file_size(counter) % 7 == 1) kernel.body.clear();
  });
  campaign.task.judge.observers = {&emptying};
  campaign.task.judge.checkInvariants = false;  // one compiles again, and sees another kernel
  campaign.corpora = {file("right.fusion", kRight)};
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  ASSERT_EQ(summary.findings.size(), 1u);
  EXPECT_EQ(summary.findings[0].reproduces.rfind("flaky: ", 0), 0u) << summary.findings[0].reproduces;
  EXPECT_EQ(summary.findings[0].bucket, "differs | - | pointwise | nan");
}

TEST_F(FindingsTest, ASlowCaseIsStoredAndCountedAndIsNoFinding) {
  CampaignOptions campaign = options(1);
  campaign.compilers = false;
  campaign.jobs = 1;
  campaign.out = folder_ / "out";
  campaign.corpora = {file("right.fusion", kRight)};
  campaign.task.slowSeconds = 1e-6;
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  EXPECT_EQ(summary.slowCases, 2);
  EXPECT_GT(summary.slowestSeconds, 0);
  EXPECT_TRUE(summary.findings.empty());
  EXPECT_EQ(exitCode(summary), kExitClean);
  const std::filesystem::path kept =
      campaign.out / ("slow-unit-" + sha1(printCase(parseCase(kRight, "right"))) + ".fusion");
  ASSERT_TRUE(std::filesystem::exists(kept));
  EXPECT_NE(readTextFile(kept.string()).find("#: took = "), std::string::npos);
  EXPECT_EQ(printCase(parseCase(kRight, "right")), [&] {
    const std::string text = readTextFile(kept.string());
    return text.substr(text.find("\nfusion ") + 1);
  }());
}

TEST_F(FindingsTest, NoCaseIsSlowByDefaultHere) {
  CampaignOptions campaign = options(2);
  campaign.compilers = false;
  campaign.out = folder_ / "out";
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  EXPECT_EQ(summary.slowCases, 0);
  for (const auto& entry : std::filesystem::directory_iterator(campaign.out))
    EXPECT_NE(entry.path().extension(), ".fusion") << entry.path();
}

TEST_F(FindingsTest, ABucketKeepsTenArtifacts) {
  CampaignOptions campaign = faulty(0, [](const Fusion& fusion) { return has(fusion, OpKind::Exp); });
  campaign.runs = 1;
  campaign.task.generator.only = {OpKind::Add};
  std::filesystem::create_directories(folder_ / "corpus");
  for (int i = 0; i < 14; ++i)
    file("corpus/" + std::to_string(i) + ".fusion", "#: number = " + std::to_string(i) + kRight);
  campaign.corpora = {folder_ / "corpus"};
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  EXPECT_EQ(summary.findings.size(), 14u);
  EXPECT_EQ(std::count_if(summary.findings.begin(), summary.findings.end(),
                          [](const reports::Finding& finding) { return !finding.file.empty(); }),
            Findings::kArtifactsPerBucket);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(campaign.out)) {
    files += entry.path().extension() == ".fusion";
  }
  EXPECT_EQ(files, Findings::kArtifactsPerBucket);
}

TEST_F(FindingsTest, BeyondTheCapFindingsAreInTheLedgerAlone) {
  CampaignOptions campaign = faulty(1, [](const Fusion& fusion) { return has(fusion, OpKind::Exp); });
  campaign.task.generator.only = {OpKind::Add};
  campaign.corpora = {file("a.fusion", kRight), file("b.fusion", std::string("#: b = 1") + kRight)};
  campaign.maxArtifactBytes = 700;
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  ASSERT_EQ(summary.findings.size(), 2u);
  EXPECT_NE(summary.findings[0].file, "");
  EXPECT_EQ(summary.findings[1].file, "");
  EXPECT_TRUE(std::any_of(log_.begin(), log_.end(),
                          [](const std::string& line) { return line.find("--max-artifact-mb") != std::string::npos; }));
}

TEST_F(FindingsTest, AnInterruptedConfirmationIsResumed) {
  CampaignOptions campaign = faulty(1, [](const Fusion& fusion) { return has(fusion, OpKind::Exp); });
  campaign.task.generator.only = {OpKind::Add};
  campaign.corpora = {file("right.fusion", kRight)};
  bool found = false;
  const reports::CampaignSummary first = runCampaign(
      campaign, [&] { return found; },
      [&](const std::string& line) { found = found || line.rfind("found check", 0) == 0; });
  ASSERT_EQ(first.findings.size(), 1u);
  EXPECT_EQ(first.findings[0].reproduces, "not run again yet");
  EXPECT_TRUE(std::filesystem::exists(campaign.out / first.findings[0].file));
  campaign.resume = true;
  const reports::CampaignSummary second = runCampaign(campaign, kNever, kSilent);
  ASSERT_EQ(second.findings.size(), 1u);
  EXPECT_EQ(second.findings[0].reproduces, "fails fresh");
}

TEST_F(FindingsTest, OneFindingOfABucketIsMinimizedAndGrowsTheCorpusThatIsNamed) {
  CampaignOptions campaign = faulty(1, [](const Fusion& fusion) { return has(fusion, OpKind::Exp); });
  campaign.task.generator.only = {OpKind::Add};
  std::filesystem::create_directories(folder_ / "corpus");
  for (const char* name : {"corpus/a.fusion", "corpus/b.fusion"}) {
    file(name, std::string("#: name = ") + std::string(name).substr(7, 1) + R"(
fusion f(%x: f32[i0]) {
  %a = neg(%x)
  %b = exp(%a)
  %c = abs(%b)
  %d = add(%c, %x)
  return %d
}
run { %x = normal(seed = 1) : f32[40] }
)");
  }
  campaign.corpora = {folder_ / "corpus"};
  campaign.minimize = true;
  campaign.minimizeSeconds = 30;
  campaign.growCorpus = folder_ / "grown";
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  EXPECT_EQ(summary.findings.size(), 2u);
  ASSERT_EQ(summary.minimized.size(), 1u);
  const reports::MinimizedFinding& minimized = summary.minimized[0];
  EXPECT_EQ(minimized.problem, "");
  EXPECT_EQ(minimized.bucket, summary.findings[0].bucket);
  EXPECT_EQ(minimized.exprsBefore, 4);
  EXPECT_EQ(minimized.exprsAfter, 1) << minimized.text;
  EXPECT_EQ(minimized.file.rfind("minimized-from-", 0), 0u);
  EXPECT_EQ(readTextFile((campaign.out / minimized.file).string()), minimized.text);
  EXPECT_EQ(namesIn(folder_ / "grown"), std::vector<std::string>{sha1(minimized.text) + ".fusion"});
  EXPECT_EQ(namesIn(folder_ / "corpus"), (std::vector<std::string>{"a.fusion", "b.fusion"}));
  // A campaign that goes on does not minimise it again.
  campaign.resume = true;
  log_.clear();
  EXPECT_EQ(runCampaign(campaign, kNever, keep_).minimized.size(), 1u);
  for (const std::string& line : log_) EXPECT_EQ(line.rfind("minimis", 0), std::string::npos) << line;
}

// Without its neg the case shows another bug: that is a finding with a verdict of its own, and becomes small as well.
TEST_F(FindingsTest, AFindingMetWhileMinimizingKeepsItsVerdictAndIsMinimized) {
  CampaignOptions campaign = faulty(1, [](const Fusion&) { return false; });
  BeforePasses planting([](Fusion& fusion) {
    FUSER_CHECK(!has(fusion, OpKind::Exp) || !has(fusion, OpKind::Neg), "planted for both");
    FUSER_CHECK(!has(fusion, OpKind::Exp), "planted for one");
  });
  campaign.task.judge.observers = {&planting};
  campaign.task.generator.only = {OpKind::Add};
  campaign.minimize = true;
  campaign.corpora = {file("a.fusion", R"(
fusion f(%x: f32[i0]) {
  %a = neg(%x)
  %b = exp(%x)
  %c = abs(%b)
  %d = abs(%a)
  return %c, %d
}
run { %x = normal(seed = 1) : f32[40] }
)")};
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  ASSERT_EQ(summary.findings.size(), 2u);
  const auto met = std::find_if(summary.findings.begin(), summary.findings.end(), [](const reports::Finding& finding) {
    return finding.origin.rfind("a step of minimising ", 0) == 0;
  });
  ASSERT_NE(met, summary.findings.end());
  EXPECT_EQ(met->kind, "check");
  EXPECT_NE(met->reason.find("planted for one"), std::string::npos) << met->reason;
  EXPECT_NE(met->detail.find("planted for one"), std::string::npos) << met->detail;
  ASSERT_EQ(summary.minimized.size(), 2u);
  for (const reports::MinimizedFinding& minimized : summary.minimized) {
    EXPECT_EQ(minimized.problem, "");
    EXPECT_EQ(minimized.exprsAfter, minimized.bucket == met->bucket ? 1 : 2) << minimized.text;
  }
}

// With findings, minimised too, and a corpus that could be written to.
TEST_F(FindingsTest, ACampaignWritesBelowOutAlone) {
  CampaignOptions campaign = faulty(1, [](const Fusion& fusion) { return has(fusion, OpKind::Exp); });
  std::filesystem::create_directories(folder_ / "corpus");
  file("corpus/right.fusion", kRight);
  campaign.corpora = {folder_ / "corpus"};
  campaign.minimize = true;
  EXPECT_EQ(runCampaign(campaign, kNever, keep_).minimized.size(), 1u);
  EXPECT_EQ(namesIn(folder_), (std::vector<std::string>{"corpus", "out"}));
  EXPECT_EQ(namesIn(folder_ / "corpus"), std::vector<std::string>{"right.fusion"});
  EXPECT_EQ(readTextFile((folder_ / "corpus/right.fusion").string()), kRight);
}

TEST_F(FindingsTest, AnUnwritableCorpusIsReportedAtTheStart) {
  CampaignOptions campaign = options(1);
  campaign.out = folder_ / "out";
  campaign.growCorpus = folder_ / "grown";
  EXPECT_THROW(runCampaign(campaign, kNever, keep_), UserError);  // nothing is minimised
  campaign.minimize = true;
  campaign.growCorpus = file("file", "") / "below";
  EXPECT_THROW(runCampaign(campaign, kNever, keep_), UserError);
  EXPECT_FALSE(std::filesystem::exists(campaign.out));
}

TEST(ShellTest, QuotedArgumentsStayIntactInAShell) {
  EXPECT_EQ(shellQuoted("out/check-1.fusion"), "out/check-1.fusion");
  EXPECT_EQ(shellQuoted("a b"), "'a b'");
  EXPECT_EQ(shellQuoted("it's; rm -r /"), "'it'\\''s; rm -r /'");
  EXPECT_EQ(shellQuoted(std::string()), "''");
}

TEST(ShellTest, QuotedArgumentsAreReadBack) {
  const std::vector<std::string> arguments = {"--only",       "div:rounding_mode = trunc", "it's", "", "a\\b",
                                              "$(x) `y` ; \n"};
  EXPECT_EQ(shellWords(shellQuoted(arguments)), arguments);
  EXPECT_EQ(shellWords("  a  'b c'd\\  'open"), (std::vector<std::string>{"a", "b cd ", "open"}));
}

class CommandLinesTest : public testing::Test {
 protected:
  LedgerFinding of(const std::string& task, const std::string& file = "") {
    LedgerFinding finding;
    if (task != "text") finding.task = parseTask<SingleTask>(task);
    finding.label = "fails fresh";
    finding.file = file;
    return finding;
  }
  ReplayContext context_{"out", "/b/fuserfuzz", 5, {"--only", "add"}, {}, true};
};

TEST_F(CommandLinesTest, AFileIsReplayedAndMinimizedUnderTheLimitsThatItWasFoundWith) {
  CommandLines lines = commandLines(of("case 3", "a.fusion"), context_);
  EXPECT_EQ(lines.replay, "/b/fuserfuzz replay out/a.fusion");
  EXPECT_EQ(lines.minimize, "/b/fuserfuzz minimize out/a.fusion");
  context_.limits = {0.5, 100};
  context_.probes = false;
  lines = commandLines(of("case 3", "a.fusion"), context_);
  EXPECT_EQ(lines.replay, "/b/fuserfuzz replay out/a.fusion --timeout 0.5 --rss-limit-mb 100 --no-probes");
  EXPECT_EQ(lines.minimize, "/b/fuserfuzz minimize out/a.fusion --timeout 0.5 --rss-limit-mb 100 --no-probes");
}

TEST_F(CommandLinesTest, WithoutAFileTheCaseIsGeneratedAgain) {
  const std::string campaign = "/b/fuserfuzz generate --seed 5 --case 3";
  EXPECT_EQ(commandLines(of("case 3"), context_).replay,
            campaign + " --only add > case.fusion && /b/fuserfuzz replay case.fusion");
  EXPECT_EQ(commandLines(of("case 3"), context_).minimize,
            campaign + " --only add > case.fusion && /b/fuserfuzz minimize case.fusion");
  EXPECT_EQ(commandLines(of("view 3 one cut"), context_).replay.rfind(campaign + " --view 'one cut' --only add > ", 0),
            0u);
  EXPECT_EQ(commandLines(of("batch 3 1"), context_).replay.rfind(campaign + " --engine cpu --only add > ", 0), 0u);
  EXPECT_EQ(commandLines(of("file c/x y.fusion"), context_).minimize, "/b/fuserfuzz minimize 'c/x y.fusion'");
}

TEST_F(CommandLinesTest, AFindingWithoutAFileSaysWhyItCannotBeReplayed) {
  for (const char* task : {"batch 0 32", "text"}) {
    EXPECT_EQ(commandLines(of(task), context_).replay.rfind("not kept: ", 0), 0u) << task;
    EXPECT_EQ(commandLines(of(task), context_).minimize, "") << task;
  }
  LedgerFinding finding = of("case 3", "a.fusion");
  finding.label = "fails only after its history";
  EXPECT_EQ(commandLines(finding, context_).replay.rfind("not kept: ", 0), 0u);
  finding.sequenceFile = "a.sequence";
  EXPECT_EQ(commandLines(finding, context_).replay, "/b/fuserfuzz replay --sequence out/a.sequence");
  EXPECT_EQ(commandLines(finding, context_).minimize, "");
  context_.folder.clear();
  EXPECT_EQ(commandLines(of("batch 0 32"), context_).replay.rfind("name a folder with --out", 0), 0u);
}

// A report is read in a browser, in another folder than the campaign was run in, and after that was copied.
TEST_F(CommandLinesTest, LinesOfAReportRunInItsFolder) {
  context_ = contextOfReport(context_, "out", "");
  EXPECT_EQ(commandLines(of("case 3", "a.fusion"), context_).replay, "fuserfuzz replay a.fusion");
  EXPECT_EQ(commandLines(of("file c/x y.fusion"), context_).minimize, "fuserfuzz minimize '../c/x y.fusion'");
  EXPECT_EQ(commandLines(of("file /c/x.fusion"), context_).replay, "fuserfuzz replay /c/x.fusion");
  EXPECT_EQ(replayLine("minimized-from-a.fusion", context_), "fuserfuzz replay minimized-from-a.fusion");
  context_.folder = "out";
  context_ = contextOfReport(context_, "pages/new", "begun/there");
  EXPECT_EQ(commandLines(of("case 3", "a.fusion"), context_).replay, "fuserfuzz replay ../../out/a.fusion");
  EXPECT_EQ(commandLines(of("file c.fusion"), context_).replay, "fuserfuzz replay ../../begun/there/c.fusion");
}

TEST_F(FindingsTest, ATerminalShowsTheFirstClauseAndTheLogTheWholeReason) {
  CampaignOptions campaign = faulty(1, [](const Fusion& fusion) { return has(fusion, OpKind::Exp); });
  campaign.task.generator.only = {OpKind::Add};
  campaign.corpora = {file("right.fusion", kRight)};
  campaign.program = "/b/fuserfuzz";
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, keep_);
  ASSERT_EQ(summary.findings.size(), 1u);
  const reports::Finding& finding = summary.findings[0];
  const auto printed = std::find_if(log_.begin(), log_.end(),
                                    [](const std::string& line) { return line.rfind("FINDING check", 0) == 0; });
  ASSERT_NE(printed, log_.end());
  const std::string artifact = (campaign.out / finding.file).string();
  const std::string logged = readTextFile((campaign.out / "campaign.log").string());
  EXPECT_NE(printed->find(": " + firstClause(finding.reason) + "\n"), std::string::npos) << *printed;
  EXPECT_NE(printed->find("\n  replay: /b/fuserfuzz replay " + artifact), std::string::npos) << *printed;
  EXPECT_NE(logged.find(": " + finding.reason + "\n"), std::string::npos) << logged;
  EXPECT_NE(logged.find("\n  replay: " + finding.replay + "\n"), std::string::npos) << logged;
  EXPECT_EQ(finding.replay, "fuserfuzz replay " + finding.file + " --no-probes");
  EXPECT_GT(finding.foundSeconds, 0);
  EXPECT_LE(finding.foundSeconds, summary.seconds);
}

// The report of a folder into another one: names of files lead back.
TEST_F(FindingsTest, AReportInAnotherFolderHasPathsFromThere) {
  CampaignOptions campaign = faulty(1, [](const Fusion& fusion) { return has(fusion, OpKind::Exp); });
  campaign.task.generator.only = {OpKind::Add};
  campaign.corpora = {file("right.fusion", kRight)};
  campaign.minimize = true;
  const reports::CampaignSummary here = runCampaign(campaign, kNever, kSilent);
  ASSERT_EQ(here.findings.size(), 1u);
  ASSERT_EQ(here.minimized.size(), 1u);
  EXPECT_EQ(here.files, (std::vector<std::string>{"campaign.log", here.findings[0].file, here.findings[0].programFile,
                                                  here.minimized[0].file, here.minimized[0].programFile}));
  const reports::CampaignSummary elsewhere = summaryOf(campaign.out, folder_ / "pages");
  EXPECT_EQ(elsewhere.findings.at(0).file, "../out/" + here.findings[0].file);
  EXPECT_EQ(elsewhere.minimized.at(0).file, "../out/" + here.minimized[0].file);
  EXPECT_EQ(elsewhere.findings.at(0).programFile, "../out/" + here.findings[0].programFile);
  EXPECT_EQ(elsewhere.minimized.at(0).programFile, "../out/" + here.minimized[0].programFile);
  EXPECT_EQ(elsewhere.minimized.at(0).finding, elsewhere.findings[0].file);
  EXPECT_EQ(elsewhere.minimized.at(0).replay, "fuserfuzz replay ../out/" + here.minimized[0].file + " --no-probes");
  EXPECT_EQ(elsewhere.files.at(0), "../out/campaign.log");
  EXPECT_EQ(elsewhere.findings[0].bucket, here.findings[0].bucket);
}

}  // namespace
}  // namespace fuser::fuzz
