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
  std::filesystem::path folder;  // of the artifacts; empty: none was named
  std::string program = "fuserfuzz";
  uint64_t seed = 1;
  std::vector<std::string> generatorFlags;  // arguments: "--only", "add"
  Limits limits;
  bool probes = true;
  std::filesystem::path corpora = "";  // where relative paths of corpora begin
};

// The same, for command lines of a report: they run in its folder, and find the program in the PATH. corpora: where
// relative paths of corpora begin, as seen from here.
ReplayContext contextOfReport(ReplayContext context, const std::filesystem::path& report,
                              const std::filesystem::path& corpora);

struct CommandLines {
  std::string replay;    // or, where the case was not kept, why
  std::string minimize;  // empty where there is nothing to minimise
};
// Shell command lines. Texts from ledgers and files are untrusted and are always quoted as single arguments.
// Of a minimised case by its name in the folder.
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
  // folder: may be empty, then nothing is written. maxBytes: of all cases and sequences in it, those included
  // that lie there already. stamp: what found them, a line in each file. findings: those that own some of these.
  Artifacts(std::filesystem::path folder, int64_t maxBytes, Ledger::Stamp stamp,
            const std::vector<LedgerFinding>& findings);

  // Writes the finding's case, and the sequence of tasks after which alone it fails (empty: none); then drops what it
  // had before. Sets file, sequenceFile, textSha1 and bytes. Where there is no room it keeps what it has.
  // sequenceTexts: the cases of the sequence, in order.
  void write(LedgerFinding& finding, const std::string& text, const std::vector<std::string>& sequenceTexts = {});
  void drop(LedgerFinding& finding);
  // Writes a case that took long. Gives the file's name; empty where there is no folder or no room.
  std::string writeSlow(const std::string& text, const std::string& took);
  // Writes a minimised case under that name. False, and there is no such file, where there is no room.
  bool writeMinimized(const std::string& name, const std::string& text);

  // Room for a file of at most so many bytes that another process writes; takes of it what there is, and says how much.
  int64_t reserve(int64_t bytes);
  // It is done with it: the file counts by its size from now on. (It may not be there.)
  void release(int64_t reserved, const std::string& name);

  int64_t used() const { return used_; }
  int64_t leftOut() const { return leftOut_; }  // for want of room, in this process's life

 private:
  struct File {
    int owners = 0;  // findings: equal texts share one
    int64_t bytes = 0;
  };
  // freed: bytes that go away once this is written.
  bool put(const std::string& name, const std::string& text, int64_t freed);
  void remove(const std::string& name);
  // Of a file that goes away when this owner is gone.
  int64_t soleBytes(const std::string& name, const std::string& next) const;
  void replace(std::string& name, const std::string& next);

  std::filesystem::path folder_;
  Ledger::Stamp stamp_;
  int64_t maxBytes_, used_ = 0, leftOut_ = 0;
  std::map<std::string, File> files_;  // .fusion and .sequence files of the folder
};

}  // namespace fuser::fuzz
