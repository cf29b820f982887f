// report.html in a window of 1400 and of 400 pixels: what is seen first, that nothing leaves the window but what says
// so, what sticks. Where there is no Chromium, all of these are skipped.

#include "reports/campaign_summary.h"
#include "tests/reports/page/laid_out_pages.h"
#include "tests/reports/samples/summaries.h"

namespace reports {
namespace {

using nlohmann::json;
using reports_test::Frame;

// Ten bugs, and a heat map that scrolls both ways.
CampaignSummary largeSummary(const std::string& text) {
  CampaignSummary summary = reports_test::hostileSummary(text);
  for (int i = 0; i < 7; ++i) {
    Finding& finding = summary.findings.emplace_back(summary.findings[0]);
    finding.bucket = "check | kernel | - | check " + std::to_string(i) + text;
    finding.title = "a check failed: the host program reads a value that no statement before it defines, " + text;
    finding.foundSeconds = 3 * i + 1;
  }
  for (const char* dtype : {"bf16", "bool", "f16", "f32", "f64", "i32", "i64", "i8"}) {
    for (const char* scheduler : {"ExprEval", "PointWise", "Reduction", "Resize", "Transpose"}) {
      for (int op = 0; op < 60; ++op) summary.opCoverage["op" + std::to_string(op)][dtype][scheduler] = 10 * op;
    }
  }
  summary.ops["op7"] = {100, {1000, 100}};
  return summary;
}

constexpr const char* kMeasure = R"js((window, document) => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const box = (element) => element.getBoundingClientRect();
  const list = document.querySelector('.list'), buckets = all('.bucket');
  const measured = {
    width: window.innerWidth, height: window.innerHeight, pageHeight: document.documentElement.scrollHeight,
    buckets: buckets.length, open: buckets.map((one) => one.open), firstHeight: box(buckets[0]).height,
  };
  for (const bucket of buckets) bucket.open = false;
  measured.listTop = box(list).top;
  measured.listHeight = box(list).height;
  measured.closedHeights = buckets.map((one) => box(one).height);
  const link = document.querySelector('nav a[href="#margins"]');
  link.addEventListener('click', (event) => event.preventDefault());
  link.click();
  measured.foldOpened = document.querySelector('#margins details')?.open;
  for (const details of all('details')) details.open = true;

  const scrollers = '.scroll, pre, .command code';
  measured.pageScrollWidth = document.documentElement.scrollWidth;
  measured.tooWide = all('body *').filter((one) => box(one).right > window.innerWidth + 0.5 && !one.closest('.swipe') &&
    !one.parentElement.closest(scrollers)).map((one) => one.tagName + '.' + one.getAttribute('class'));
  measured.scrolling = all(scrollers).filter((one) => one.scrollWidth > one.clientWidth).length;
  measured.unmarked = all('body *').filter((one) => one.scrollWidth > one.clientWidth + 1 && one.tabIndex !== 0 &&
    ['auto', 'scroll'].includes(window.getComputedStyle(one).overflowX)).map((one) => one.outerHTML.slice(0, 80));
  measured.pictures = all('.picture').map((one) => {
    const hint = one.previousElementSibling;
    const whole = box(hint.firstElementChild).right <= box(hint).right + 0.5;
    return {scrolls: one.scrollWidth > one.clientWidth, says: box(hint).height > 10 && whole};
  });
  measured.commands = all('.command').map((one) => {
    const label = box(one.querySelector('.what')), code = box(one.querySelector('code'));
    return {labelBottom: label.bottom, labelTop: label.top, labelLeft: label.left, codeTop: code.top,
            codeLeft: code.left, codeRight: code.right, buttonTop: box(one.querySelector('button')).top,
            right: box(one).right};
  });
  measured.maps = all('.tall').map((one) => {
    const head = one.querySelector('thead'), op = one.querySelector('tbody th'), cases = one.querySelector('tbody td');
    const before = box(cases).left;
    one.scrollTo(150, 120);
    return {scrolledX: one.scrollLeft, scrolledY: one.scrollTop, head: box(head).top - box(one).top,
            op: box(op).left - box(one).left, cases: before - box(cases).left, height: box(one).height};
  });
  return measured;
})js";

class ReportPageTest : public reports_test::LaidOutPages {
 protected:
  static void SetUpTestSuite() {
    const auto addFrames = [](int width, int height, std::vector<Frame>& frames) {
      frames.push_back({"plain" + std::to_string(width), toHtml(largeSummary("")), width, height});
      frames.push_back({"wide" + std::to_string(width), toHtml(largeSummary(std::string(300, 'w'))), width, height});
      frames.push_back({"none" + std::to_string(width), toHtml(oneBug()), width, height});
    };
    measure(addFrames, kMeasure);
  }
  // The least that has a list.
  static CampaignSummary oneBug() {
    CampaignSummary summary;
    Finding& finding = summary.findings.emplace_back();
    finding.kind = finding.bucket = "crash";
    finding.title = "a crash";
    return summary;
  }

