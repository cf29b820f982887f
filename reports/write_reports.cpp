// Reports into files.

#include <fstream>

#include "fuser/support/check.h"
#include "reports/campaign_summary.h"

namespace reports {

void writeFile(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path partial = path.string() + ".part";
  {
    std::ofstream out(partial, std::ios::binary);
    out << text;
    out.flush();
    FUSER_USER_CHECK(out.good(), "cannot write ", partial.string(), "; is the disk full or the folder read-only?");
  }
  std::error_code error;
  std::filesystem::rename(partial, path, error);
  FUSER_USER_CHECK(!error, "cannot write ", path.string(), ": ", error.message());
}

void writeReports(const std::filesystem::path& folder, const CampaignSummary& summary) {
  writeFile(folder / "report.json", toJson(summary));
  writeFile(folder / "junit.xml", toJUnit(summary));
  writeFile(folder / "report.html", toHtml(summary));
}

}  // namespace reports
