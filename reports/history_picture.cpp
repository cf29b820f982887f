// A figure over the nights of a group.

#include <algorithm>
#include <cmath>

#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

// 1000 units wide, 200 high, and stretched to its place: points are strokes of no length, which stay round.
class NightsPicture {
 public:
  NightsPicture(Markup& page, const History& history, const Group& group, const Series& series)
      : page_(page), history_(history), group_(group), series_(series) {
    low_ = high_ = series.strands.front().values.front();
    for (const Strand& strand : series.strands) {
      for (const double value : strand.values) {
        low_ = std::min(low_, value);
        high_ = std::max(high_, value);
      }
    }
    if (low_ == high_) {  // a line in the middle
      low_ -= 1;
      high_ += 1;
    }
  }

  void draw() {
    page_.open("div", {{"class", "chart"}});
    page_.within("div", {{"class", "scale"}}, [&] {
      const double middle = (low_ + high_) / 2;
      const bool isBetween = series_.figure->digits == 0 && middle != std::floor(middle);  // of two counts
      page_.element("span", {}, valueText(*series_.figure, high_));
      page_.element("span", {}, isBetween ? "" : valueText(*series_.figure, middle));
      page_.element("span", {}, valueText(*series_.figure, low_));
    });
    page_.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                       {"viewBox", "0 0 1000 200"},
                       {"preserveAspectRatio", "none"},
                       {"role", "img"}});
    page_.element("title", {}, std::string(series_.figure->name) + " over nights");
    for (const char* height : {"0", "100", "200"})
      page_.empty("path", {{"class", "grid"}, {"d", std::string("M0 ") + height + " H1000"}});
    for (const Strand& strand : series_.strands) {
      drawMedians(strand);
      drawPoints(strand, &strand == &series_.strands.back());
    }
    page_.close();
    page_.within("div", {{"class", "scale across"}}, [&] {
      page_.element("span", {}, labelOf(group_.nights.front()));
      if (group_.nights.size() > 1) page_.element("span", {}, labelOf(group_.nights.back()));
    });
    page_.close();
  }

 private:
  std::string x(size_t night) const {
    const auto place = std::find(group_.nights.begin(), group_.nights.end(), night) - group_.nights.begin();
    const auto steps = static_cast<double>(group_.nights.size() - 1);
    return fixed(steps == 0 ? 500 : 10 + 980 * static_cast<double>(place) / steps, 1);
  }
  std::string y(double value) const { return fixed(200 - 200 * (value - low_) / (high_ - low_), 1); }
  std::string labelOf(size_t night) const {
    const std::string& started = history_.nights[night].started;
    return started.empty() ? "start unknown" : started.substr(0, 10);
  }

  // Between changes, over the nights that are searched for them.
  void drawMedians(const Strand& strand) {
    if (!strand.isTested) return;
    const size_t count = strand.nights.size();
    std::string from = x(strand.nights[count - std::min(count, kSearchedNights)]);
    for (const Change& change : strand.changes) {
      drawMedian(from, x(change.last), change.before);
      from = x(change.first);
    }
    if (strand.changes.empty()) {
      drawMedian(from, x(strand.nights.back()), searchedMedian(strand));
    } else {
      drawMedian(from, x(strand.nights.back()), strand.changes.back().after);
    }
  }

  void drawMedian(const std::string& from, const std::string& to, double value) {
    page_.empty("path", {{"class", "median"}, {"d", "M" + from + " " + y(value) + " H" + to}});
  }

  void drawPoints(const Strand& strand, bool isLast) {
    for (const Change& change : strand.changes) {
      page_.open("path", {{"class", "changed"}, {"d", "M" + x(change.first) + " 0 V200"}});
      page_.element("title", {}, sentenceOf(history_, *series_.figure, change)).close();
    }
    for (size_t i = 0; i < strand.nights.size(); ++i) {
      const std::string place = "M" + x(strand.nights[i]) + " " + y(strand.values[i]) + " h0";
      page_.open("path", {{"class", isLast ? "point" : "point other"}, {"d", place}});
      page_.element("title", {},
                    nightName(history_.nights[strand.nights[i]]) + ": " + valueText(*series_.figure, strand.values[i]));
      page_.close();
      if (!isLast) page_.empty("path", {{"class", "point hole"}, {"d", place}});
    }
  }

  Markup& page_;
  const History& history_;
  const Group& group_;
  const Series& series_;
  double low_ = 0, high_ = 1;
};

}  // namespace

void writeSeries(Markup& page, const History& history, const Group& group, const Series& series) {
  size_t count = 0, changes = 0;
  for (const Strand& strand : series.strands) {
    count += strand.values.size();
    changes += strand.changes.size();
  }
  page.open("div", {{"class", "night"}}).element("h3", {}, series.figure->name);
  NightsPicture(page, history, group, series).draw();
  std::string note = changes == 0 ? "" : plural(static_cast<int64_t>(changes), "change", "changes") + ". ";
  if (count < group.nights.size())
    note += "Missing in " + std::to_string(group.nights.size() - count) + " of " +
            plural(static_cast<int64_t>(group.nights.size()), "night", "nights") + ". ";
  if (series.strands.size() > 1) note += "Hollow: with other options than the last night.";
  if (!note.empty()) page.element("p", {{"class", "note"}}, note);
  page.close();
}

}  // namespace reports
