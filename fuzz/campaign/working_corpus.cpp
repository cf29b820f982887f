#include "fuzz/campaign/working_corpus.h"

#include <algorithm>
#include <fstream>

#include "fuser/support/check.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/campaign_folder.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/sha1.h"
#include "reports/campaign_summary.h"
#include "reports/fields_json.h"

namespace fuser::fuzz {
namespace {

std::string nameOf(const std::string& text) { return sha1(text) + ".fusion"; }

}  // namespace

WorkingCorpus::WorkingCorpus(std::filesystem::path folder, std::filesystem::path notes, bool goesOn)
    : folder_(std::move(folder)), notes_(std::move(notes)) {
  makeWritableFolder(folder_);
  find(goesOn ? goOn() : std::set<std::string>());
}

// Keeps again what the notes say, and returns its names. The last line may be cut: its case is judged again.
std::set<std::string> WorkingCorpus::goOn() {
  std::set<std::string> known;
  std::ifstream in(notes_);
  for (std::string line; std::getline(in, line);) {
    try {
      const auto one = reports::fromJsonText<KeptCase>(line);
      if (!std::filesystem::exists(folder_ / one.name)) continue;
      if (!one.decisions.empty()) keep(one);
      known.insert(one.name);
    } catch (const std::invalid_argument&) {
      continue;
    }
  }
  return known;
}

void WorkingCorpus::find(const std::set<std::string>& known) {
  size_t files = 0, unread = 0;
  std::string firstError;
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    try {
      const std::string text = readFusionFile(entry.path().string());
      const std::string name = nameOf(text);
      if (known.count(name) || names.count(name)) continue;
      parseCase(text, entry.path().string());
      names.insert(name);
      write(text);
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      const std::string what = error.what();
      if (firstError.empty() || what < firstError) firstError = what;
      ++unread;
    }
  }
  found_.assign(names.begin(), names.end());
  if (unread > 0) {
    leftOut_ = concat(unread, " of ", files, " files in ", folder_.string(),
                      " are left out: ", firstError.substr(0, firstError.find('\n')));
  }
}

bool WorkingCorpus::add(const std::string& text, const std::set<std::string>& decisions) {
  const KeptCase one{nameOf(text), static_cast<int64_t>(text.size()), decisions};
  if (!keep(one)) return false;
  write(text);
  note(one);
  return true;
}

std::string WorkingCorpus::begin(const std::string& text) const {
  const std::string name = write(text);
  note({name, static_cast<int64_t>(text.size()), {}});
  return name;
}

void WorkingCorpus::note(const KeptCase& one) const {
  if (notes_.empty()) return;
  std::ofstream out(notes_, std::ios::app);
  out << reports::toJsonText(one) << "\n";
  out.close();
  FUSER_SET_UP_CHECK(out.good(), "cannot write ", notes_.string(), "; is the disk full?");
}

bool WorkingCorpus::keep(const KeptCase& one) {
  const auto bytes = static_cast<size_t>(one.bytes);
  std::vector<size_t> numbers;
  for (const std::string& decision : one.decisions)
    numbers.push_back(numbers_.try_emplace(decision, numbers_.size()).first->second);
  std::sort(numbers.begin(), numbers.end());
  const auto same = bySet_.find(numbers);
  if (same != bySet_.end()) {
    if (bytes >= same->second.bytes) return false;
    names_[same->second.place] = one.name;
    same->second.bytes = bytes;
    return true;
  }
  if (!showsNew(numbers)) return false;
  bySet_[numbers] = {names_.size(), bytes};
  names_.push_back(one.name);
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
  const std::string name = nameOf(text);
  if (!std::filesystem::exists(folder_ / name)) reports::writeFile(folder_ / name, text);
  return name;
}

}  // namespace fuser::fuzz
