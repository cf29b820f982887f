#include "reports/history.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "reports/change_points.h"
#include "reports/figures.h"
#include "reports/rank_test.h"

namespace reports {
namespace {

constexpr double kConfidence = 0.95;

const Options& optionsOf(const Night& night, Basis basis) {
  static const Options kNone;
  return basis == Basis::Campaign ? night.campaign : basis == Basis::Selftest ? night.selftest : kNone;
}

Series seriesOf(const std::vector<Night>& nights, const Group& group, const Figure& figure) {
  Series series{&figure, {}};
  std::vector<const Options*> options;  // by strand
  for (const size_t number : group.nights) {
    const auto value = nights[number].figures.find(figure.key);
    if (value == nights[number].figures.end()) continue;
    const Options& own = optionsOf(nights[number], figure.basis);
    size_t strand = 0;
    while (strand < options.size() && *options[strand] != own) ++strand;
    if (strand == options.size()) {
      options.push_back(&own);
      series.strands.emplace_back();
    }
    series.strands[strand].nights.push_back(number);
    series.strands[strand].values.push_back(value->second);
  }
  std::stable_sort(series.strands.begin(), series.strands.end(),
                   [](const Strand& a, const Strand& b) { return a.nights.back() < b.nights.back(); });
  return series;
}

// --- changes beyond noise

size_t firstSearched(const Strand& strand) {
  return strand.values.size() - std::min(strand.values.size(), kSearchedNights);
}

std::vector<double> part(const Strand& strand, size_t begin, size_t end) {
  return {strand.values.begin() + static_cast<ptrdiff_t>(begin), strand.values.begin() + static_cast<ptrdiff_t>(end)};
}

void findChanges(Strand& strand, double level) {
  const size_t first = firstSearched(strand);
  const std::vector<ChangePoint> points = changePoints(part(strand, first, strand.values.size()), level);
  for (size_t i = 0; i < points.size(); ++i) {
    const size_t place = first + points[i].place;
    const size_t begin = i == 0 ? first : first + points[i - 1].place;
    const size_t end = i + 1 == points.size() ? strand.values.size() : first + points[i + 1].place;
    const std::vector<double> before = part(strand, begin, place), after = part(strand, place, end);
    const Shift shift = shiftOf(before, after, kConfidence);
    strand.changes.push_back({strand.nights[place - 1],
                              strand.nights[place],
                              medianOf(before),
                              medianOf(after),
                              shift.low,
                              shift.high,
                              points[i].p,
                              {}});
  }
}

// --- figures without noise

std::map<std::string, const ProgramCosts*> programsOf(const Night& night) {
  std::map<std::string, const ProgramCosts*> programs;
  for (const ProgramCosts& program : night.seeds->programs) programs[program.name] = &program;
  return programs;
}

// The two nights' sums over the programs that both have, on the same inputs; which of those differ.
Change changeOfSeeds(const std::vector<Night>& nights, const Figure& figure, size_t last, size_t first) {
  Change change{last, first, 0, 0, 0, 0, 0, {}};
  const auto before = programsOf(nights[last]), after = programsOf(nights[first]);
  for (const auto& [name, program] : before) {
    const auto other = after.find(name);
    if (other == after.end() || other->second->what != program->what) continue;
    const double was = seedFigures(*program).at(figure.key), is = seedFigures(*other->second).at(figure.key);
    change.before += was;
    change.after += is;
    if (was != is) change.programs.push_back(name);
  }
  change.low = change.high = change.after - change.before;
  return change;
}

void compareSeeds(const std::vector<Night>& nights, const Figure& figure, Strand& strand) {
  for (size_t i = firstSearched(strand) + 1; i < strand.nights.size(); ++i) {
    Change change = changeOfSeeds(nights, figure, strand.nights[i - 1], strand.nights[i]);
    if (!change.programs.empty()) strand.changes.push_back(std::move(change));
  }
}

// --- what is not compared

std::string joined(const std::vector<std::string>& texts, const char* between, size_t most = 12) {
  std::string all;
  for (size_t i = 0; i < std::min(texts.size(), most); ++i) all += (i ? between : "") + texts[i];
  return texts.size() > most ? all + between + std::to_string(texts.size() - most) + " more" : all;
}

// "jobs: 2 or 4; probes: none or on"
std::string differencesOf(const std::vector<const Options*>& all) {
  std::set<std::string> keys;
  for (const Options* options : all) {
    for (const auto& [key, value] : *options) keys.insert(key);
  }
  std::vector<std::string> differences;
  for (const std::string& key : keys) {
    std::set<std::string> values;
    for (const Options* options : all) {
      const auto value = options->find(key);
      values.insert(value == options->end() ? "none" : value->second);
    }
    if (values.size() > 1) differences.push_back(key + ": " + joined({values.begin(), values.end()}, " or "));
  }
  return joined(differences, "; ");
}

void noteOptions(const std::vector<Night>& nights, Basis basis, const char* what, Group& group) {
  std::vector<const Options*> all;
  for (const size_t number : group.nights) {
    if (!optionsOf(nights[number], basis).empty()) all.push_back(&optionsOf(nights[number], basis));
  }
  if (all.empty()) return;
  const auto others = std::count_if(all.begin(), all.end(), [&](const Options* each) { return *each != *all.back(); });
  if (others == 0) return;
  group.notes.push_back(std::to_string(others) + " of " + std::to_string(all.size()) + " " + what +
                        " ran with other options than the last one (" + differencesOf(all) +
                        "). Their figures are compared only among nights with equal options.");
}

void notePrograms(const std::vector<Night>& nights, Group& group) {
  const Night* last = nullptr;
  for (const size_t number : group.nights) {
    const Night& night = nights[number];
    if (!night.seeds) continue;
    if (last) {
      const auto before = programsOf(*last), after = programsOf(night);
      std::vector<std::string> changed;
      for (const auto& [name, program] : after) {
        if (!before.count(name)) changed.push_back("new: " + name);
      }
      for (const auto& [name, program] : before) {
        const auto other = after.find(name);
        if (other == after.end())
          changed.push_back("gone: " + name);
        else if (other->second->what != program->what)
          changed.push_back("on other inputs: " + name);
      }
      if (!changed.empty())
        group.notes.push_back("Other seeds in the night " + nightName(night) +
                              ", which count in no change: " + joined(changed, ", ") + ".");
    }
    last = &night;
  }
}

// --- buckets

std::vector<NightBucket> onlyIn(const Night& night, const Night& other) {
  std::vector<NightBucket> only;
  for (const NightBucket& bucket : night.buckets) {
    if (std::none_of(other.buckets.begin(), other.buckets.end(),
                     [&](const NightBucket& each) { return each.name == bucket.name; }))
      only.push_back(bucket);
  }
  return only;
}

void compareBuckets(const std::vector<Night>& nights, Group& group) {
  std::map<Options, size_t> last;
  for (const size_t number : group.nights) {
    const Night& night = nights[number];
    if (!night.hasCampaign) continue;
    const auto before = last.find(night.campaign);
    if (before != last.end()) {
      const Night& other = nights[before->second];
      group.buckets.push_back({number, before->second, onlyIn(night, other), onlyIn(other, night)});
    }
    last[night.campaign] = number;
  }
}

std::vector<Group> groupsOf(const std::vector<Night>& nights) {
  std::map<std::pair<std::string, std::string>, Group> groups;
  for (size_t i = 0; i < nights.size(); ++i) {
    Group& group = groups[{nights[i].target, nights[i].processor}];
    group.target = nights[i].target;
    group.processor = nights[i].processor;
    group.nights.push_back(i);
  }
  std::vector<Group> list;
  for (auto& [key, group] : groups) {
    for (const Figure& figure : allFigures()) {
      Series series = seriesOf(nights, group, figure);
      if (!series.strands.empty()) group.series.push_back(std::move(series));
    }
    noteOptions(nights, Basis::Campaign, "campaigns", group);
    noteOptions(nights, Basis::Selftest, "selftests", group);
    notePrograms(nights, group);
    compareBuckets(nights, group);
    list.push_back(std::move(group));
  }
  return list;
}

}  // namespace

History historyOf(std::vector<Night> nights, std::vector<std::string> leftOut) {
  History history;
  history.nights = std::move(nights);
  history.leftOut = std::move(leftOut);
  std::stable_sort(history.nights.begin(), history.nights.end(), [](const Night& a, const Night& b) {
    return std::tie(a.started, a.folder) < std::tie(b.started, b.folder);
  });
  history.groups = groupsOf(history.nights);
  std::vector<Strand*> tested;
  for (Group& group : history.groups) {
    for (Series& series : group.series) {
      for (Strand& strand : series.strands) {
        if (series.figure->isNoiseless)
          compareSeeds(history.nights, *series.figure, strand);
        else if (mayChange(part(strand, firstSearched(strand), strand.values.size())))
          tested.push_back(&strand);
      }
    }
  }
  history.tested = tested.size();
  history.level = kFalseAlarms / static_cast<double>(std::max<size_t>(1, tested.size()));
  for (Strand* strand : tested) {
    strand->isTested = true;
    findChanges(*strand, history.level);
  }
  return history;
}

double searchedMedian(const Strand& strand) {
  return medianOf(part(strand, firstSearched(strand), strand.values.size()));
}

std::string groupName(const Group& group) {
  return (group.target.empty() ? "fuser" : group.target) + " on " + (group.processor.empty() ? "?" : group.processor);
}

std::string nightName(const Night& night) {
  return night.started.empty() ? night.folder : night.started.substr(0, 10) + ", " + night.folder;
}

std::string sentenceOf(const History& history, const Figure& figure, const Change& change) {
  const Night& last = history.nights[change.last];
  const Night& first = history.nights[change.first];
  const double moved = change.after - change.before;
  std::string text = std::string(figure.name) +
                     (moved > 0   ? " rose from "
                      : moved < 0 ? " fell from "
                                  : " moved among programs, in all ") +
                     valueText(figure, change.before);
  if (moved != 0) text += " to " + valueText(figure, change.after);
  if (change.before > 0 && std::fabs(moved / change.before) >= 0.0005)
    text += " (" + signedPercent(moved / change.before) + ")";
  text += " in the night " + nightName(first);
  if (figure.better != Better::Neither && moved != 0)
    text += (moved > 0) == (figure.better == Better::More) ? ": better" : ": worse";
  if (!change.programs.empty()) text += "; of " + joined(change.programs, ", ");
  if (!figure.isNoiseless) {
    text += "; shift between " + valueText(figure, change.low) + " and " + valueText(figure, change.high) + ", p " +
            (change.p < 0.0001 ? std::string("< 0.0001") : "= " + fixed(change.p, 4));
  }
  if (last.version != first.version) text += "; " + last.version + " before, " + first.version + " then";
  return text;
}

std::vector<std::string> namedChanges(const History& history) {
  std::vector<std::string> sentences;
  for (const Group& group : history.groups) {
    const std::string prefix = history.groups.size() > 1 ? groupName(group) + ": " : "";
    for (const Series& series : group.series) {
      for (const Strand& strand : series.strands) {
        for (const Change& change : strand.changes)
          sentences.push_back(prefix + sentenceOf(history, *series.figure, change));
      }
    }
  }
  return sentences;
}

}  // namespace reports
