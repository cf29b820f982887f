#include "tests/reports/page/browser.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "reports/markup.h"

namespace reports_test {
namespace {

std::string outputOf(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  char buffer[4096];
  for (size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, count);
  pclose(pipe);
  return text;
}

// The pages are frames of one page, whose script replaces them by what it measured: Chromium prints that.
std::string wrapped(const std::vector<Frame>& frames, const std::string& measure) {
  std::string html = "<!DOCTYPE html><html><body>\n";
  for (const Frame& frame : frames) {
    html += "<iframe id=\"" + frame.name + "\" style=\"border:0;width:" + std::to_string(frame.width) +
            "px;height:" + std::to_string(frame.height) + "px\" srcdoc=\"" + reports::escaped(frame.page) +
            "\"></iframe>\n";
  }
  return html + R"html(<script>
const measure = )html" + measure + R"html(;
addEventListener('load', () => {
  const measured = {};
  for (const frame of document.querySelectorAll('iframe')) {
    measured[frame.id] = measure(frame.contentWindow, frame.contentDocument);
  }
  const answer = document.createElement('script');
  answer.type = 'application/json';
  answer.textContent = 'MEASURED' + JSON.stringify(measured).replaceAll('<', '\\u003c') + 'END';
  document.documentElement.replaceChildren(answer);
});
</script></body></html>
)html";
}

}  // namespace

std::optional<std::string> findChromium() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    std::string path = outputOf(std::string("command -v ") + name);
    while (!path.empty() && path.back() == '\n') path.pop_back();
    if (!path.empty()) return path;
  }
  return std::nullopt;
}

std::map<std::string, nlohmann::json> measureInBrowser(const std::string& chromium, const std::vector<Frame>& frames,
                                                       const std::string& measure) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("report_page_test." + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "page.html") << wrapped(frames, measure);
  const std::string text = outputOf("timeout 120 '" + chromium +
                                    "' --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
                                    "--user-data-dir='" +
                                    (folder / "profile").string() + "' --dump-dom 'file://" +
                                    (folder / "page.html").string() + "' 2> '" + (folder / "errors").string() + "'");
  const size_t start = text.find("MEASURED"), end = text.rfind("END");
  std::filesystem::remove_all(folder);
  if (start == text.npos || end == text.npos) throw std::runtime_error("Chromium printed no answer, but: " + text);
  const size_t first = start + std::string("MEASURED").size();
  return nlohmann::json::parse(text.substr(first, end - first));
}

}  // namespace reports_test
