#pragma once
// Artifacts: the files of a campaign's folder that hold its findings, and the lines that run them again.

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/ledger.h"

namespace fuser::fuzz {

// What a campaign ran with, as far as running a case of it again needs it.
struct ReplayContext {
  std::filesystem::path folder;  // of the artifacts; empty: none was named
  std::string program = "fuserfuzz";
  uint64_t seed = 1;
  std::vector<std::string> generatorFlags;  // arguments: "--only", "add"
  Limits limits;
  bool probes = true;
};

struct CommandLines {
  std::string replay;    // or, where the case was not kept, why
  std::string minimize;  // empty where there is nothing to minimise
};
// For a shell: nothing that a ledger or a file holds is more than an argument in them.
CommandLines commandLines(const LedgerFinding& finding, const ReplayContext& context);

// The text as one argument of a shell's command line; several, each with a space before it; and back. What no shell would
// read so is taken as it stands.
std::string shellQuoted(const std::string& text);
std::string shellQuoted(const std::vector<std::string>& arguments);
std::vector<std::string> shellWords(const std::string& text);

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
