#pragma once
// The table tests/oracle/largest_errors.md: the largest error seen of each row, dtype and engine, beside the row's
// column.

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/case/options.h"
#include "tests/oracle/row_errors.h"

namespace oracle_test {

struct MeasuredEngine {
  std::string_view name;  // of its column
  fuser::EngineKind kind;
  fuser::ptx::Approximation approximation = fuser::ptx::Approximation::Nearest;  // of ptx
  bool mustKeepTo = true;  // the rows' columns; else what exceeds them is a figure of the table alone
};
inline constexpr std::array kMeasuredEngines{
    MeasuredEngine{"interp", fuser::EngineKind::Interp}, MeasuredEngine{"cpu", fuser::EngineKind::Cpu},
    MeasuredEngine{"ptx", fuser::EngineKind::Ptx},
    MeasuredEngine{"ptx, worst", fuser::EngineKind::Ptx, fuser::ptx::Approximation::Adversarial, false}};

// A row of the op table on operands of one dtype.
struct MeasuredRow {
  fuser::OpKind op;
  fuser::DataType dtype;
  uint64_t points;
};

// All rows of one operand, and those of two that compute with floats and call functions or divide; f16, bf16, f32, f64.
// Of one operand of 16 bits all numbers; of f32 2^exponent; of others a share of it: f64 against MPFR 2^-7, other f64
// 2^-4, pairs 2^-3.
std::vector<MeasuredRow> allMeasuredRows(int exponent);

struct Measured {
  MeasuredRow row;
  std::array<Seen, kMeasuredEngines.size()> seen;  // by engine
};
// Runs the row on each engine, in arrays of 65,536. `edit`, if there is one, may change the results first. A SetUpError
// without clang or NVRTC.
using EditResults = std::function<void(RowResults& results)>;
Measured measure(const MeasuredRow& row, const EditResults& edit = {});

// "| Exp | f32 |", with which the row's line begins.
std::string keyOf(const MeasuredRow& row);
std::string lineOf(const Measured& measured);

// The table: what it says above, for people; with which libraries it was made; its lines by keyOf().
struct LargestErrors {
  std::string head;
  std::string madeWith;
  std::map<std::string, std::string> lines;
};
// A std::runtime_error if there is no table.
LargestErrors readLargestErrors();
// Its rows in the order of allMeasuredRows().
void writeLargestErrors(const LargestErrors& table);
// The libraries whose functions ran: figures of others differ.
std::string librariesHere();

}  // namespace oracle_test
