#pragma once
// judge(): compares a run's results with those of a correct compiler (oracle/ORACLE.md#1-what-is-judged).
//
// There are two views. Per segment: each stored value is judged on its backward slice in the ORIGINAL fusion (Weiser
// 1981), which ends at the buffers that the segment loaded; their contents count as exact. Whole fusion: plain
// intervals from the inputs. A value outside either view is a mismatch; an element is decided if either view decides
// it.

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
#include "oracle/interval.h"

namespace oracle {

enum class Verdict : uint8_t {
  Agrees,       // every judged element is inside and decided
  Differs,      // an element is outside, or a dtype or size is wrong: a finding, even if other elements are undecided
  Undecided,    // nothing is outside, but some accepted set is too wide to call its element correct
  Unsupported,  // not judged; `reason` says why
};
std::string_view verdictName(Verdict verdict);  // "agrees"

struct JudgeOptions {
  Arithmetic arithmetic;  // what the run's option and engine leave open
  bool probes = false;       // the run's option: consumers read the stored copies, so that each op is judged alone
  // Judge stored values against the whole fusion even where that follows from what was judged before
  // (oracle/ORACLE.md#1-what-is-judged).
  bool allViews = true;
  size_t maxMismatches = 5;  // the maximal size of Judgement::worst
};

// Numbers of elements, of one value or of all.
struct Counts {
  int64_t judged = 0;
  int64_t decided = 0;
  // Of those decided, the ones whose set is narrower than 2^-10, 2^-12 and 2^-14 of its smaller end; of 16-bit dtypes,
  // narrower than two ulps, for all three.
  int64_t within10 = 0;
  int64_t within12 = 0;
  int64_t within14 = 0;
  int64_t decidedToScale = 0;  // as `decided`, but a sum's set is measured against sum(|term|), not against its value
  int64_t inside = 0;
  int64_t outside = 0;
  Counts& operator+=(const Counts& other);
};

// A histogram of the position of decided floating elements between the middle (0) and the bounds (1) of their accepted
// set, in tenths: [0, 0.1) … [0.9, 1]. Elements outside, and those whose set is narrower than kMarginUlps ulps, are not
// counted; of two deciding sets, the nearer bound counts.
inline constexpr int kMarginUlps = 8;
struct Margins {
  std::array<int64_t, 10> tenths{};
  Margins& operator+=(const Margins& other);
  bool operator==(const Margins& other) const = default;
};

// The judgement of one value of the run.
struct ValueJudgement {
  std::string name;                 // in the original fusion, without '%'
  std::optional<uint32_t> origin;   // its id there; nullopt for a stored value without an origin, which is not judged
  int segment = -1;                 // -1: an output of the fusion, as the caller got it
  std::optional<fuser::OpKind> op;  // its op in the original; nullopt for inputs and literals
  Counts counts;
  Margins margins{};
  std::string problem;  // a wrong dtype or size, in which case no element is judged; "" otherwise
};

struct Mismatch {
  std::string value;             // name in the original fusion
  int segment = -1;              // -1: an output of the fusion
  fuser::Dims index;             // the element's index
  std::string got;               // "0.5"
  std::string accepts;           // "[0.24, 0.26]", "{nan, +inf}", "[1, 2] or nan"
  bool wholeFusionView = false;  // outside the whole-fusion view, but inside the segment's slice
  double distance = 0;           // from the accepted set, relative to its bounds; infinity for NaN and infinities
};

// Counts of elements by the op that computes the value.
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

// An element outside of its accepted set, for finding patterns in the wrong elements of a value.
struct WrongElement {
  int64_t place = 0;         // row-major index over WrongValue::extents
  double got = 0;            // integers are rounded to f64
  double low = 0, high = 0;  // the bounds of the accepted range; low > high if there is none
  bool acceptsNan = false, acceptsInf = false;
};

struct WrongValue {
  std::string value;
  int segment = -1;  // -1: an output of the fusion
  fuser::DataType dtype = fuser::DataType::Float;
  fuser::Dims extents;  // 1 for an axis along which nothing varies
  int64_t judged = 0;
  int64_t outside = 0;
  std::vector<WrongElement> elements;  // the first kMaxWrongElements, by index
};
inline constexpr size_t kMaxWrongElements = 4096;

struct Judgement {
  Verdict verdict = Verdict::Unsupported;
  std::string reason;                        // for Unsupported, and for Differs because of a size or dtype
  Counts total;                              // of outputs and stored values; a value stored by its segment counts once
  std::vector<ValueJudgement> outputs;       // one per fusion output, in order
  std::vector<ValueJudgement> stored;        // one per stored value of each segment, in order
  std::vector<Mismatch> worst;               // those of the first wrong op, then the others; each group worst first
  std::vector<OpCounts> ops;                 // in order of OpKind
  std::optional<FirstWrongOp> firstWrongOp;  // of the first wrong stored value in topological order
  std::optional<WrongValue> wrong;           // the first wrong op's result, or else the first wrong output
  std::vector<std::string> notes;            // reductions without a recorded depth, …
};

// `inputs` has one per fusion input, in order, with the contents before the run. All tensors are in host memory. A
// CheckError only if fusion and record do not belong together.
Judgement judge(const fuser::Fusion& original, std::span<const fuser::HostValue> inputs, const fuser::RunRecord& record,
                const JudgeOptions& options = {});

// A few lines of text: verdict, counts, worst mismatches, first wrong op.
std::string toString(const Judgement& judgement);

}  // namespace oracle
