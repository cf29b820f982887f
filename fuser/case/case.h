#pragma once
// Case: a test case, with exactly the content of a .fusion file (fuser/text/grammar.md).

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
  Normal,    // normal(seed): mean 0, standard deviation 1
  Uniform,   // uniform(seed, low = 0, high = 1)
  Integers,  // integers(seed, low, high), high excluded
  Special,   // special(seed): NaN, infinities, signed zeros, denormals, extremes among ordinary values
  Values,    // values [...], row-major in logical order
  View,      // view of %other: shares its memory
};

// The elements with this index along an axis are one number, whatever the recipe draws elsewhere: an extreme at a place
// of its own. index: from the end if it is negative; beyond the size it marks no element.
struct Peak {
  double value = 0;
  int64_t axis = 0;
  int64_t index = 0;
  bool operator==(const Peak&) const = default;
};

struct Recipe {
  RecipeKind kind = RecipeKind::Normal;
  uint64_t seed = 0;
  double low = 0;
  double high = 1;
  std::optional<Peak> peak;  // of Normal, Uniform and Integers
  std::vector<ScalarValue> values;
  std::string viewOf;
};

struct TensorInput {
  Recipe recipe;
  DataType dtype = DataType::Float;
  Dims sizes;
  std::optional<Dims> strides;  // in elements; nullopt: contiguous in the allocation order of the fusion's input
  int64_t offset = 0;           // of element [0, …, 0] from the start of the memory, in elements
};

// One run: a value for each input, in the order of the fusion's inputs.
struct RunInput {
  std::string name;  // the input's name, without '%'
  std::variant<TensorInput, ScalarValue> value;
};

enum class Expectation : uint8_t { Agrees, Rejected, AgreesOrRejected };

struct Run {
  std::vector<RunInput> inputs;
  Expectation expectation = Expectation::Agrees;
};

// An output buffer that the caller provides, described for any sizes: strides follow from the order of the axes, and
// along each axis a gap follows the elements of the faster axes.
struct PreallocatedOutput {
  std::string output;          // without '%'
  std::vector<int64_t> order;  // axes from slowest to fastest; empty: row-major
  std::vector<int64_t> gaps;   // in elements, one per entry of that order; empty: none
  int64_t offset = 0;          // of the first element, in elements
  bool operator==(const PreallocatedOutput&) const = default;
};

struct Case {
  std::vector<std::pair<std::string, std::string>> metadata;  // "#: key = value", in order
  std::unique_ptr<Fusion> fusion;
  std::vector<std::pair<std::string, std::string>> aliases;   // alias %output -> %input
  std::vector<PreallocatedOutput> preallocated;               // preallocate %output
  CompileOptions options;
  CasePlaces places;  // source positions, if the case was parsed; not part of its content
  std::optional<Schedule> schedule;                            // schedule { … }: for the whole fusion
  std::map<int64_t, Schedule> segmentSchedules;                // schedule segment K { … }
  std::vector<Run> runs;
};

// The reason why `output` can never be written in place over `input`, for any sizes; "" when it can.
std::string whyNoAlias(const Fusion& fusion, const Val* output, const Val* input);

// The reason why the caller can never provide the output's buffer, for any sizes; "" when it can.
std::string whyNoPreallocation(const Fusion& fusion, const Val* output);

// A deep copy; values keep their ids.
Case cloneCase(const Case& testCase);

// --- recipes -> bytes (data.cpp) ---

// A tensor and the 64-byte aligned buffer that holds it. All bytes outside of its elements are poison.
struct TensorData {
  std::shared_ptr<std::byte[]> memory;
  size_t bytes = 0;
  TensorRef ref;
};

struct RunData {
  std::vector<TensorData> tensors;                       // one per input tensor, in order
  std::vector<std::variant<size_t, ScalarValue>> inputs;  // one per fusion input: an index in tensors, or the scalar
};

// Creates the inputs of a run; an element depends only on its recipe and its logical index (recipe_data.h). A UserError
// if names, dtypes or ranks do not match the fusion's inputs, or, before allocation, if the total exceeds maxBytes.
RunData materialize(const Case& testCase, const Run& run, size_t maxBytes = size_t{1} << 31);

// An output buffer for these sizes, filled with poison. A UserError when it exceeds maxBytes.
TensorData materialize(const PreallocatedOutput& output, DataType dtype, const Dims& sizes,
                       size_t maxBytes = size_t{1} << 31);
// Whether all bytes of such a buffer outside of the tensor's elements are still poison.
bool keptPoison(const TensorData& data);

}  // namespace fuser
