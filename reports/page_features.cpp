// What features of the back end the kernels had: a table behind a fold.

#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

void writeRow(Markup& page, const std::string& name, const KernelFeature& feature, int64_t cases) {
  const double part = share(feature.cases, cases);
  page.open("tr").element("th", {{"scope", "row"}}, name);
  page.element("td", {{"class", "number"}}, grouped(feature.cases));
  page.element("td", {{"class", part < kFewCases ? "number low" : "number"}}, percent(part));
  page.element("td", {{"class", "number"}}, grouped(countOf(feature.segments)));
  for (const auto* histogram : {&feature.segments, &feature.largest})
    page.element("td", {{"class", "number"}}, histogram->empty() ? "–" : grouped(medianOf(*histogram)));
  page.close();
}

}  // namespace

void writeFeatures(Markup& page, const CampaignSummary& summary) {
  int64_t rare = 0;
  for (const auto& [name, feature] : summary.features) rare += share(feature.cases, summary.cases) < kFewCases;
  openFold(page, "features", "Features of kernels",
           summary.features.empty()
               ? "No kernel was counted."
               : plural(static_cast<int64_t>(summary.features.size()), "feature", "features") + ", " + grouped(rare) +
                     " of them in less than " + percent(kFewCases) + " of the cases.");
  if (!summary.features.empty()) {
    page.element("p", {{"class", "note"}},
                 "Of the kernels that a case was compiled to, as it is and in the views that it was judged in. "
                 "Expressions: the median of the segments that have the feature, and of the largest one of each case.");
    page.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table", {{"class", "views"}});
    page.open("thead").open("tr");
    for (const char* name : {"feature", "cases", "share", "segments", "expressions", "of the largest"})
      page.element("th", {{"scope", "col"}}, name);
    page.close().close().open("tbody");
    for (const auto& [name, feature] : summary.features) writeRow(page, name, feature, summary.cases);
    page.close().close().close();
  }
  closeFold(page);
}

}  // namespace reports
