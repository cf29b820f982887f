#pragma once
// The performance check: two measurements of the same benchmarks, before and after a change -> which became slower.
//
// Each benchmark measures a fixed reference workload in turns with its own and gives the ratio of the two times as the
// counter `relative_cost` (tests/bench/relative_cost.h), so that a machine that is loaded, throttled or another one
// moves both. A repetition is one sample; samples are compared by ranks (rank_test.h).

#include <map>
#include <string>
#include <vector>

namespace reports {

// A file that Google Benchmark wrote (--benchmark_out_format=json, --benchmark_repetitions=9 or more).
struct Measurement {
  std::string origin;                                   // the file, for messages
  std::map<std::string, std::string> stamp;             // of its "context": machine, build, compiler
  std::map<std::string, std::vector<double>> relative;  // benchmark -> relative cost, one a repetition
};

// A UserError says what is wrong with the text: no JSON, not Google Benchmark's, no benchmark with the counter, one
// that failed, a cost that is no positive number.
Measurement parseMeasurement(const std::string& text, const std::string& origin);

// Slow, Fast: the rank test is significant and the estimated factor passes the threshold. Same: the whole confidence
// interval of the factor lies within the threshold. Unsure: neither, for the noise; measure again, with more
// repetitions.
enum class SpeedVerdict { Slow, Fast, Same, Unsure };
const char* verdictName(SpeedVerdict verdict);  // "SLOW"

struct PerformanceSettings {
  double threshold = 0.10;                     // a factor between 1 / 1.1 and 1.1 is no change
  double significance = 0.01;                  // of Mann and Whitney's p
  double confidence = 0.95;                    // of the interval
  size_t repetitions = 9;                      // at least, of each benchmark
  std::map<std::string, std::string> renamed;  // name in the baseline -> name in the current file
};

struct PerformanceRow {
  std::string name;  // in the baseline
  SpeedVerdict verdict = SpeedVerdict::Unsure;
  double factor = 1;         // current time by baseline time: Hodges and Lehmann's estimate on logarithms
  double low = 1, high = 1;  // its confidence interval
  double p = 1;
  size_t baseline = 0, current = 0;  // repetitions
};

struct PerformanceCheck {
  std::vector<PerformanceRow> rows;   // by name
  std::vector<std::string> gone;      // in the baseline alone
  std::vector<std::string> added;     // in the current file alone
  std::vector<std::string> warnings;  // other machine, other compiler
};

// A UserError: too few repetitions, no benchmark in common, builds that cannot be compared, a renamed benchmark that is
// not there.
PerformanceCheck checkPerformance(const Measurement& baseline, const Measurement& current,
                                  const PerformanceSettings& settings = {});

bool anySlow(const PerformanceCheck& check);

// A table, the slow ones first.
std::string toText(const PerformanceCheck& check);

}  // namespace reports
