#pragma once
// mergeCampaigns(): joins campaigns that ran apart, the parts of one (shard.h) or what such were merged to, in a folder
// of its own: ledger, findings and reports. It can be merged again, and `run --resume` goes on with what is missing.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/campaign/ledger.h"

namespace fuser::fuzz {

// What the folders hold, as one ledger: the same in whatever order they are named, and figures but for times those of a
// campaign that ran everything itself. Of smallest cases each bucket keeps one. A folder whose tasks are all in others
// adds nothing. A campaign that still runs counts as far as it is. A UserError that names two folders if their stamps
// or corpora differ, or if both have some tasks, but neither has all of the other's.
struct CampaignPart {
  std::filesystem::path folder;
  Ledger::Contents contents;
};
struct MergedCampaign {
  Ledger::Contents contents;
  std::vector<std::filesystem::path> parts;  // that add something
};
MergedCampaign merged(std::vector<CampaignPart> parts);

// Reads the folders, and writes the merged campaign with its artifacts to `out`, which has no campaign yet; created if
// missing. Returns its report. Every error of a folder is a UserError that names it.
reports::CampaignSummary mergeCampaigns(const std::vector<std::filesystem::path>& folders,
                                        const std::filesystem::path& out);

}  // namespace fuser::fuzz
