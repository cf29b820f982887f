#include "fuser/text/read_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "fuser/support/set_up_error.h"
#include "fuser/text/limits.h"

namespace fuser {

std::string readFusionText(std::istream& in) {
  std::string text;
  char piece[1 << 16];
  while (in && text.size() <= text::kMaxFileBytes) {
    in.read(piece, sizeof piece);
    text.append(piece, static_cast<size_t>(in.gcount()));
  }
  return text;
}

std::string readFusionFile(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  FUSER_SET_UP_CHECK(status.type() != std::filesystem::file_type::not_found, "cannot read ", path,
                     ": it does not exist");
  FUSER_SET_UP_CHECK(!error, "cannot read ", path, ": ", error.message());
  FUSER_USER_CHECK(std::filesystem::is_regular_file(status), "cannot read ", path, ": it is not a regular file");
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  FUSER_USER_CHECK(error || bytes <= text::kMaxFileBytes, "cannot read ", path, ": it has ", bytes,
                   " bytes, and a case at most ", text::kMaxFileBytes);
  std::ifstream in(path, std::ios::binary);
  FUSER_SET_UP_CHECK(in.good(), "cannot read ", path, ": ", std::strerror(errno));
  std::string text = readFusionText(in);
  FUSER_SET_UP_CHECK(!in.bad(), "cannot read ", path, " to its end: ", std::strerror(errno));
  return text;
}

}  // namespace fuser
