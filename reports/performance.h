#pragma once
// The performance check: compares two measurements of the same benchmarks, before and after a change.
//
// Each benchmark alternates between a fixed reference workload and its own, and reports the ratio of the two times as
// the counter `relative_cost` (tests/bench/relative_cost.h), so that load, throttling or another machine affects both.
// Each repetition is one sample; samples are compared by ranks (rank_test.h).

#include <map>
#include <string>
#include <vector>

namespace reports {

// A file that Google Benchmark wrote (--benchmark_out_format=json, --benchmark_repetitions=9 or more).
struct Measurement {
  std::string origin;                                   // the file's name, for messages
  std::map<std::string, std::string> stamp;             // from its "context": machine, build, compiler
  std::map<std::string, std::vector<double>> relative;  // benchmark -> relative cost per repetition
};

// A UserError if the text is not JSON of Google Benchmark, has no benchmark with the counter, or has a failed benchmark
// or a cost that is not a positive number.
Measurement parseMeasurement(const std::string& text, const std::string& origin);

// Slow, Fast: the rank test is significant and the estimated factor exceeds the threshold. Same: the whole confidence
// interval of the factor is within the threshold. Unsure: neither, because of noise; measure again with more
// repetitions.
enum class SpeedVerdict { Slow, Fast, Same, Unsure };
const char* verdictName(SpeedVerdict verdict);  // "SLOW"

struct PerformanceSettings {
  double threshold = 0.10;                     // a factor between 1 / 1.1 and 1.1 counts as no change
  double significance = 0.01;                  // the level of the Mann-Whitney test
  double confidence = 0.95;                    // the level of the confidence interval
  size_t repetitions = 9;                      // the minimum per benchmark
  std::map<std::string, std::string> renamed;  // name in the baseline -> name in the current file
};

struct PerformanceRow {
  std::string name;  // the name in the baseline
  SpeedVerdict verdict = SpeedVerdict::Unsure;
  double factor = 1;         // current time / baseline time: the Hodges-Lehmann estimate on logarithms
  double low = 1, high = 1;  // its confidence interval
  double p = 1;
  size_t baseline = 0, current = 0;  // repetitions
};

struct PerformanceCheck {
  std::vector<PerformanceRow> rows;   // by name
  std::vector<std::string> missing;   // only in the baseline
  std::vector<std::string> added;     // only in the current file
  std::vector<std::string> warnings;  // such as a different machine or compiler
};

// A UserError for too few repetitions, no common benchmark, builds that cannot be compared, or a renamed benchmark that
// does not exist.
PerformanceCheck checkPerformance(const Measurement& baseline, const Measurement& current,
                                  const PerformanceSettings& settings = {});

bool anySlow(const PerformanceCheck& check);

// A table with the slow benchmarks first.
std::string toText(const PerformanceCheck& check);

}  // namespace reports
