#pragma once
// Pages as headless Chromium lays them out.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reports_test {

struct Frame {
  std::string name;
  std::string page;  // HTML
  int width = 0, height = 0;  // of the window, in CSS pixels
};

// The first of chromium, chromium-browser and google-chrome in the PATH.
std::optional<std::string> findChromium();

// Lays out each page in a window of its own, and calls there `measure`, the text of a JavaScript function of the window
// and its document. By name, what it returns. A std::runtime_error where Chromium gives no answer.
std::map<std::string, nlohmann::json> measureInBrowser(const std::string& chromium, const std::vector<Frame>& frames,
                                                       const std::string& measure);

}  // namespace reports_test
