#include "fuzz/campaign/campaign_folder.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "fuser/support/check.h"
#include "fuzz/campaign/ledger.h"

namespace fuser::fuzz {

bool isArtifact(const std::filesystem::path& path) {
  constexpr size_t kDigits = 40;
  const std::string extension = path.extension().string(), stem = path.stem().string();
  const bool ours = extension == ".fusion" || extension == ".sequence" || extension == ".py";
  if (!ours || stem.size() < kDigits + 2) return false;
  const std::string_view hash = std::string_view(stem).substr(stem.size() - kDigits);
  return stem[stem.size() - kDigits - 1] == '-' && hash.find_first_not_of("0123456789abcdef") == hash.npos;
}

std::vector<std::string> filesOfResults(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::filesystem::path name = entry.path().filename();
    if (isArtifact(name) || name == "campaign.log") names.push_back(name.string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool holdsResults(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::error_code noFile;
    if (!entry.is_regular_file(noFile)) continue;
    const std::string name = entry.path().filename().string();
    for (const char* report : {"report.html", "report.json", "junit.xml", "campaign.log"})
      if (name == report) return true;
    if (isArtifact(entry.path())) return true;
  }
  return false;
}

void checkLedgerIsThere(const std::filesystem::path& folder, bool resume) {
  std::error_code error;
  if (std::filesystem::exists(folder / kLedgerName, error)) return;
  FUSER_USER_CHECK(!holdsResults(folder), folder.string(), " holds the results of a campaign without its ledger (",
                   kLedgerName, "): put the ledger back, or begin a new campaign in another folder");
  // Who is killed before the first task leaves the lock, and perhaps no ledger.
  FUSER_USER_CHECK(!resume || std::filesystem::exists(folder / "lock", error), folder.string(),
                   " holds no campaign to resume: there is no ", kLedgerName, "; omit --resume to begin one");
}

}  // namespace fuser::fuzz
