// history.html: changes first, then a section a machine and target.

#include <algorithm>

#include "reports/change_points.h"
#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

constexpr size_t kMostBuckets = 30;  // in a list; all are in the JSON

std::string counted(size_t count, const char* one, const char* many) {
  return plural(static_cast<int64_t>(count), one, many);
}

void writeHead(Markup& page, const History& history, size_t changes) {
  page.open("header").open("div", {{"class", "kicker"}});
  page.element("span", {}, "fuserfuzz, " + counted(history.nights.size(), "night", "nights"));
  writeFileLink(page, "history.json");
  page.close();
  page.element("h1", {},
               changes == 0 ? "No change beyond noise" : counted(changes, "change", "changes") + " beyond noise");
  page.close();
}

std::string methodOf(const History& history) {
  const std::string searched =
      "Of each figure the last " + std::to_string(kSearchedNights) +
      " nights with equal options are searched for a place where it changes, by a rank test at every place. ";
  if (history.tested == 0)
    return searched + "That takes " + std::to_string(kFewestValues) +
           " nights that are not all alike, and no figure has so many yet: nothing could be found. Kernels and bytes "
           "of "
           "the seeds have no noise, and are compared night by night.";
  return searched + counted(history.tested, "series was", "series were") + " searched, each at a level of " +
         fixed(history.level, 5) + ", so that at most one page in " + fixed(1 / kFalseAlarms, 0) +
         " names a change where there is none; " + std::to_string(fewestValues(history.level)) +
         " nights are the fewest that can show one at this level. Kernels and bytes of the seeds have no noise, and "
         "are compared night by night.";
}

void writeChanges(Markup& page, const History& history, const std::vector<std::string>& changes) {
  page.open("section", {{"id", "changes"}}).element("h2", {}, "Changes");
  if (!changes.empty()) {
    page.open("ul");
    for (const std::string& sentence : changes) page.element("li", {}, sentence + ".");
    page.close();
  }
  page.element("p", {{"class", "note"}}, methodOf(history));
  if (history.groups.size() > 1)
    page.element("p", {{"class", "note"}},
                 "Each target on each processor has a section of its own: another machine is no regression.");
  page.close();
}

void writeNotes(Markup& page, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) page.element("p", {{"class", "note"}}, note);
}

const BucketChanges* bucketChangesOf(const Group& group, size_t night) {
  const auto found = std::find_if(group.buckets.begin(), group.buckets.end(),
                                  [&](const BucketChanges& each) { return each.night == night; });
  return found == group.buckets.end() ? nullptr : &*found;
}

// "2026-01-31 22:00"; text of another form stays.
std::string minuteOf(const Night& night) {
  const std::string& started = night.started;
  if (started.empty()) return "unknown";
  return started.size() < 16 ? started : started.substr(0, 10) + " " + started.substr(11, 5);
}

void writeNight(Markup& page, const History& history, const Group& group, size_t number) {
  const Night& night = history.nights[number];
  const auto cell = [&](const std::string& text) { page.element("td", {{"class", "number"}}, text); };
  page.open("tr").element("th", {{"scope", "row"}}, minuteOf(night));
  page.within("td", {}, [&] {
    if (night.report.empty())
      page.text(night.folder);
    else
      page.element("a", {{"href", relativeUrl(night.report)}}, night.folder);
  });
  page.element("td", {}, night.version);
  cell(night.seconds ? duration(*night.seconds) : "–");
  const BucketChanges* buckets = bucketChangesOf(group, number);
  cell(buckets ? grouped(static_cast<int64_t>(buckets->opened.size())) : "–");
  cell(buckets ? grouped(static_cast<int64_t>(buckets->closed.size())) : "–");
  for (const Series& series : group.series) {
    const auto value = night.figures.find(series.figure->key);
    cell(value == night.figures.end() ? "–" : valueText(*series.figure, value->second));
  }
  page.close();
}

