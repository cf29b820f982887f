#pragma once
// What the oracle's reference (LibTorch) gives for a case, for programs that compare exported ones with it: an index in
// JSON, and the elements of all cases in one binary file.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuzz/export/export.h"
#include "oracle/reference/reference.h"
#include "reports/fields.h"

namespace fuser::fuzz {

// One tensor: its elements lie dense and row-major from byte `at` of the binary file on; a scalar is a tensor of f64,
// i64 or bool without axes. strides and offset, in elements, are those of an input's memory.
// Values have the names that they have in programs.
struct StoredTensor {
  std::string name, dtype;
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  std::string viewOf;  // the input that owns the memory; "": this one
  int64_t at = 0;
  bool operator==(const StoredTensor&) const = default;
};
REPORTS_FIELDS(StoredTensor, name, dtype, sizes, strides, offset, viewOf, at)

// What LibTorch computes of one expression, of its own values of the operands.
struct StoredStep {
  std::string op;  // "Add"
  // How near another implementation must come. "bits": the same, any NaN for every NaN | "zero": but for the sign of
  // zero | "ulps": a few units in the last place of the result | "operands": of the result or the operands, whichever
  // are larger | "terms": of a sum, product or variance, a bound from its terms |
  // "terms so far": of a scan
  std::string bound;
  std::vector<std::string> operands;  // the names in exported programs; literals have none
  std::vector<int64_t> dims;          // of a reduction; of a scan or a scatter, the one
  int64_t correction = 0;             // of a variance
  std::vector<StoredTensor> results;
  bool operator==(const StoredStep&) const = default;
};
REPORTS_FIELDS(StoredStep, op, bound, operands, dims, correction, results)

struct StoredRun {
  std::string name;     // "run_0"
  std::string refused;  // LibTorch's words; "": it ran
  std::vector<StoredTensor> inputs, outputs;
  std::vector<StoredStep> steps;  // of formats that are compared expression by expression
  bool operator==(const StoredRun&) const = default;
};
REPORTS_FIELDS(StoredRun, name, refused, inputs, outputs, steps)

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
  ReferenceOutputs(std::filesystem::path folder, bool withSteps);

  // What `program`, which lies in this file, is to compute. Runs whose data does not fit the fusion are left out, as in
  // exported programs.
  void add(const std::string& file, const ExportedProgram& program);
  // A UserError if the disk is full.
  void finish();

 private:
  StoredTensor store(const std::string& name, const TensorRef& ref);
  StoredTensor store(const std::string& name, const ScalarValue& value);
  void storeSteps(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& values,
                  std::vector<StoredStep>& steps);
  StoredRun evaluate(const Case& testCase, const Run& run, const std::string& name);

  std::filesystem::path folder_;
  bool withSteps_;
  std::ofstream elements_;
  int64_t bytes_ = 0;
  StoredCases stored_;
};

}  // namespace fuser::fuzz
