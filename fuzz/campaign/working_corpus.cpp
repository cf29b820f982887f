#include "fuzz/campaign/working_corpus.h"

#include <algorithm>
#include <cctype>

#include "fuser/support/check.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/campaign_folder.h"
#include "fuzz/campaign/sha1.h"
#include "reports/campaign_summary.h"

namespace fuser::fuzz {
namespace {

// A name is a word of a task.
bool isWord(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isgraph(c) != 0; });
}

}  // namespace

WorkingCorpus::WorkingCorpus(std::filesystem::path folder) : folder_(std::move(folder)) {
  makeWritableFolder(folder_);
  size_t files = 0;
  std::string firstError;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string name = entry.path().filename().string();
    try {
      FUSER_USER_CHECK(isWord(name), "the name '", name, "' has a space");
      parseCase(readFusionFile(entry.path().string()), entry.path().string());
      found_.push_back(name);
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      const std::string what = error.what();
      if (firstError.empty() || what < firstError) firstError = what;
    }
  }
  std::sort(found_.begin(), found_.end());
  if (found_.size() < files) {
    leftOut_ = concat(files - found_.size(), " of ", files, " files in ", folder_.string(),
                      " are left out: ", firstError.substr(0, firstError.find('\n')));
  }
}

bool WorkingCorpus::add(const std::string& text, const std::set<std::string>& decisions) {
  std::vector<size_t> numbers;
  for (const std::string& decision : decisions)
    numbers.push_back(numbers_.try_emplace(decision, numbers_.size()).first->second);
  std::sort(numbers.begin(), numbers.end());
  const auto same = bySet_.find(numbers);
  if (same != bySet_.end()) {
    if (text.size() >= same->second.bytes) return false;
    names_[same->second.place] = write(text);
    same->second.bytes = text.size();
    return true;
  }
  if (!showsNew(numbers)) return false;
  bySet_[numbers] = {names_.size(), text.size()};
  names_.push_back(write(text));
  return true;
}

bool WorkingCorpus::showsNew(const std::vector<size_t>& decisions) {
  const size_t before = pairs_;
  const size_t known = together_.size();
  for (size_t number = known; number < numbers_.size(); ++number) together_.emplace_back(number, false);
  for (size_t i = 0; i < decisions.size(); ++i) {
    std::vector<bool>& with = together_[decisions[i]];
    for (size_t j = 0; j < i; ++j) {
      if (with[decisions[j]]) continue;
      with[decisions[j]] = true;
      ++pairs_;
    }
  }
  return pairs_ > before || numbers_.size() > known;
}

std::string WorkingCorpus::write(const std::string& text) const {
  const std::string name = sha1(text) + ".fusion";
  if (!std::filesystem::exists(folder_ / name)) reports::writeFile(folder_ / name, text);
  return name;
}

}  // namespace fuser::fuzz
