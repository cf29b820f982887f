// fuserfuzz --target as a person starts it: the names, the environments and what is missing of them.

#include <cstdlib>
#include <fstream>

#include "tests/fuzz/cli/program.h"

namespace {

// Every test has a cache folder of its own, without any environment.
class TargetTest : public FuserfuzzTest {
 protected:
  void SetUp() override {
    FuserfuzzTest::SetUp();
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    std::ofstream(folder_ / "neg.fusion")
        << "fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\nrun { %x = normal(seed = 1) : f32[4] }\n";
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    FuserfuzzTest::TearDown();
  }
  std::string file() const { return (folder_ / "neg.fusion").string(); }
};

TEST_F(TargetTest, AnUnknownTargetIsOneSentenceInEveryCommand) {
  for (const std::string& command : {std::string("run --runs 1"), "replay " + file(), "minimize " + file()}) {
    const Outcome outcome = fuserfuzz(command + " --target=onnxruntim");
    EXPECT_EQ(outcome.exitCode, 1) << command;
    EXPECT_EQ(
        outcome.text.rfind("SETUP FAILURE: no target is called 'onnxruntim'; did you mean 'onnxruntime'; there are: "
                           "torch-eager, torch-compile",
                           0),
        0u)
        << outcome.text;
  }
}

TEST_F(TargetTest, FeedbackNeedsATargetThatTellsWhatItDecides) {
  const Outcome outcome = fuserfuzz("run --runs 1 --feedback 0.5 --target=torch-eager --out " + folder_.string());
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.text,
            "SETUP FAILURE: --feedback goes by what a compiler decides, and torch-eager does not tell it; these do: "
            "torch-compile, onnxruntime, openvino, xla-cpu\n");
}

TEST_F(TargetTest, AMissingEnvironmentSaysWhatToType) {
  for (const std::string& command : {std::string("run --runs 1"), "replay " + file(), "minimize " + file()}) {
    const Outcome outcome = fuserfuzz(command + " --target=onnxruntime");
    EXPECT_EQ(outcome.exitCode, 1) << command;
    EXPECT_EQ(outcome.text, "SETUP FAILURE: the target onnxruntime needs " +
                                (folder_ / "cache/fuser/compilers/onnxruntime").string() +
                                "; to make it, type: fuzz/compilers/setup onnxruntime\n");
  }
}

TEST_F(TargetTest, CompareNeedsTwoTargets) {
  Outcome outcome = fuserfuzz("compare --targets onnxruntime " + file());
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.text, "SETUP FAILURE: --targets needs two names or more, separated by commas\n");
  outcome = fuserfuzz("compare --targets onnxruntime,onnx-reference " + file());
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_NE(outcome.text.find("to make it, type: fuzz/compilers/setup onnxruntime\n"), std::string::npos)
      << outcome.text;
}

// An environment of scripts that answer as no worker does.
TEST_F(TargetTest, AWorkerThatDoesNotStartIsASetUpFailure) {
  const std::filesystem::path environment = folder_ / "cache/fuser/compilers/onnxruntime";
  std::filesystem::create_directories(environment / "bin");
  std::ofstream(environment / "recipe") << "complete\n";
  std::ofstream(environment / "bin/python") << "#!/bin/sh\necho no module named onnx >&2\nexit 3\n";
  std::filesystem::permissions(environment / "bin/python", std::filesystem::perms::owner_all);
  const Outcome outcome = fuserfuzz("run --runs 20 --seed 1 --target=onnxruntime");
  EXPECT_EQ(outcome.exitCode, 1) << outcome.text;
  EXPECT_NE(outcome.text.find("SETUP FAILURE: "), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("the worker of the target does not start ("), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("no module named onnx"), std::string::npos) << outcome.text;
}

// Its process dies with each program but a lone Neg of four numbers, which the minimiser tries first; ours does not, so
// that the smallest case is looked for in the same bucket.
TEST_F(TargetTest, ATargetThatDiesIsMinimised) {
  const std::filesystem::path environment = folder_ / "cache/fuser/compilers/onnxruntime";
  std::filesystem::create_directories(environment / "bin");
  std::ofstream(environment / "recipe") << "complete\n";
  std::ofstream(environment / "bin/python") << R"py(#!/usr/bin/python3
import os, signal, struct

def read(count):
    data = b""
    while len(data) < count:
        more = os.read(0, count - len(data))
        if not more:
            os._exit(0)
        data += more
    return data

def answer(identity, kind, text, runs):
    payload = struct.pack("<QBIQQQI", identity, kind, 0, 0, 0, 0, len(text)) + text + runs
    os.write(1, struct.pack("<I", len(payload)) + payload)

answer(0, 0, b"fake", struct.pack("<I", 0))
while True:
    request = read(struct.unpack("<I", read(4))[0])
    if request.count(b" = ") != 1 or b"Neg (x)" not in request:
        os.kill(os.getpid(), signal.SIGFPE)
    numbers = [-number for number in struct.unpack("<4f", request[-16:])]
    output = struct.pack("<BBqqQ4f", 1, 1, 4, 1, 16, *numbers)
    answer(struct.unpack_from("<Q", request)[0], 1, b"", struct.pack("<III", 1, 0, 1) + output)
)py";
  std::filesystem::permissions(environment / "bin/python", std::filesystem::perms::owner_all);
  const Outcome outcome = fuserfuzz(
      "run --runs 2 --seed 1 --known-issues corpus/known_issues/fuser.json "
      "--target=onnxruntime --out " +
      (folder_ / "campaign").string());
  EXPECT_NE(outcome.text.find("bucket: crash | onnxruntime | "), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("minimised crash-"), std::string::npos) << outcome.text;
}

TEST_F(TargetTest, ExactDataAreWholeNumbersWithoutATarget) {
  const Outcome usual = fuserfuzz("generate --seed 1 --case 3"),
                exact = fuserfuzz("generate --seed 1 --case 3 --exact-data");
  EXPECT_EQ(exact.exitCode, 0) << exact.text;
  EXPECT_NE(exact.text, usual.text);
  EXPECT_NE(exact.text.find("= integers("), std::string::npos) << exact.text;
  EXPECT_EQ(exact.text.find("= normal("), std::string::npos) << exact.text;
  EXPECT_EQ(fuserfuzz("generate --seed 1 --exact-dat").exitCode, 1);
}

TEST_F(TargetTest, TheHelpNamesTheTargets) {
  const std::string help = fuserfuzz("run --help").text;
  for (const char* name : {"torch-eager", "torch-compile", "onnx-reference", "onnxruntime"}) {
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
}

}  // namespace