// The last night first.
void writeTable(Markup& page, const History& history, const Group& group) {
  page.element("h3", {}, "Nights");
  page.open("div", {{"class", "scroll tall"}, {"tabindex", "0"}}).open("table", {{"class", "nights"}});
  page.open("thead").open("tr");
  for (const char* name : {"started (UTC)", "folder", "version", "time", "buckets opened", "buckets closed"})
    page.element("th", {{"scope", "col"}}, name);
  for (const Series& series : group.series) page.element("th", {{"scope", "col"}}, series.figure->name);
  page.close().close().open("tbody");
  for (auto number = group.nights.rbegin(); number != group.nights.rend(); ++number)
    writeNight(page, history, group, *number);
  page.close().close().close();
  page.element("p", {{"class", "note"}}, "– is a figure that the night lacks.");
  for (const size_t number : group.nights) {
    for (const std::string& note : history.nights[number].notes)
      page.element("p", {{"class", "note"}}, history.nights[number].folder + ": " + note + ".");
  }
}

void writeBucketList(Markup& page, const char* title, const std::vector<NightBucket>& buckets) {
  if (buckets.empty()) return;
  page.element("p", {}, std::string(title) + " " + std::to_string(buckets.size()) + ":").open("ul");
  for (size_t i = 0; i < std::min(buckets.size(), kMostBuckets); ++i) {
    const NightBucket& bucket = buckets[i];
    page.open("li").text(bucket.title.empty() ? "" : bucket.title + " ").element("code", {}, bucket.name);
    page.text((bucket.known.empty() ? " (" : " (known: " + bucket.known + "; ") +
              plural(bucket.findings, "finding", "findings") + ")");
    page.close();
  }
  if (buckets.size() > kMostBuckets)
    page.element("li", {}, std::to_string(buckets.size() - kMostBuckets) + " more are in history.json");
  page.close();
}

void writeBuckets(Markup& page, const History& history, const Group& group) {
  if (group.buckets.empty()) return;
  page.element("h3", {}, "Buckets opened and closed");
  page.element(
      "p", {{"class", "note"}},
      "Opened: found in a night, and not in the one before it with equal options. Closed: the reverse. A night "
      "of another seed or with less time finds other bugs of those that are there.");
  size_t same = 0;
  for (auto each = group.buckets.rbegin(); each != group.buckets.rend(); ++each) {
    if (each->opened.empty() && each->closed.empty()) {
      ++same;
      continue;
    }
    page.element("h4", {}, nightName(history.nights[each->night]));
    writeBucketList(page, "Opened", each->opened);
    writeBucketList(page, "Closed", each->closed);
  }
  if (same > 0) page.element("p", {}, counted(same, "night has", "nights have") + " the buckets of the one before.");
}

void writeGroup(Markup& page, const History& history, const Group& group, size_t number) {
  page.open("section", {{"id", "machine" + std::to_string(number)}}).element("h2", {}, groupName(group));
  writeNotes(page, group.notes);
  page.open("div", {{"class", "columns"}});
  for (const Series& series : group.series) writeSeries(page, history, group, series);
  page.close();
  writeTable(page, history, group);
  writeBuckets(page, history, group);
  page.close();
}

}  // namespace

std::string toHtml(const History& history) {
  const std::vector<std::string> changes = namedChanges(history);
  Markup page("<!DOCTYPE html>\n");
  openPage(page, "fuserfuzz: " + counted(history.nights.size(), "night", "nights"));
  writeHead(page, history, changes.size());
  writeChanges(page, history, changes);
  for (size_t i = 0; i < history.groups.size(); ++i) writeGroup(page, history, history.groups[i], i);
  if (!history.leftOut.empty()) {
    page.open("section", {{"id", "left-out"}}).element("h2", {}, "Left out").open("ul");
    for (const std::string& each : history.leftOut) page.element("li", {}, each);
    page.close().close();
  }
  closePage(page);
  return page.release();
}

}  // namespace reports
