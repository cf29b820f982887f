#include "fuzz/campaign/night_in.h"

#include "fuser/support/set_up_error.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/ledger.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kReportName = "report.json";

// Whether `read` could read the file; why not, as a note.
template <class Read>
bool tryRead(reports::Night& night, const Read& read) {
  const reports::Night before = night;
  try {
    read();
    return true;
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    night = before;
    night.notes.emplace_back(error.what());
    return false;
  }
}

void readCampaignIn(reports::Night& night, const std::filesystem::path& folder) {
  const std::filesystem::path ledger = folder / kLedgerName, report = folder / kReportName;
  const auto readLedger = [&] { readCampaign(night, reports::toJson(summaryOf(folder)), ledger.string()); };
  if (exists(ledger) && tryRead(night, readLedger)) return;
  if (!exists(report)) return;
  tryRead(night, [&] { readCampaign(night, readTextFile(report.string()), report.string()); });
}

}  // namespace

reports::Night nightIn(const std::filesystem::path& folder, const std::filesystem::path& page) {
  FUSER_USER_CHECK(is_directory(folder), folder.string(), " is no folder");
  reports::Night night;
  night.folder = folder.string();
  readCampaignIn(night, folder);
  for (const std::filesystem::path& file : {folder / kSelftestName, folder / kSelftestFolder / kSelftestName}) {
    if (exists(file) && tryRead(night, [&] { readSelftest(night, readTextFile(file.string()), file.string()); })) break;
  }
  FUSER_USER_CHECK(night.hasCampaign || !night.selftest.empty(), folder.string(),
                   " holds no campaign that can be read, and no selftest",
                   night.notes.empty() ? std::string() : concat(": ", night.notes.front()));
  const std::filesystem::path seeds = folder / kSeedsName;
  if (exists(seeds)) tryRead(night, [&] { readSeeds(night, readTextFile(seeds.string()), seeds.string()); });
  if (exists(folder / "report.html"))
    night.report =
        absolute(folder / "report.html").lexically_normal().lexically_relative(absolute(page).lexically_normal());
  return night;
}

}  // namespace fuser::fuzz
