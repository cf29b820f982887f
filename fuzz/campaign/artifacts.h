#pragma once
// Artifacts: the files with findings in a campaign's folder, and the command lines that replay them.

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/ledger.h"

namespace fuser::fuzz {

// The settings of a campaign that are needed to replay one of its cases. Paths are relative to the folder in which the
// command lines run.
struct ReplayContext {
  std::filesystem::path folder;  // of the artifacts; empty if none was named
  std::string program = "fuserfuzz";
  uint64_t seed = 1;
  std::vector<std::string> generatorFlags;  // arguments: "--only", "add"
  Limits limits;
  bool probes = true;
  std::string target = "";             // another compiler (JudgeSettings::target); "": ours
  std::filesystem::path corpora = "";  // the folder to which relative paths of corpora refer
};

// The same for command lines of a report: they run in its folder and find the program in the PATH. corpora: the folder
// to which relative paths of corpora refer, as seen from there.
ReplayContext contextOfReport(ReplayContext context, const std::filesystem::path& report,
                              const std::filesystem::path& corpora);

struct CommandLines {
  std::string replay;    // or the reason why the case has no file
  std::string minimize;  // empty if there is nothing to minimize
};
// Shell command lines. Texts from ledgers and files are untrusted and are always quoted as single arguments.
// For a minimized case, by its name in the folder.
std::string replayLine(const std::string& name, const ReplayContext& context);
CommandLines commandLines(const LedgerFinding& finding, const ReplayContext& context);

// Quotes a text as one argument of a shell command line, or several, each preceded by a space; and the inverse. Text
// that is not quoted properly is taken literally.
std::string shellQuoted(const std::string& text);
std::string shellQuoted(const std::vector<std::string>& arguments);
std::vector<std::string> shellWords(const std::string& text);

// Converts a text to one line of at most 400 printable bytes, for metadata.
std::string oneLine(const std::string& text);

class Artifacts {
 public:
  // folder: if empty, nothing is written. maxBytes: the limit on all cases and sequences in the folder, existing ones
  // included. stamp: the versions that found them, one line each. findings: the owners of existing files.
  Artifacts(std::filesystem::path folder, int64_t maxBytes, Ledger::Stamp stamp,
            const std::vector<LedgerFinding>& findings);

  // Writes the finding's case, the sequence of tasks if it only fails after one, and the case's program (program_of.h);
  // then removes its earlier files. Sets file, sequenceFile, programFile, textSha1 and bytes. If there is no space for
  // the case, the finding keeps its earlier files.
  // sequenceTexts: the cases of the sequence, in order; empty if there is none.
  void write(LedgerFinding& finding, const std::string& text, const std::vector<std::string>& sequenceTexts = {});
  void drop(LedgerFinding& finding);
  // Writes a slow case. Returns the file's name; empty if there is no folder or no space.
  std::string writeSlow(const std::string& text, const std::string& took);
  // Writes a minimized case under that name. Returns false, and leaves no file, if there is no space.
  bool writeMinimized(const std::string& name, const std::string& text);
  // Writes the program of a case in the file `name`. Returns the program's name; "" if there is none, or no space.
  std::string writeProgram(const std::string& name, const std::string& text);

  // Reserves up to this many bytes for a file that another process writes; returns how many were available.
  int64_t reserve(int64_t bytes);
  // Ends the reservation: from now on the file, if it exists, counts by its size.
  void release(int64_t reserved, const std::string& name);

  int64_t used() const { return used_; }
  int64_t leftOut() const { return leftOut_; }  // cases without a file for lack of space, since this process began

 private:
  struct File {
    int owners = 0;  // the number of findings with this text
    int64_t bytes = 0;
  };
  // freed: the bytes that will be deleted after this write.
  bool hasRoom(const std::string& name, const std::string& text, int64_t freed) const;
  bool put(const std::string& name, const std::string& text, int64_t freed);
  void remove(const std::string& name);
  // For a file that is deleted with this owner.
  int64_t soleBytes(const std::string& name, const std::string& next) const;
  // Next may be "": no file.
  void replace(std::string& name, const std::string& next);

  std::filesystem::path folder_;
  Ledger::Stamp stamp_;
  int64_t maxBytes_, used_ = 0, leftOut_ = 0;
  std::map<std::string, File> files_;  // the .fusion, .sequence and .py files in the folder
};

}  // namespace fuser::fuzz
