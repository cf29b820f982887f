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

namespace fuser::fuzz {

inline constexpr const char* kWorkingFolder = "working";  // of a campaign's folder

class WorkingCorpus {
 public:
  // Created if missing. What lies there counts once it is added; other programs' files have any name.
  explicit WorkingCorpus(std::filesystem::path folder);

  // The names of the files that were there at the beginning and are .fusion texts that parse, in order.
  const std::vector<std::string>& found() const { return found_; }
  // "3 of 20 files in DIR are left out: …"; "" if all parse.
  const std::string& leftOut() const { return leftOut_; }

  // Keeps the case if it is new, or the smallest with these decisions so far. Returns whether it is kept.
  bool add(const std::string& text, const std::set<std::string>& decisions);
  // Writes a case from which others start, without decisions; returns its name.
  std::string write(const std::string& text) const;

  // Those that are kept, by name; a case that a smaller one replaced is not among them.
  const std::vector<std::string>& names() const { return names_; }
  size_t decisions() const { return numbers_.size(); }
  size_t pairs() const { return pairs_; }

 private:
  struct Kept {
    size_t place;  // in names_
    size_t bytes;
  };
  bool showsNew(const std::vector<size_t>& decisions);

  std::filesystem::path folder_;
  std::vector<std::string> found_, names_;
  std::string leftOut_;
  std::map<std::string, size_t> numbers_;    // of decisions, in order of their appearance
  std::vector<std::vector<bool>> together_;  // [larger number][smaller one]: in one case
  size_t pairs_ = 0;
  std::map<std::vector<size_t>, Kept> bySet_;
};

}  // namespace fuser::fuzz