  static bool isWide() { return GetParam() > 1000; }
};

TEST_P(ReportPageTest, TheWindowHasTheRequestedWidth) { EXPECT_EQ(of("plain").at("width"), GetParam()); }

TEST_P(ReportPageTest, OnlyScrollableElementsOverflow) {
  for (const char* page : {"plain", "wide", "none"}) {
    const json measured = of(page);
    EXPECT_EQ(measured.at("tooWide"), json::array()) << page;
    EXPECT_LE(measured.at("pageScrollWidth"), GetParam()) << page;
    EXPECT_EQ(measured.at("unmarked"), json::array()) << page;  // a key scrolls it, too
  }
  EXPECT_GT(of("wide").at("scrolling"), 5);
}

TEST_P(ReportPageTest, TheListOfBugsFitsOneScreen) {
  const json measured = of("plain");
  EXPECT_EQ(measured.at("buckets"), 10);
  EXPECT_LE(measured.at("listHeight"), measured.at("height"));
  if (isWide()) {
    EXPECT_LE(measured.at("listTop").get<double>() + measured.at("listHeight").get<double>(), measured.at("height"));
  }
  for (const char* page : {"plain", "wide"}) {
    for (const json& height : of(page).at("closedHeights")) EXPECT_LE(height, 44) << page;
  }
}

TEST_P(ReportPageTest, TheFirstBugIsOpenAndNoOther) {
  const json measured = of("plain");
  EXPECT_EQ(measured.at("open").at(0), true);
  for (size_t i = 1; i < measured.at("open").size(); ++i) EXPECT_EQ(measured.at("open").at(i), false) << i;
  EXPECT_LE(measured.at("listTop"), measured.at("height"));
  EXPECT_LE(measured.at("firstHeight"), (isWide() ? 1.0 : 1.6) * measured.at("height").get<double>());
  EXPECT_LE(measured.at("pageHeight"), (isWide() ? 4 : 7) * measured.at("height").get<double>());
}

TEST_P(ReportPageTest, ALinkOpensTheFoldThatItLeadsTo) { EXPECT_EQ(of("plain").at("foldOpened"), true); }

TEST_P(ReportPageTest, AScrollablePictureIsLabelledAsSuch) {
  bool some = false;
  for (const char* page : {"plain", "wide"}) {
    for (const json& picture : of(page).at("pictures")) {
      EXPECT_EQ(picture.at("scrolls"), picture.at("says")) << page;
      some = some || picture.at("scrolls").get<bool>();
    }
  }
  EXPECT_TRUE(some);
  EXPECT_FALSE(of("plain").at("pictures").at(0).at("scrolls").get<bool>());
}

TEST_P(ReportPageTest, ALabelStandsBesideItsCommandOrAboveIt) {
  const json commands = of("wide").at("commands");
  ASSERT_GT(commands.size(), 3u);
  for (const json& one : commands) {
    if (isWide()) {
      EXPECT_GT(one.at("codeLeft"), one.at("labelLeft"));
      EXPECT_LT(one.at("codeTop"), one.at("labelBottom"));
    } else {
      EXPECT_GE(one.at("codeTop").get<double>(), one.at("labelBottom").get<double>() - 1);
      EXPECT_LT(one.at("buttonTop"), one.at("codeTop"));
      EXPECT_NEAR(one.at("codeRight"), one.at("right"), 1);  // all of the width
    }
  }
}

TEST_P(ReportPageTest, HeaderAndOpColumnOfTheHeatMapAreSticky) {
  const json maps = of("plain").at("maps");
  ASSERT_EQ(maps.size(), 2u);  // ops with trouble, and all
  const json& all = maps.at(1);
  EXPECT_EQ(all.at("scrolledX"), 150);
  EXPECT_EQ(all.at("scrolledY"), 120);
  EXPECT_NEAR(all.at("head"), 1, 1);  // the border
  EXPECT_NEAR(all.at("op"), 1, 1);
  EXPECT_EQ(all.at("cases"), 150);  // only the op stays
  EXPECT_LE(all.at("height"), 0.8 * of("plain").at("height").get<double>() + 1);
}

INSTANTIATE_TEST_SUITE_P(Widths, ReportPageTest, testing::Values(1400, 400));

}  // namespace
}  // namespace reports
