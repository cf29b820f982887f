#pragma once
// fuserfuzz as a person starts it: a command line in, text and exit code out.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

inline std::string program() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "fuserfuzz").string();
}

struct Outcome {
  int exitCode = -1;
  std::string text;  // standard output and error together
};

inline Outcome fuserfuzz(const std::string& arguments) {
  FILE* pipe = popen((program() + " " + arguments + " 2>&1").c_str(), "r");
  Outcome outcome;
  char buffer[4096];
  for (size_t count; (count = fread(buffer, 1, sizeof buffer, pipe)) != 0;) outcome.text.append(buffer, count);
  const int status = pclose(pipe);
  outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

class FuserfuzzTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("fuserfuzz_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};
