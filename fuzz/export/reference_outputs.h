#pragma once
// What the oracle's reference (LibTorch) gives for a case, for programs that compare exported ones with it: an index in
// JSON, and the elements of all cases in one binary file.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "reports/fields.h"

namespace fuser::fuzz {

// One tensor: its elements lie dense and row-major from byte `at` of the binary file on; a scalar is a tensor of f64,
// i64 or bool without axes. strides and offset, in elements, are those of an input's memory.
struct StoredTensor {
  std::string name, dtype;
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  std::string viewOf;  // the input that owns the memory; "": this one
  int64_t at = 0;
  bool operator==(const StoredTensor&) const = default;
};
REPORTS_FIELDS(StoredTensor, name, dtype, sizes, strides, offset, viewOf, at)

struct StoredRun {
  std::string name;     // "run_0"
  std::string refused;  // LibTorch's words; "": it ran
  std::vector<StoredTensor> inputs, outputs;
  bool operator==(const StoredRun&) const = default;
};
REPORTS_FIELDS(StoredRun, name, refused, inputs, outputs)

struct StoredCase {
  std::string program;  // the exported file's name
  std::vector<StoredRun> runs;
  bool operator==(const StoredCase&) const = default;
};
REPORTS_FIELDS(StoredCase, program, runs)

struct StoredCases {
  std::vector<StoredCase> cases;
  bool operator==(const StoredCases&) const = default;
};
REPORTS_FIELDS(StoredCases, cases)

// Evaluates cases, and writes reference.json and reference.bin.
class ReferenceOutputs {
 public:
  // A UserError if the folder cannot be written.
  explicit ReferenceOutputs(std::filesystem::path folder);

  // Runs whose data does not fit the fusion are left out, as in exported programs.
  void add(const Case& testCase, const std::string& program);
  // A UserError if the disk is full.
  void finish();

 private:
  StoredTensor store(const std::string& name, const TensorRef& ref);
  StoredTensor store(const std::string& name, const ScalarValue& value);
  StoredRun evaluate(const Case& testCase, size_t run);

  std::filesystem::path folder_;
  std::ofstream elements_;
  int64_t bytes_ = 0;
  StoredCases stored_;
};

}  // namespace fuser::fuzz
