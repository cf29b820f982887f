#pragma once
// A scratch repository of commits whose "build" copies a script to where fuserfuzz is expected, so that each commit
// judges a case as the test wants.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fuzz/history/work_trees.h"

namespace fuser::fuzz {

class ScratchHistory {
 public:
  ScratchHistory() {
    std::filesystem::create_directories(repository());
    for (const std::vector<std::string>& words : {std::vector<std::string>{"init", "--quiet", "."},
                                                  {"config", "user.email", "nobody@example.org"},
                                                  {"config", "user.name", "nobody"}})
      gitOutput(repository(), words);
    std::ofstream(repository() / ".gitignore") << "build\n";
    std::ofstream(file()) << "a case\n";
  }
  ~ScratchHistory() { std::filesystem::remove_all(folder_); }
  ScratchHistory(const ScratchHistory&) = delete;
  ScratchHistory& operator=(const ScratchHistory&) = delete;

  std::filesystem::path folder() const { return folder_; }
  std::filesystem::path repository() const { return folder_ / "repository"; }
  std::filesystem::path file() const { return folder_ / "case.fusion"; }

  // One after the other: "good"; "bad", which differs; "other", which fails otherwise; "unread", which does not know
  // the file's format; "unbuildable"; "lazy", whose build succeeds and makes nothing. Subjects are "0: good", "1: bad",
  // …. Returns the hashes.
  std::vector<std::string> commit(const std::vector<std::string>& kinds) {
    std::vector<std::string> hashes;
    for (const std::string& kind : kinds) {
      std::ofstream(repository() / "kind") << kind << "\n";
      std::ofstream(repository() / "program") << programOf(kind);
      gitOutput(repository(), {"add", "--all"});
      gitOutput(repository(),
                {"commit", "--quiet", "--allow-empty", "--message", std::to_string(count_) + ": " + kind});
      hashes.push_back(gitOutput(repository(), {"rev-parse", "HEAD"}));
      ++count_;
    }
    return hashes;
  }

  static std::string build() {
    return "case $(cat kind) in unbuildable) echo 'error: no such member' >&2; exit 2;; lazy) exit 0;; esac; "
           "mkdir -p build/release/bin && cp program build/release/bin/fuserfuzz && "
           "chmod +x build/release/bin/fuserfuzz";
  }

 private:
  static std::string programOf(const std::string& kind) {
    const std::string script = "#!/bin/sh\n[ \"$1 $(cat $2)\" = 'replay a case' ] || exit 3\n";
    const auto failed = [&](const std::string& verdict) {
      return script + "echo 'FAILED         0.001 s  case.fusion'\necho '    " + verdict + ", run 1: why'\nexit 77\n";
    };
    if (kind == "bad") return failed("differs");
    if (kind == "other") return failed("rejected");
    if (kind == "unread") return script + "echo 'NO CASE   format 9 is not known'\nexit 1\n";
    return script + "echo 'ok             0.001 s  case.fusion'\n";
  }

  std::filesystem::path folder_ = std::filesystem::canonical(std::filesystem::temp_directory_path()) /
                                  ("scratch_history." + std::to_string(getpid()));
  int count_ = 0;
};

}  // namespace fuser::fuzz
