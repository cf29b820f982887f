// history.html in a window of 1400 and of 400 pixels: nothing leaves the window but what scrolls, and pictures have
// their size. Where there is no Chromium, all of these are skipped.

#include "reports/history.h"
#include "tests/reports/page/laid_out_pages.h"
#include "tests/reports/samples/nights.h"

namespace reports {
namespace {

using nlohmann::json;
using reports_test::Frame;
using reports_test::manyNights;

constexpr const char* kMeasureHistory = R"js((window, document) => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const box = (element) => element.getBoundingClientRect();
  return {
    pageScrollWidth: document.documentElement.scrollWidth,
    tooWide: all('body *').filter((one) => box(one).right > window.innerWidth + 0.5 &&
      !one.parentElement.closest('.scroll, svg')).map((one) => one.tagName + '.' + one.getAttribute('class')),
    unmarked: all('body *').filter((one) => one.scrollWidth > one.clientWidth + 1 && one.tabIndex !== 0 &&
      ['auto', 'scroll'].includes(window.getComputedStyle(one).overflowX)).length,
    pictures: all('svg').map((one) => ({width: box(one).width, height: box(one).height})),
    changesTop: box(document.querySelector('#changes li')).top,
  };
})js";

class HistoryLayoutTest : public reports_test::LaidOutPages {
 protected:
  static void SetUpTestSuite() {
    const auto addFrames = [](int width, int height, std::vector<Frame>& frames) {
      for (const std::string& text : {std::string(), std::string(300, 'w')}) {
        const History history = historyOf(manyNights(30, 15, text), {"x" + text + ": no folder"});
        frames.push_back({(text.empty() ? "plain" : "wide") + std::to_string(width), toHtml(history), width, height});
      }
    };
    measure(addFrames, kMeasureHistory);
  }
};

TEST_P(HistoryLayoutTest, OnlyScrollableElementsOverflow) {
  for (const char* page : {"plain", "wide"}) {
    EXPECT_EQ(of(page).at("tooWide"), json::array()) << page;
    EXPECT_LE(of(page).at("pageScrollWidth"), GetParam()) << page;
    EXPECT_EQ(of(page).at("unmarked"), 0) << page;  // a key scrolls it, too
  }
}

TEST_P(HistoryLayoutTest, PicturesHaveOneSizeAndTheFirstChangeIsSeenAtOnce) {
  const json& pictures = of("plain").at("pictures");
  ASSERT_EQ(pictures.size(), allFigures().size());
  for (const json& picture : pictures) {
    EXPECT_NEAR(picture.at("height"), 130, 1);
    EXPECT_GE(picture.at("width"), 150);
  }
  EXPECT_LE(of("plain").at("changesTop"), 400);
}

INSTANTIATE_TEST_SUITE_P(Widths, HistoryLayoutTest, testing::Values(1400, 400));

}  // namespace
}  // namespace reports
