#pragma once
// WorkingCorpus: the cases of a campaign with feedback that showed a decision of the compiler (fuzz/judge/decisions.h),
// or two in one case, that no case before them had shown. Of cases with the same decisions the smallest one is kept. A
// folder of files, which libFuzzer's targets read and write, too.

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reports/fields.h"

namespace fuser::fuzz {

inline constexpr const char* kWorkingFolder = "working";          // of a campaign's folder
inline constexpr const char* kDecisionsName = "decisions.jsonl";  // of a campaign's folder

// A line of kDecisionsName: a case that was kept, or one without decisions, which was to be judged.
struct KeptCase {
  std::string name;
  int64_t bytes = 0;
  std::set<std::string> decisions;
  bool operator==(const KeptCase&) const = default;
};
REPORTS_FIELDS(KeptCase, name, bytes, decisions)

class WorkingCorpus {
 public:
  // folder: created if missing. notes: the file of what this campaign keeps; "": none. goesOn: it was begun before, and
  // what it kept is kept. Other programs' files have any name; they count once they are added.
  WorkingCorpus(std::filesystem::path folder, std::filesystem::path notes = {}, bool goesOn = false);

  // The names of files that nobody has judged for this campaign, in order; .fusion texts that parse, copied under the
  // name of their content, since their owner may take them away.
  const std::vector<std::string>& found() const { return found_; }
  // "3 of 20 files in DIR are left out: …"; "" if all parse.
  const std::string& leftOut() const { return leftOut_; }

  // Keeps the case if it is new, or the smallest with these decisions so far. Returns whether it is kept.
  bool add(const std::string& text, const std::set<std::string>& decisions);
  // Writes a case to be judged, which shows nothing yet; returns its name.
  std::string begin(const std::string& text) const;

  // Those that are kept, by name; a case that a smaller one replaced is not among them.
  const std::vector<std::string>& names() const { return names_; }
  size_t decisions() const { return numbers_.size(); }
  size_t pairs() const { return pairs_; }

 private:
  struct Kept {
    size_t place;  // in names_
    size_t bytes;
  };
  std::set<std::string> goOn();
  void find(const std::set<std::string>& known);
  bool keep(const KeptCase& one);
  std::string write(const std::string& text) const;
  void note(const KeptCase& one) const;
  bool showsNew(const std::vector<size_t>& decisions);

  std::filesystem::path folder_, notes_;
  std::vector<std::string> found_, names_;
  std::string leftOut_;
  std::map<std::string, size_t> numbers_;    // of decisions, in order of their appearance
  std::vector<std::vector<bool>> together_;  // [larger number][smaller one]: in one case
  size_t pairs_ = 0;
  std::map<std::vector<size_t>, Kept> bySet_;
};

}  // namespace fuser::fuzz
