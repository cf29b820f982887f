#pragma once
// The fusions on which derivatives are held against autograd, and their data.

#include <ostream>
#include <string>
#include <vector>

namespace fuser::gradients {

struct Sample {
  std::string name;    // of the test
  std::string inputs;  // of the fusion: "%x: f64[i0, i1]"
  std::string lines;   // that make the outputs
  std::string outputs = "%y";
  int64_t highest = 0;  // where an input %i of i64 holds indices: they are below this
};

inline std::ostream& operator<<(std::ostream& out, const Sample& sample) { return out << sample.lines; }

// For each pointwise op: with tensors of one shape, with one that is broadcast, and with a scalar; and the samples of
// all other ops.
std::vector<Sample> allSamples();

// For each of three shapes (i0, i1), a case with twenty runs.
std::vector<std::string> casesOf(const Sample& sample);

}  // namespace fuser::gradients
