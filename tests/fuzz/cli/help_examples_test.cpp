// The examples of the help are command lines that work: each is run, on small inputs in place of its own.

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/fuzz/cli/program.h"

namespace {

constexpr const char* kRight =
    "fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\nrun { %x = normal(seed = 1) : f32[4] }\n";

class HelpExamplesTest : public FuserfuzzTest {
 protected:
  // What the examples name.
  void SetUp() override {
    FuserfuzzTest::SetUp();
    write("corpus/right.fusion", kRight);
    write("corpus/seeds/softmax.fusion", kRight);
    write("corpus/models/right.fusion", kRight);
    write("findings/right.fusion", kRight);
    write("reports/found/right.fusion", kRight);
    write("planted.fusion",
          "fusion f(%x: f32[i0]) {\n  %y = sub(%x, 2.0)\n  return %y\n}\noption fault = \"swapped-operands\"\n"
          "run { %x = normal(seed = 1) : f32[4] }\n");
    const std::string graph = R"({"format": 1, "name": "model", "torch": "2.11.0", "nodes": []})";
    write("model.json", graph);
    write("graphs/model.json", graph);
    std::string measurement = R"({"context": {"build": "Release"}, "benchmarks": [)";
    for (int i = 0; i < 9; ++i)
      measurement += (i ? ", " : "") + std::string(R"({"name": "stage/lower", "relative_cost": 1})");
    write("reports/baselines/stages.json", measurement + "]}");
    write("now.json", measurement + "]}");
    for (const char* name : {"old.txt", "new.txt"}) {
      write(name,
            "cost of f, run 0: 2 sectors of inputs and outputs\n"
            "kernel launches blocks threads shared requested per block compulsory conflicts barriers weights once "
            "registers\n"
            "total 0 0 0 0 0 0 0 0 0 traffic 0.00\n");
    }
  }
  // A history whose last commit is bad.
  void makeHistory() {
    const std::string commit = " && git -c user.email=a@b -c user.name=a commit --quiet --all --message commit";
    write("case.fusion", kRight);
    write("program", "#!/bin/sh\n");
    const std::string inFolder =
        "cd " + folder_.string() + " && chmod +x program && git init --quiet && git add program";
    ASSERT_EQ(std::system((inFolder + commit).c_str()), 0);
    write("program", "#!/bin/sh\nexit 77\n");
    ASSERT_EQ(std::system((inFolder + commit).c_str()), 0);
  }
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }

  // Shorter, of fixed seeds, and without what not every machine has; its arguments stay.
  std::string small(std::string example) {
    const std::pair<const char*, std::string> changes[] = {
        {R"(--runs [0-9]+[km]?)", "--runs 3"},
        {R"(--max-total-time [0-9]+h?)", "--max-total-time 1"},
        {R"(--jobs [0-9]+)", "--jobs 2"},
        {R"(--cases [0-9]+)", "--cases 3"},
        {R"(out/mismatch-….fusion)", "planted.fusion"},
        {R"(--engine cuda)", "--engine cpu"},
        {R"(^selftest --target=\S+)", "selftest --only-fault dropped-predicate"},
        {R"( --target=\S+)", ""},
        {R"(^compare --targets \S+)", "compare --engine cpu"},
        {R"(^selftest --jobs)", "selftest --only-fault dropped-predicate --jobs"},
        {R"(^selftest)", "selftest --runs 3"},
        {R"(\| fuserfuzz)", "| " + program()},
        {R"((old|new)\.json)", "now.json"},
        {R"(--shard 1/100)", "--shard 1/1"},
        {R"(^bisect)", "bisect --build 'mkdir -p build/release/bin && cp program build/release/bin/fuserfuzz'"},
        {R"(HEAD~[0-9]+)", "HEAD~1"},
    };
    for (const auto& [pattern, text] : changes) example = std::regex_replace(example, std::regex(pattern), text);
    const bool draws = example.starts_with("run ") || example.starts_with("compare ");
    const bool isGiven = example.find("--seed") != std::string::npos || example.find("--resume") != std::string::npos;
    if (draws && !isGiven) example.insert(example.find(' '), " --seed 1");
    if (draws && example.find("--median-elements") == std::string::npos)
      example.insert(example.find(' '), " --median-elements 64");
    if (example.starts_with("run ")) example.insert(4, "--no-compilers ");
    if (example.starts_with("enumerate ")) example = smallWorld(example);
    // A folder holds one campaign.
    if (example.find("--resume") == std::string::npos && example.find("--out out") != std::string::npos)
      std::filesystem::remove_all(folder_ / "out");
    return example;
  }

  static std::string smallWorld(const std::string& example) {
    const auto has = [&](const char* option) { return example.find(option) != std::string::npos; };
    std::string more = " --no-compilers";
    if (!has("--depth") && !has("--ops")) more += " --dtypes f32 --ranks 0";
    if (!has("--runs")) more += " --runs 3";
    return example + more;
  }
};

std::set<std::string> examplesOf(const std::string& help) {
  std::set<std::string> examples;
  std::istringstream lines(help);
  const std::string start = "  fuserfuzz ";
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(start, 0) != 0) continue;
    const std::string rest = line.substr(start.size());
    examples.insert(rest.substr(0, rest.find("   ")));  // what it does stands behind three spaces or more
  }
  return examples;
}

TEST_F(HelpExamplesTest, EachOneRuns) {
  std::set<std::string> examples = examplesOf(fuserfuzz("--help").text);
  for (const char* command : {"run", "enumerate", "replay", "compare", "triage", "generate", "export", "import",
                              "minimize", "report", "merge", "explain", "bisect", "perf-check", "selftest"}) {
    std::set<std::string> ofCommand = examplesOf(fuserfuzz(std::string(command) + " --help").text);
    EXPECT_GE(ofCommand.size(), 2u) << command;
    for (const std::string& example : ofCommand) EXPECT_NE(example.find(command), example.npos) << example;
    examples.merge(ofCommand);
  }
  // The campaign that others go on with, or report.
  const std::string inFolder = "cd " + folder_.string() + " && " + program() + " ";
  ASSERT_EQ(std::system((inFolder + "run --runs 3 --seed 1 --no-compilers --out out > /dev/null").c_str()), 0);
  makeHistory();
  // And parts to merge.
  for (const char* part : {"--shard 1/3 --out a", "--shard 2/3 --out b", "--shard 3/3 --out c"}) {
    const std::string run = inFolder + "run --runs 130 --median-elements 16 --seed 1 --no-compilers " + part;
    ASSERT_EQ(std::system((run + " > /dev/null").c_str()), 0);
  }
  for (const std::string& example : examples) {
    const std::string output = (folder_ / "output").string(), arguments = small(example);
    const int status = std::system((inFolder + arguments + " > " + output + " 2>&1").c_str());
    std::ostringstream text;
    text << std::ifstream(output).rdbuf();
    // What a campaign finds is another matter.
    const bool worked = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
    EXPECT_TRUE(worked) << example << "\n" << arguments << "\n" << text.str();
  }
}

TEST_F(HelpExamplesTest, AnArgumentAfterAListOfOpsIsACorpus) {
  const std::string corpus = (folder_ / "corpus").string();
  for (const char* flag : {"--only add,sum", "--exclude add,sum", "--only add --only sum"}) {
    const Outcome outcome = fuserfuzz("run --runs 5 --seed 1 --no-compilers " + std::string(flag) + " " + corpus);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
    EXPECT_NE(outcome.text.find("cases 8 "), std::string::npos) << outcome.text;
  }
}

}  // namespace
