#include "fuzz/campaign/program_of.h"

#include <filesystem>

#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuzz/export/export.h"

namespace fuser::fuzz {
namespace {

const ExportFormat& pytorch() { return exportFormat("pytorch"); }

}  // namespace

// A case may be a finding because it is refused, or because our own code fails on it; then it has no program.
std::string programOf(const std::string& caseText) {
  try {
    const Exported exported = pytorch().write(parseCase(caseText, "case"));
    return exported.refusal ? "" : exported.programs.front().text;
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    return "";
  }
}

std::string programName(const std::string& caseFile) {
  return std::filesystem::path(caseFile).replace_extension(pytorch().ending).string();
}

}  // namespace fuser::fuzz
