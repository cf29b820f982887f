// Histories of nights: changes, groups and buckets (history.txt), the JSON, the page.

#include "reports/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/golden/golden_tests.h"
#include "tests/reports/samples/nights.h"
#include "tests/reports/xml_tree.h"

namespace reports {
namespace {

using reports_test::manyNights;
using reports_test::nightsOf;
using reports_test::parseXml;
using reports_test::XmlNode;

std::string namesOf(const std::vector<NightBucket>& buckets) {
  std::string names;
  for (const NightBucket& bucket : buckets) names += " " + bucket.name;
  return names.empty() ? " nothing" : names;
}

std::string summaryOf(const History& history) {
  std::string text;
  for (const std::string& change : namedChanges(history)) text += "change: " + change + "\n";
  for (const Group& group : history.groups) {
    text += groupName(group) + ":";
    for (const size_t night : group.nights) text += " " + history.nights[night].folder;
    text += "\n";
    for (const std::string& note : group.notes) text += "note: " + note + "\n";
    for (const BucketChanges& each : group.buckets) {
      if (each.opened.empty() && each.closed.empty()) continue;
      text += history.nights[each.night].folder + " opened" + namesOf(each.opened) + ", closed" + namesOf(each.closed) +
              " since " + history.nights[each.before].folder + "\n";
    }
  }
  return text;
}

const golden::Texts kHistories("tests/reports/history.txt", {}, [](const golden::Case& each) {
  return golden::Made(summaryOf(historyOf(nightsOf(each.input))));
});

TEST(HistoryTest, AMissingFigureIsNullInTheJsonAndADashOnThePage) {
  const History history =
      historyOf(nightsOf("a 2026-01-01 processor=P buckets=\nb 2026-01-02 processor=P buckets= cases=0"));
  const nlohmann::json json = nlohmann::json::parse(toJson(history));
  EXPECT_TRUE(json["nights"][0]["figures"]["cases"].is_null());
  EXPECT_EQ(json["nights"][1]["figures"]["cases"], 0);
  EXPECT_EQ(json["nights"][0]["figures"].size(), allFigures().size());
  std::vector<std::string> cells;
  for (const XmlNode* row : parseXml(toHtml(history)).all("tr")) {
    if (!row->all("td").empty()) cells.push_back(row->all("td").at(5)->allText());
  }
  EXPECT_EQ(cells, (std::vector<std::string>{"0", "–"}));  // of cases, the last night first
}

// A change on every page of noise would be noticed; this holds the rate with all series of a page together.
TEST(HistoryTest, PagesOfNoiseNameFewChanges) {
  uint64_t state = 2026;
  int named = 0;
  constexpr int kPages = 300;
  for (int page = 0; page < kPages; ++page) {
    std::vector<Night> nights = manyNights(20, 20);
    for (Night& night : nights) {
      night.seeds.reset();
      std::erase_if(night.figures, [](const auto& figure) { return figure.first.starts_with("seed_"); });
      for (auto& [key, value] : night.figures) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        value = static_cast<double>(state >> 40);
      }
    }
    named += !namedChanges(historyOf(std::move(nights))).empty();
  }
  EXPECT_LE(named, kPages * kFalseAlarms + 3 * 1.73);  // three standard deviations
}

TEST(HistoryTest, TheLevelIsDividedAmongTheSeriesThatMayChange) {
  const History history = historyOf(manyNights(30, 15));
  EXPECT_EQ(history.tested, 1u);  // the others hold still, but for the buckets' names
  EXPECT_EQ(history.level, kFalseAlarms);
  std::vector<Night> nights = manyNights(30, 15);
  for (size_t i = 0; i < 30; ++i) nights[i].figures["cases"] = static_cast<double>(i % 2);
  EXPECT_EQ(historyOf(nights).tested, 2u);
  EXPECT_EQ(historyOf(nights).level, kFalseAlarms / 2);
}

TEST(HistoryTest, OnlyTheLastNightsAreSearched) {
  EXPECT_EQ(namedChanges(historyOf(manyNights(60, 35))).size(), 1u);
  EXPECT_EQ(namedChanges(historyOf(manyNights(60, 25))).size(), 0u);
}

// reports/README.md#historyjson lists each field as "| `history.nights[].folder` |".
TEST(HistoryTest, TheReadmeListsEveryFieldOfTheJson) {
  std::ifstream in("reports/README.md");
  std::set<std::string> documented, written;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("| `history.", 0) == 0) documented.insert(line.substr(3, line.find('`', 3) - 3));
  }
  const nlohmann::json json = nlohmann::json::parse(toJson(historyOf(manyNights(30, 15), {"x: why"})));
  const auto add = [&](const std::string& prefix, const nlohmann::json& object) {
    for (const auto& [name, value] : object.items()) written.insert(prefix + name);
  };
  add("history.", json);
  add("history.changes[].", json["changes"][0]);
  add("history.nights[].", json["nights"][0]);
  add("history.nights[].figures.", json["nights"][0]["figures"]);
  add("history.groups[].", json["groups"][0]);
  add("history.groups[].series[].", json["groups"][0]["series"][0]);
  add("history.groups[].buckets[].", json["groups"][0]["buckets"][0]);
  EXPECT_EQ(documented, written);
}

