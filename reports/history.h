#pragma once
// History: nights in order, what may be compared among them, and what changed by more than noise.

#include <string>
#include <vector>

#include "reports/night.h"

namespace reports {

// At most this share of pages names a change where there is none. It is divided by the number of strands that are
// tested (Bonferroni): no assumption about how they depend on each other, and they do.
inline constexpr double kFalseAlarms = 0.01;
// A change is searched for among the last so many nights of a strand.
inline constexpr size_t kSearchedNights = 30;

// Of a figure of one strand. Nights are indices of History::nights.
struct Change {
  size_t last = 0, first = 0;         // the last night before it, the first one after it
  double before = 0, after = 0;       // medians of the nights between changes; of a noiseless figure the two values
  double low = 0, high = 0;           // the shift's confidence interval (95 %); of a noiseless figure the shift
  double p = 0;                       // change_points.h; 0 of a noiseless figure
  std::vector<std::string> programs;  // of Basis::Seeds: those that changed. Both values are of programs of both nights
};

// The nights of a group that have the figure and were measured with equal options: they are compared.
struct Strand {
  std::vector<size_t> nights;
  std::vector<double> values;
  std::vector<Change> changes;
  bool isTested = false;  // enough nights, and not all alike
};

struct Series {
  const Figure* figure = nullptr;
  std::vector<Strand> strands;  // that of the last night comes last
};

// Buckets of a campaign, and of the one before it with equal options.
struct BucketChanges {
  size_t night = 0, before = 0;
  std::vector<NightBucket> opened, closed;  // by name: only in this one; only in the one before
};

// Nights of one target on one processor: another machine is no regression.
struct Group {
  std::string target, processor;
  std::vector<size_t> nights;
  std::vector<Series> series;          // figures that some night has
  std::vector<BucketChanges> buckets;  // of each night but the first with its options
  std::vector<std::string> notes;      // sentences: options that differ, programs that came or went
};

struct History {
  std::vector<Night> nights;         // by start, then by folder; those without a start come first
  std::vector<Group> groups;         // by target, then by processor
  std::vector<std::string> leftOut;  // "FOLDER: why"
  size_t tested = 0;                 // strands
  double level = kFalseAlarms;       // of each
};

// Of the values that are searched.
double searchedMedian(const Strand& strand);

History historyOf(std::vector<Night> nights, std::vector<std::string> leftOut = {});

std::string groupName(const Group& group);  // "fuser on CPU: …"
std::string nightName(const Night& night);  // "2026-01-31, out/a"
// "cases rose from 3 to 5 in the night …"
std::string sentenceOf(const History& history, const Figure& figure, const Change& change);
// Sentences of all changes, by group; with the group's name where there are several.
std::vector<std::string> namedChanges(const History& history);

std::string toJson(const History& history);  // reports/README.md#historyjson lists the fields
std::string toHtml(const History& history);  // a page that fetches nothing

}  // namespace reports
