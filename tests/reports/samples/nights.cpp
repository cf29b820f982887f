#include "tests/reports/samples/nights.h"

#include <sstream>
#include <stdexcept>

namespace reports_test {

using reports::Count;
using reports::Night;

namespace {

std::vector<std::string> split(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, between);) parts.push_back(part);
  return parts;
}

void addSeeds(Night& night, const std::string& text) {
  night.seeds.emplace();
  for (const std::string& each : split(text, ',')) {
    const std::vector<std::string> parts = split(each, ':');
    reports::ProgramCosts& program = night.seeds->programs.emplace_back();
    program.name = parts.at(0);
    program.what = parts.size() > 3 ? parts[3] : "run 0";
    program.lines.resize(1 + std::stoul(parts.at(1)));
    for (const Count count : {Count::Requested, Count::Compulsory})
      program.lines.back().counts[static_cast<size_t>(count)] = std::stoll(parts.at(2));
    for (const auto& [key, value] : seedFigures(program)) night.figures[key] += value;
  }
}

void addWord(Night& night, const std::string& word) {
  const std::string key = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
  const std::string name = value.substr(0, value.find(':')), setting = value.substr(value.find(':') + 1);
  if (key == "target") {
    night.target = value;
  } else if (key == "processor") {
    night.processor = value;
  } else if (key == "version") {
    night.version = value;
  } else if (key == "option") {
    night.campaign[name] = setting;
  } else if (key == "selftest") {
    night.selftest[name] = setting;
  } else if (key == "seeds") {
    addSeeds(night, value);
  } else if (key == "buckets") {
    night.hasCampaign = true;
    for (const std::string& bucket : split(value, ',')) night.buckets.push_back({bucket, "", "", 1});
    night.figures["buckets"] = static_cast<double>(night.buckets.size());
  } else {
    night.figures[key] = std::stod(value);
  }
}

}  // namespace

std::vector<Night> nightsOf(const std::string& lines) {
  std::vector<Night> nights;
  for (const std::string& line : split(lines, '\n')) {
    std::istringstream words(line);
    Night& night = nights.emplace_back();
    std::string date;
    if (!(words >> night.folder >> date)) throw std::runtime_error("expected FOLDER DATE: " + line);
    if (date != "-") night.started = date + "T22:00:00Z";
    for (std::string word; words >> word;) addWord(night, word);
  }
  return nights;
}

std::vector<Night> manyNights(size_t count, size_t change, const std::string& text) {
  std::string lines;
  for (size_t i = 0; i < count; ++i) {
    const std::string number = (i < 10 ? "0" : "") + std::to_string(i);
    const size_t noise = i * i * 7 % 11;
    lines += "n" + number + " 2026-01-" + (i < 9 ? "0" : "") + std::to_string(i + 1) +
             " processor=P version=1 option=jobs:2 buckets=b" + std::to_string(i % 3) + " seeds=a:2:100,b:1:50" +
             " certified_cases_per_second=" + std::to_string((i < change ? 100 : 150) + noise);
    for (const reports::Figure& figure : reports::allFigures()) {
      const std::string key = figure.key;
      if (figure.basis != reports::Basis::Seeds && key != "buckets" && key != "certified_cases_per_second")
        lines += " " + key + "=0.75";
    }
    lines += "\n";
  }
  std::vector<Night> nights = nightsOf(lines);
  for (Night& night : nights) {
    night.seconds = 3600;
    night.folder += text;
    if (!text.empty()) night.started = text.substr(0, 3);
    night.report = night.folder + "/report.html";
    night.processor += text;
    night.version += text;
    night.campaign["corpora"] = text;
    for (reports::NightBucket& bucket : night.buckets) {
      bucket.name += text;
      bucket.title = "sum is wrong" + text;
      bucket.known = text;
    }
  }
  nights.back().notes = {"seeds.txt is left out" + text};
  return nights;
}

}  // namespace reports_test
