#pragma once
// Judges candidates in a worker process, so that a crash, a hang or a memory blow-up costs one candidate. The process
// is reused until it dies.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/isolate/worker.h"
#include "fuzz/judge/bucket.h"

namespace fuser::fuzz {

// The verdict for a worker's ending.
VerdictKind kindOf(Ending ending);

// The part of a verdict that a search needs.
struct JudgedCase {
  VerdictKind kind = VerdictKind::Agrees;
  Bucket bucket;  // without its stage
  std::string reason, detail;
  std::string wrongValue;  // the name of a value of the case, or ""
  int run = -1;
  SeenIn seenIn = SeenIn::Run;
  bool operator==(const JudgedCase&) const = default;
};
REPORTS_FIELDS(JudgedCase, kind, bucket, reason, detail, wrongValue, run, seenIn)

struct RecordedValues {
  Dims sizes;
  std::vector<ScalarValue> values;  // row-major in logical order
  bool operator==(const RecordedValues&) const = default;
};
REPORTS_FIELDS(RecordedValues, sizes, values)
using RecordedRun = std::map<std::string, RecordedValues>;  // by value name

// The inputs and outputs of a segment, as names of the case's values.
struct SegmentNames {
  std::vector<std::string> inputs, outputs;
  bool operator==(const SegmentNames&) const = default;
};
REPORTS_FIELDS(SegmentNames, inputs, outputs)

class Judging {
 public:
  Judging(const JudgeSettings& settings, const Limits& limits);

  // From now on runs only the checks that can reproduce this finding.
  void needOnly(const JudgedCase& finding);
  void needAll();

  JudgedCase judge(const std::string& text);
  // The complete bucket, including the stage, from all checks.
  Bucket bucket(const std::string& text);
  // The reference's values of scalars and of tensors of up to 4096 elements, by run; empty if they are unknown.
  std::vector<RecordedRun> values(const std::string& text);
  // The segments of the compiled case; empty if segmentation fails.
  std::vector<SegmentNames> segments(const std::string& text);
  // Judges the next candidate in a new process.
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
