#include "fuser/execute/ptx_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "fuser/ptx/content.h"
#include "fuser/support/check.h"
#include "fuser/support/set_up_error.h"

namespace fuser {
namespace {

std::string hexadecimal(uint64_t bits) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(bits));
  return text;
}

// The first line of a file: what the rest of it must be.
std::string headOf(std::string_view ptx) { return hexadecimal(ptx::hashOfBytes(ptx)); }

}  // namespace

PtxStore::PtxStore(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  FUSER_SET_UP_CHECK(std::filesystem::is_directory(folder_), "cannot make the folder ", folder_.string(),
                     " for compiled kernels: ", error.message());
}

// Two hashes with different beginnings, of 64 bits each.
std::filesystem::path PtxStore::fileOf(std::string_view settings, std::string_view text) const {
  const uint64_t first = ptx::hashOfBytes(text, ptx::hashOfBytes(settings));
  const uint64_t second = ptx::hashOfBytes(text, ptx::hashOfBytes(settings, 1));
  return folder_ / concat(hexadecimal(first), hexadecimal(second), ".ptx");
}

std::optional<std::string> PtxStore::find(std::string_view settings, std::string_view text) const {
  std::ifstream file(fileOf(settings, text), std::ios::binary);
  std::string head;
  if (!file || !std::getline(file, head)) return std::nullopt;
  std::ostringstream rest;
  rest << file.rdbuf();
  std::string ptx = std::move(rest).str();
  if (head != headOf(ptx)) return std::nullopt;
  return ptx;
}

void PtxStore::keep(std::string_view settings, std::string_view text, std::string_view ptx) const {
  const std::filesystem::path place = fileOf(settings, text);
  // A name that nobody else has: machines may share the folder.
  std::string part = place.string() + ".XXXXXX";
  const int made = mkstemp(part.data());
  FUSER_SET_UP_CHECK(made >= 0, "cannot write ", place.string(), ": ", std::strerror(errno));
  fchmod(made, 0644);
  close(made);
  std::ofstream file(part, std::ios::binary);
  file << headOf(ptx) << "\n" << ptx;
  file.close();
  std::error_code error;
  if (file.good()) std::filesystem::rename(part, place, error);
  const bool isKept = file.good() && !error;
  if (!isKept) std::filesystem::remove(part, error);
  FUSER_SET_UP_CHECK(isKept, "cannot write ", place.string(), "; is the disk full?");
}

}  // namespace fuser
