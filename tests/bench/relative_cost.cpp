#include "tests/bench/relative_cost.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace fuser {

uint64_t referenceWork() {
  uint64_t state = 88172645463325252ull;
  const auto draw = [&state] {  // xorshift64: Marsaglia, 2003
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  std::map<std::string, uint64_t> tree;
  for (int i = 0; i < 300; ++i) tree["key " + std::to_string(draw() % 1000)] += draw();
  std::vector<double> values;
  for (const auto& [key, value] : tree) values.push_back(static_cast<double>(value % 1000003) + key.size());
  for (int round = 0; round < 8; ++round) {
    for (double& value : values) value = std::fma(value, 1.0000001, std::sqrt(value));
  }
  std::sort(values.begin(), values.end());
  return static_cast<uint64_t>(values[values.size() / 2]);
}

double threadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace fuser