TEST(HistoryPageTest, NamedChangesComeFirst) {
  const XmlNode page = parseXml(toHtml(historyOf(manyNights(30, 15))));
  EXPECT_EQ(page.all("h1").at(0)->allText(), "1 change beyond noise");
  const std::string first = page.all("section").at(0)->allText();
  EXPECT_NE(first.find("certified cases a second rose from 10"), std::string::npos) << first;
  EXPECT_NE(first.find("in the night 2026-01-16, n15: better"), std::string::npos) << first;
}

TEST(HistoryPageTest, EachSeriesHasAPictureWithAPointANightAndItsChanges) {
  const XmlNode page = parseXml(toHtml(historyOf(manyNights(30, 15))));
  const std::vector<const XmlNode*> pictures = page.all("svg");
  ASSERT_EQ(pictures.size(), allFigures().size());
  size_t changes = 0;
  for (const XmlNode* picture : pictures) {
    size_t points = 0;
    for (const XmlNode* path : picture->all("path")) {
      points += path->attributes.at("class") == "point";
      changes += path->attributes.at("class") == "changed";
    }
    EXPECT_EQ(points, 30u);
  }
  EXPECT_EQ(changes, 1u);
}

TEST(HistoryPageTest, NightsLinkToTheirReports) {
  const XmlNode page = parseXml(toHtml(historyOf(manyNights(3, 3))));
  std::set<std::string> links;
  for (const XmlNode* link : page.all("a")) links.insert(link->attributes.at("href"));
  EXPECT_TRUE(links.count("./n02/report.html"));
}

TEST(HistoryPageTest, OneNightAloneAndNightsWithoutAStartHaveAPage) {
  for (const char* lines : {"a 2026-01-01 buckets=", "a - selftest=cases:20 faults_missed=0"}) {
    const XmlNode page = parseXml(toHtml(historyOf(nightsOf(lines))));
    EXPECT_EQ(page.all("h1").at(0)->allText(), "No change beyond noise");
    EXPECT_NE(page.allText().find("nothing could be found"), std::string::npos);
  }
}

TEST(HistoryPageTest, TextOfStrangersStaysText) {
  const std::string hostile = "</title><script>alert(1)</script>\"'&\xff";
  const std::string html = toHtml(historyOf(manyNights(12, 12, hostile), {hostile}));
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(parseXml(html).all("script").size(), 1u);
  EXPECT_NO_THROW(nlohmann::json::parse(toJson(historyOf(manyNights(12, 12, hostile), {hostile}))));
}

TEST(HistoryPageTest, TheSameNightsGiveTheSameBytes) {
  std::vector<Night> reversed = manyNights(30, 15);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(toHtml(historyOf(reversed)), toHtml(historyOf(manyNights(30, 15))));
  EXPECT_EQ(toJson(historyOf(reversed)), toJson(historyOf(manyNights(30, 15))));
}

}  // namespace
}  // namespace reports
