#pragma once
// Artifacts: the files of a campaign's folder that hold its findings, and the lines that run them again.

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/ledger.h"

namespace fuser::fuzz {

struct CommandLines {
  std::string replay, minimize;
};
// For a shell: nothing that a ledger or a file holds is more than an argument in them.
CommandLines commandLines(const LedgerFinding& finding, const std::filesystem::path& folder, const std::string& program,
                          uint64_t seed, const std::string& generatorFlags);

// The text as one argument of a shell's command line.
std::string shellQuoted(const std::string& text);

// Metadata is one line of printable text, whatever an error quotes; at most 400 bytes.
std::string oneLine(const std::string& text);

class Artifacts {
 public:
  // folder: may be empty, then nothing is written. stamp: what found them, a line in each file. findings: those whose
  // files lie there already.
  Artifacts(std::filesystem::path folder, int64_t maxBytes, std::string stamp,
            const std::vector<LedgerFinding>& findings);

  // Writes the finding's case, and the sequence of tasks after which alone it fails (empty: none), and drops what it
  // had before. Sets file, sequenceFile, textSha1 and bytes. Past the cap the files' names stay empty.
  // sequenceTexts: the cases of the sequence, in order.
  void write(LedgerFinding& finding, const std::string& text, const std::vector<std::string>& sequenceTexts = {});
  void drop(LedgerFinding& finding);
  // Writes a case that took long. Gives the file's name; empty where there is no folder or no room.
  std::string writeSlow(const std::string& text, const std::string& took);

  int64_t used() const { return used_; }
  int64_t leftOut() const { return leftOut_; }  // for want of room, in this process's life

 private:
  bool put(const std::string& name, const std::string& text);
  void remove(const std::string& name);
  std::filesystem::path folder_;
  std::string stamp_;
  int64_t maxBytes_, used_ = 0, leftOut_ = 0;
  std::map<std::string, int> owners_;  // findings by file: equal texts share one
};

}  // namespace fuser::fuzz
