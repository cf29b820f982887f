#pragma once
// judge(): holds what a run gave against what a correct one may give (oracle/ORACLE.md#1-what-is-judged).
//
// Two views. Segment by segment: each stored value is judged on the backward slice of the ORIGINAL fusion from it,
// ending exactly at the buffers that its segment loaded, whose numbers are taken as exact. And the whole fusion, on
// plain intervals from its inputs. A value outside either view is a mismatch; an element that either view decides is
// decided.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/ops/op_kind.h"
#include "fuser/record/run_record.h"
#include "fuser/types/dims.h"

namespace oracle {

enum class Verdict : uint8_t {
  Agrees,       // every judged element is inside and decided
  Differs,      // an element, a dtype or a size is outside: a finding, whatever else is undecided
  Undecided,    // nothing is outside, but an accepted set is too wide to say that the element is right
  Unsupported,  // not judged; `reason` says why
};
std::string_view verdictName(Verdict verdict);  // "agrees"

struct JudgeOptions {
  bool contraction = false;  // of the run: a multiply and an add of one kernel may be one FMA
  bool probes = false;       // of the run: consumers read the stored copies, so that each op is judged alone
  size_t maxMismatches = 5;  // kept in Judgement::worst
};

// Elements of one value, or of all.
struct Counts {
  int64_t judged = 0;
  int64_t decided = 0;
  int64_t decidedToScale = 0;  // of a sum, beside `decided`: the accepted set is narrow against the sum of |terms|
  int64_t inside = 0;
  int64_t outside = 0;
  Counts& operator+=(const Counts& other);
};

// Where decided elements of floating dtypes lie between the middle of their accepted set (0) and its ends (1), in
// tenths: [0, 0.1) … [0.9, 1]. Sets narrower than kMarginUlps steps of the dtype and what lies outside are not counted;
// of two sets that decide, the nearer end counts.
inline constexpr int kMarginUlps = 8;
struct Margins {
  std::array<int64_t, 10> tenths{};
  Margins& operator+=(const Margins& other);
  bool operator==(const Margins& other) const = default;
};

// A value of the run against its accepted set.
struct ValueJudgement {
  std::string name;  // in the original fusion, without '%'
  std::optional<uint32_t>
      origin;        // its id there; none for a stored value that is no value of the original (not judged)
  int segment = -1;  // -1: an output of the fusion, as the caller got it
  std::optional<fuser::OpKind> op;  // that defines it in the original; none for inputs and literals
  Counts counts;
  Margins margins{};
  std::string problem;  // a wrong dtype or size: then no element was judged
};

struct Mismatch {
  std::string value;             // name in the original fusion
  int segment = -1;              // -1: an output of the fusion
  fuser::Dims index;             // of the element
  std::string got;               // "0.5"
  std::string accepts;           // "[0.24, 0.26]", "{nan, +inf}", "[1, 2] or nan"
  bool wholeFusionView = false;  // outside the plain intervals, but not of the segment's slice
  double distance = 0;           // from the accepted set, in its ends' magnitude; infinity for NaN and infinities
};

// Share of decided elements by the op that made the value.
struct OpCounts {
  fuser::OpKind op;
  Counts counts;
  Margins margins{};
};

struct FirstWrongOp {
  fuser::OpKind op;
  std::string value;  // its result
  int segment = -1;
  int64_t outside = 0;
  Mismatch worst;
};

// The elements of one value that lie outside, for who looks for a pattern in them.
struct WrongElement {
  int64_t place = 0;     // row-major over WrongValue::extents
  double got = 0;        // of integers: rounded to f64
  double low = 0, high = 0;  // ends of the accepted range; low > high: there is none
  bool acceptsNan = false, acceptsInf = false;
};

struct WrongValue {
  std::string value;
  int segment = -1;  // -1: an output of the fusion
  fuser::DataType dtype = fuser::DataType::Float;
  fuser::Dims extents;  // an axis along which nothing varies has 1
  int64_t judged = 0;
  int64_t outside = 0;
  std::vector<WrongElement> elements;  // in order of place, the first kMaxWrongElements
};
inline constexpr size_t kMaxWrongElements = 4096;

struct Judgement {
  Verdict verdict = Verdict::Unsupported;
  std::string reason;                   // of Unsupported; of Differs where it is no element (sizes, dtypes)
  Counts total;                         // over outputs and stored values, a value stored by its segment counted once
  std::vector<ValueJudgement> outputs;  // one per fusion output, in order
  std::vector<ValueJudgement> stored;   // one per stored value of each segment, in order
  std::vector<Mismatch> worst;          // the worst first
  std::vector<OpCounts> ops;            // in order of OpKind
  std::optional<FirstWrongOp> firstWrongOp;  // the first wrong stored value in topological order (with probes: the op)
  std::optional<WrongValue> wrong;  // of the first wrong op's result, or of the first output that is wrong
  std::vector<std::string> notes;            // reductions without a recorded depth, …
};

// inputs: one per fusion input, in order, as given to the run (their contents before it). Every TensorRef lies in host
// memory. A CheckError only where fusion and record cannot belong together.
Judgement judge(const fuser::Fusion& original, std::span<const fuser::HostValue> inputs, const fuser::RunRecord& record,
                const JudgeOptions& options = {});

// A few lines for a person: verdict, counts, worst mismatches, first wrong op.
std::string toString(const Judgement& judgement);

}  // namespace oracle
