#pragma once
// Judging of candidates in a worker process that lives from one to the next, so that a crash, a hang or a memory
// blow-up costs one candidate.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/isolate/worker.h"
#include "fuzz/judge/bucket.h"

namespace fuser::fuzz {

// A worker's death as the verdict it means.
VerdictKind kindOf(Ending ending);

// The verdict as far as a search needs it.
struct JudgedCase {
  VerdictKind kind = VerdictKind::Agrees;
  Bucket bucket;           // without its stage
  std::string reason, detail;
  std::string wrongValue;  // names a value of the case, or ""
  int run = -1;
  bool onlyProbed = false;
  bool operator==(const JudgedCase&) const = default;
};
REPORTS_FIELDS(JudgedCase, kind, bucket, reason, detail, wrongValue, run, onlyProbed)

struct RecordedValues {
  Dims sizes;
  std::vector<ScalarValue> values;  // row-major in logical order
  bool operator==(const RecordedValues&) const = default;
};
REPORTS_FIELDS(RecordedValues, sizes, values)
using RecordedRun = std::map<std::string, RecordedValues>;  // by the value's name

// The boundary of a segment, as names of the case's values.
struct SegmentNames {
  std::vector<std::string> inputs, outputs;
  bool operator==(const SegmentNames&) const = default;
};
REPORTS_FIELDS(SegmentNames, inputs, outputs)

class Judging {
 public:
  Judging(const JudgeSettings& settings, const Limits& limits);

  // Which of the settings' checks are made from now on: all, or those alone that a finding like this needs.
  void needOnly(const JudgedCase& finding);
  void needAll();

  JudgedCase judge(const std::string& text);
  // The whole bucket, the stage included, from all checks.
  Bucket bucket(const std::string& text);
  // The reference's values of all tensors of up to 4096 elements and all scalars, by run; empty where it cannot say.
  std::vector<RecordedRun> values(const std::string& text);
  // The segments that the compiler makes of it; empty where it does not come to that.
  std::vector<SegmentNames> segments(const std::string& text);
  // The next question goes to a process that has seen nothing.
  void forget() { worker_.reset(); }
  size_t judged() const { return judged_; }

 private:
  Outcome ask(const std::string& question, const std::string& text);
  Outcome askOnce(const std::string& question, const std::string& text);

  JudgeSettings all_, current_;
  Limits limits_;
  Symboliser symbols_;
  std::unique_ptr<Worker> worker_;
  size_t judged_ = 0;
};

}  // namespace fuser::fuzz
