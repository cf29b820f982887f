#pragma once
// Case: a test case as data, exactly what a .fusion file holds.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuser/case/options.h"
#include "fuser/case/places.h"
#include "fuser/ir/fusion.h"
#include "fuser/ir/transform.h"
#include "fuser/types/tensor_ref.h"

namespace fuser {

enum class RecipeKind : uint8_t {
  Normal,    // normal(seed): mean 0, deviation 1
  Uniform,   // uniform(seed, low = 0, high = 1)
  Integers,  // integers(seed, low, high), high excluded
  Special,   // special(seed): NaN, infinities, signed zeros, denormals, extremes among ordinary values
  Values,    // values [...], row-major in logical order
  View,      // view of %other: shares its memory
};

struct Recipe {
  RecipeKind kind = RecipeKind::Normal;
  uint64_t seed = 0;
  double low = 0;
  double high = 1;
  std::vector<ScalarValue> values;
  std::string viewOf;
};

struct TensorInput {
  Recipe recipe;
  DataType dtype = DataType::Float;
  Dims sizes;
  std::optional<Dims> strides;  // elements; none: the layout of the fusion's input (allocation order), contiguous
  int64_t offset = 0;           // elements before the first
};

// One run: a value for each input, in the order of the fusion's inputs.
struct RunInput {
  std::string name;  // of the fusion's input, without '%'
  std::variant<TensorInput, ScalarValue> value;
};

enum class Expectation : uint8_t { Agrees, Rejected, AgreesOrRejected };

struct Run {
  std::vector<RunInput> inputs;
  Expectation expectation = Expectation::Agrees;
};

// Memory of the caller's that an output is written to, for any sizes: strides follow from the order of axes, and each
// axis steps over a gap beside what the faster ones hold.
struct PreallocatedOutput {
  std::string output;          // without '%'
  std::vector<int64_t> order;  // axes from slowest to fastest; empty: row-major
  std::vector<int64_t> gaps;   // elements, along that order; empty: none
  int64_t offset = 0;          // elements before the first
  bool operator==(const PreallocatedOutput&) const = default;
};

struct Case {
  std::vector<std::pair<std::string, std::string>> metadata;  // "#: key = value", in order
  std::unique_ptr<Fusion> fusion;
  std::vector<std::pair<std::string, std::string>> aliases;   // alias %output -> %input
  std::vector<PreallocatedOutput> preallocated;               // preallocate %output
  CompileOptions options;
  CasePlaces places;  // in the text that it was read from, if any. No part of the case
  std::optional<Schedule> schedule;                            // schedule { … }: the whole fusion
  std::map<int64_t, Schedule> segmentSchedules;                // schedule segment K { … }
  std::vector<Run> runs;
};

// Why output cannot be written to input's memory, whatever the sizes; "" where it can.
std::string whyNoAlias(const Fusion& fusion, const Val* output, const Val* input);

// Why the caller cannot give memory for the output, whatever the sizes; "" where it can.
std::string whyNoPreallocation(const Fusion& fusion, const Val* output);

// A copy of its own; values keep their ids.
Case cloneCase(const Case& testCase);

// --- recipes -> bytes (data.cpp) ---

// Memory with a tensor in it: owns a 64-byte aligned block, poison between the elements.
struct TensorData {
  std::shared_ptr<std::byte[]> memory;
  size_t bytes = 0;
  TensorRef ref;
};

struct RunData {
  std::vector<TensorData> tensors;                       // one an input tensor, in order
  std::vector<std::variant<size_t, ScalarValue>> inputs;  // one a fusion input: index in tensors, or the scalar
};

// Data depends on nothing but recipe and index: Philox4x32-10, element by element in logical order. Sizes are checked
// against maxBytes before memory is taken (UserError); so are rank, dtype and names against the fusion's inputs.
RunData materialize(const Case& testCase, const Run& run, size_t maxBytes = size_t{1} << 31);

// Memory of these sizes that holds poison alone, with poison before and behind it. A UserError past maxBytes.
TensorData materialize(const PreallocatedOutput& output, DataType dtype, const Dims& sizes,
                       size_t maxBytes = size_t{1} << 31);
// Whether all bytes of such memory but the tensor's elements are still poison.
bool keptPoison(const TensorData& data);

}  // namespace fuser
