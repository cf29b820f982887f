// history.json. reports/README.md#historyjson says what each field holds; a test compares the two.

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/history.h"

namespace reports {
namespace {

using Json = nlohmann::ordered_json;

// Every figure; null where the night lacks it.
Json figuresJson(const Night& night) {
  Json json = Json::object();
  for (const Figure& figure : allFigures()) {
    const auto value = night.figures.find(figure.key);
    json[figure.key] = value == night.figures.end() ? Json() : Json(value->second);
  }
  return json;
}

Json bucketsJson(const std::vector<NightBucket>& buckets) {
  Json json = Json::array();
  for (const NightBucket& bucket : buckets) {
    json.push_back(
        {{"bucket", bucket.name}, {"title", bucket.title}, {"known", bucket.known}, {"findings", bucket.findings}});
  }
  return json;
}

Json nightJson(const Night& night) {
  return {{"folder", night.folder},        {"started", night.started},
          {"target", night.target},        {"processor", night.processor},
          {"version", night.version},      {"seconds", night.seconds ? Json(*night.seconds) : Json()},
          {"options", night.campaign},     {"selftest_options", night.selftest},
          {"figures", figuresJson(night)}, {"buckets", night.hasCampaign ? bucketsJson(night.buckets) : Json()},
          {"notes", night.notes}};
}

Json groupJson(const Group& group) {
  Json series = Json::array(), buckets = Json::array();
  for (const Series& each : group.series) {
    for (const Strand& strand : each.strands) {
      series.push_back({{"figure", each.figure->key},
                        {"nights", strand.nights},
                        {"values", strand.values},
                        {"tested", strand.isTested}});
    }
  }
  for (const BucketChanges& each : group.buckets) {
    buckets.push_back({{"night", each.night},
                       {"before", each.before},
                       {"opened", bucketsJson(each.opened)},
                       {"closed", bucketsJson(each.closed)}});
  }
  return {{"target", group.target}, {"processor", group.processor}, {"nights", group.nights},
          {"series", series},       {"buckets", buckets},           {"notes", group.notes}};
}

Json changeJson(const History& history, const Group& group, const Figure& figure, const Change& change) {
  return {{"figure", figure.key},  {"target", group.target},      {"processor", group.processor},
          {"last", change.last},   {"first", change.first},       {"before", change.before},
          {"after", change.after}, {"low", change.low},           {"high", change.high},
          {"p", change.p},         {"programs", change.programs}, {"text", sentenceOf(history, figure, change)}};
}

}  // namespace

std::string toJson(const History& history) {
  Json json;
  json["false_alarms"] = kFalseAlarms;
  json["tested"] = history.tested;
  json["level"] = history.level;
  for (const char* list : {"changes", "nights", "groups"}) json[list] = Json::array();
  for (const Night& night : history.nights) json["nights"].push_back(nightJson(night));
  for (const Group& group : history.groups) {
    json["groups"].push_back(groupJson(group));
    for (const Series& series : group.series) {
      for (const Strand& strand : series.strands) {
        for (const Change& change : strand.changes)
          json["changes"].push_back(changeJson(history, group, *series.figure, change));
      }
    }
  }
  json["left_out"] = history.leftOut;
  // Names of folders and of buckets may hold any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace reports
