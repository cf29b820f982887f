#pragma once
// LaidOutPages: tests of pages in windows of several widths, their parameter. Where there is no Chromium, each is
// skipped.

#include <gtest/gtest.h>

#include <functional>

#include "tests/reports/page/browser.h"

namespace reports_test {

class LaidOutPages : public testing::TestWithParam<int> {
 protected:
  // For SetUpTestSuite(). addFrames: adds the frames of a window, whose names end in its width. script: of
  // measureInBrowser(). Without Chromium nothing is made.
  static void measure(const std::function<void(int width, int height, std::vector<Frame>& frames)>& addFrames,
                      const std::string& script) {
    const std::optional<std::string> chromium = findChromium();
    if (!chromium) return;
    std::vector<Frame> frames;
    for (const auto& [width, height] : {std::pair(1400, 1000), std::pair(400, 800)}) addFrames(width, height, frames);
    measured_ = measureInBrowser(*chromium, frames, script);
  }
  static void TearDownTestSuite() { measured_.clear(); }
  void SetUp() override {
    if (measured_.empty()) GTEST_SKIP() << "no Chromium in the PATH: no page was laid out";
  }
  const nlohmann::json& of(const std::string& page) const { return measured_.at(page + std::to_string(GetParam())); }

 private:
  static inline std::map<std::string, nlohmann::json> measured_;  // by name of frame
};

}  // namespace reports_test
