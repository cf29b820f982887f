// fuserfuzz run: a campaign.

#include <memory>

#include "fuzz/cli/campaign_command.h"
#include "fuzz/cli/command.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {
namespace {

// What a campaign does, with the rates that are in the code.
std::string teaching() {
  std::string text = R"(
What a campaign does
  Each case is a random program with data. A worker process compiles it, runs it on the interpreter, and compares every
  element with the interval that LibTorch's result allows. A crash, a hang or a memory blow-up costs one case.
  A finding runs again in a new process and gets a label: fails fresh, fails only after its history (the shortest
  sequence of cases is kept), or flaky with its rate. Findings of one bucket count as one bug; ten files are kept per
  symptom. Corpora are judged first. ledger.sqlite stores each result at once: after kill -9 or a power cut, --resume
  continues, and no finished case runs or counts twice. The first Ctrl-C or SIGTERM writes the report, the second one
  exits at once; SIGHUP writes the report. SIGUSR1 logs a status line (info).

Further checks, on a sample of the case numbers
)";
  char line[160];
  std::snprintf(
      line, sizeof line, "  %-24s the first %llu of every %llu cases, in one batch; the first batch at the start\n",
      "cpu and ptx engines", static_cast<unsigned long long>(kBatch), static_cast<unsigned long long>(kBatchStride));
  text += line;
  std::snprintf(line, sizeof line, "  %-24s 1 in %-4d %s\n", "repeat", static_cast<int>(kRepeatOneIn),
                "a second run on the same data, which must give the same bits");
  text += line;
  for (const View& view : allViews()) {
    std::snprintf(line, sizeof line, "  %-24s 1 in %-4d %s\n", std::string(view.name).c_str(), view.oneIn,
                  std::string(view.summary).c_str());
    text += line;
  }
  return text + R"(
In --out
  report.html, report.json, junit.xml    what ran, what was covered, what was found
  mismatch-, check-, crash-, timeout-, oom-, violation-, invariant-, flaky-<sha1>.fusion    findings, ready to replay
  minimized-from-<sha1>.fusion           the smallest case of a bucket, made from that finding
  …-<sha1>.sequence                      the cases that must run before a finding, in order, for it to fail
  …-<sha1>.py                            the case of that name as a PyTorch script with its data; see export --help
  slow-unit-<sha1>.fusion                the slowest cases that are not findings (--report-slow-units)
  campaign.log                           the console's lines, progress, and the log from info on, or from --log-level
                                         if that is lower
  ledger.sqlite                          the state of the campaign, from which --resume and `report` start
  lock                                   the process that runs here
  A campaign writes only here, and to the folder of --grow-corpus if that is set.

Examples
  fuserfuzz run --runs 20000 --seed 1 --jobs 2 --out out     the same cases every time
  fuserfuzz run --max-total-time 8h --jobs 8 --out out       one night, new cases every time
  fuserfuzz run --resume --out out                           continues
  fuserfuzz run --runs 1m --seed 7 --shard 1/8 --out part1   one of eight machines; see merge --help
  fuserfuzz run --runs 1000 --only sum,amax,add corpus       the files below corpus, then cases of these ops
  fuserfuzz run --runs 5000 --parents corpus/models --out out   half of them mutants of subgraphs of models
  fuserfuzz run --runs 5000 --feedback 0.5 --out out         cases that decisions of the compiler lead to
  fuserfuzz run --target=torch-compile --max-total-time 1h --out out   another compiler (fuzz/compilers/setup torch)
  fuserfuzz run --runs 300 --fault loop-one-short --out out   the findings of a planted bug

Exit codes
  0 clean, or known findings only   1 usage or set-up, nothing judged, a check that could not run   70 only timeouts
  71 only out of memory   72 interrupted, with findings or without   77 findings
)";
}

}  // namespace

Command addRunCommand(CLI::App& app) {
  CLI::App* run = app.add_subcommand("run", "run a campaign: judge random cases and keep the findings");
  const auto arguments = std::make_shared<CampaignArguments>();
  arguments->name = "run";
  arguments->addTo(run);
  arguments->generator.addTo(run);
  arguments->generator.addParentsTo(run);
  arguments->generator.addFaultTo(run);
  run->add_option(
         "--feedback", arguments->feedback,
         "off: each case is a function of --seed and its number; or a share, such as 0.5: a tenth of the cases are of "
         "ops, dtypes and ranks that had none, and this share of the others are mutants of cases that showed new "
         "decisions of the compiler")
      ->type_name("off|SHARE")
      ->group("Which cases")
      ->capture_default_str();
  run->add_option("--working-corpus", arguments->workingCorpus,
                  "with --feedback: the folder of those cases, from which it starts; libFuzzer's targets may share it. "
                  "Default: working in --out")
      ->type_name("DIR")
      ->group("Which cases");
  run->add_flag(
      "--sample-invariants", arguments->sampleInvariants,
      "check expensive invariants on a sample of the corpora's files, as of generated cases, in place of each "
      "file; for large corpora");
  arguments->target.addTo(run);
  run->add_flag("--mixed-data", arguments->mixedData,
                "of a target with a profile (fuzz/compilers/profiles.def): the usual data and all ops that the profile "
                "covers, judged by sets where results are not exact");
  run->footer(teaching());
  return {run, [run, arguments](const LogPtr& log) {
            return runCampaignCommand(*run, *arguments, log, [&] { arguments->generator.resolve(); });
          }};
}

}  // namespace fuser::fuzz
