// Links to files beside the report. Their names may come from a stranger's folder: a link never leads to another host.

#include "reports/page.h"

namespace reports {

std::string relativeUrl(std::string_view path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string url = "./";  // so that "//host" and "scheme:" are names of files
  for (const char c : path) {
    if (kPlain.find(c) != kPlain.npos) {
      url += c;
    } else {
      const auto byte = static_cast<uint8_t>(c);
      url += {'%', kDigits[byte / 16], kDigits[byte % 16]};
    }
  }
  return url;
}

void writeFileLink(Markup& page, const std::string& path) {
  page.element("a", {{"class", "file"}, {"href", relativeUrl(path)}, {"title", path}}, path);
}

}  // namespace reports
