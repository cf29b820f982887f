#include "tests/oracle/largest_errors.h"

#include <fstream>
#include <sstream>
#include <stdexcept>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "fuser/execute/nvrtc.h"
#include "fuser/ops/op_table.h"
#include "fuser/support/split_mix.h"
#include "tests/oracle/operand_points.h"

namespace oracle_test {

using fuser::DataType;
using fuser::OpKind;

namespace {

constexpr const char* kPath = "tests/oracle/largest_errors.md";
constexpr const char* kMadeWith = "Made with ";
constexpr uint64_t kArray = 65536;

constexpr OpKind kRowsOfTwo[] = {OpKind::Div,   OpKind::Fmod,      OpKind::Remainder,  OpKind::Pow,  OpKind::Atan2,
                                 OpKind::Hypot, OpKind::Logaddexp, OpKind::Logaddexp2, OpKind::Xlogy};

std::string atText(const MeasuredRow& row, const Operands& at) {
  char text[96];
  if (fuser::operandCount(row.op) - fuser::namedOperands(row.op).size() > 1)
    std::snprintf(text, sizeof text, "%a, %a", at[0], at[1]);
  else
    std::snprintf(text, sizeof text, "%a", at[0]);
  return text;
}

std::string figureOf(const MeasuredRow& row, const Seen& seen) {
  const RowKind kind = kindOf(row.op);
  std::string text;
  if (kind == RowKind::Exact) text = "exact";
  if (kind == RowKind::Steps && row.dtype == DataType::Double) text = "inside";
  if (text.empty()) {
    char number[64];
    std::snprintf(number, sizeof number, kind == RowKind::Function ? "%.3g (%.3g)" : "%.3g", seen.ulps,
                  seen.fromNearest);
    text = number;
    if (seen.ulps > 0) text += " at " + atText(row, seen.at);
  }
  if (seen.wrong > 0) text += fuser::concat(", ", seen.wrong, " wrong");
  return text;
}

uint64_t quiet(uint64_t bits, DataType dtype) {
  const fuser::FloatFormat format = fuser::floatFormat(dtype);
  const uint64_t fraction = (uint64_t{1} << format.fractionBits) - 1;
  const uint64_t exponent = ((uint64_t{1} << format.exponentBits) - 1) << format.fractionBits;
  const bool isNan = (bits & exponent) == exponent && (bits & fraction) != 0;
  return isNan ? bits | (uint64_t{1} << (format.fractionBits - 1)) : bits;
}

// The numbers [first, first + count) of the points; of pairs the `second` ones are drawn among all points, and of 16
// bits the first ones, too. No NaN of a pair is signaling: beside such ones libraries differ.
Numbers numbersAt(const OperandPoints& points, uint64_t first, uint64_t count, bool isPair, bool second) {
  const bool isNarrow = fuser::dtypeSize(points.dtype()) == 2;
  std::vector<uint64_t> bits;
  for (uint64_t i = first; i < first + count; ++i) {
    const uint64_t drawn = fuser::splitMix64(2 * i + (second ? 1 : 0)) % points.count();
    const uint64_t number = points.bits(isPair && (second || isNarrow) ? drawn : i);
    bits.push_back(isPair ? quiet(number, points.dtype()) : number);
  }
  return {points.dtype(), bits};
}

}  // namespace

std::vector<MeasuredRow> allMeasuredRows(int exponent) {
  const auto share = [&](int less) { return uint64_t{1} << std::max(exponent - less, 8); };
  std::vector<MeasuredRow> rows;
  for (OpKind op : rowsOfOneOperand()) {
    const int lessOfDouble = kindOf(op) == RowKind::Function ? 7 : 4;
    rows.push_back({op, DataType::Half, 65536});
    rows.push_back({op, DataType::BFloat16, 65536});
    rows.push_back({op, DataType::Float, share(0)});
    rows.push_back({op, DataType::Double, share(lessOfDouble)});
  }
  for (OpKind op : kRowsOfTwo) {
    for (DataType dtype : {DataType::Half, DataType::BFloat16, DataType::Float}) rows.push_back({op, dtype, share(3)});
    rows.push_back({op, DataType::Double, share(kindOf(op) == RowKind::Function ? 7 : 4)});
  }
  return rows;
}

Measured measure(const MeasuredRow& row, const EditResults& edit) {
  Measured measured{row, {}};
  const RowFusion fusion(row.op, row.dtype);
  const bool isPair = fusion.arity() > 1;
  const bool isNarrow = fuser::computeType(row.dtype) != row.dtype;
  const OperandPoints points = isNarrow ? OperandPoints(row.dtype) : OperandPoints(row.op, row.dtype, row.points);
  std::vector<std::unique_ptr<RowProgram>> programs;
  for (const MeasuredEngine& engine : kMeasuredEngines)
    programs.push_back(std::make_unique<RowProgram>(fusion, engine.kind, engine.approximation));
  RowErrors errors(row.op, fusion, row.dtype);
  for (uint64_t first = 0; first < row.points; first += kArray) {
    const uint64_t count = std::min(kArray, row.points - first);
    std::vector<Numbers> operands;
    for (size_t i = 0; i < fusion.arity(); ++i) operands.push_back(numbersAt(points, first, count, isPair, i == 1));
    errors.setOperands(operands, first);
    for (size_t engine = 0; engine < programs.size(); ++engine) {
      RowResults results = programs[engine]->run(operands);
      if (edit) edit(results);
      errors.add(results, measured.seen[engine]);
    }
  }
  return measured;
}

std::string keyOf(const MeasuredRow& row) { return fuser::concat("| ", fuser::opName(row.op), " | ", row.dtype, " |"); }

std::string lineOf(const Measured& measured) {
  const RowKind kind = kindOf(measured.row.op);
  std::ostringstream line;
  line << keyOf(measured.row) << " " << measured.row.points << " | ";
  if (kind == RowKind::Function) line << fuser::opInfo(measured.row.op).error;
  if (kind != RowKind::Function) line << (kind == RowKind::Exact ? "exact" : "steps");
  for (const Seen& seen : measured.seen) line << " | " << figureOf(measured.row, seen);
  return line.str() + " |";
}

LargestErrors readLargestErrors() {
  std::ifstream file(kPath);
  if (!file) throw std::runtime_error(fuser::concat("no ", kPath));
  LargestErrors table;
  for (std::string line; std::getline(file, line);) {
    const bool isHead = table.madeWith.empty() && line.rfind(kMadeWith, 0) != 0;
    if (isHead) table.head += line + "\n";
    if (line.rfind(kMadeWith, 0) == 0) table.madeWith = line.substr(std::string(kMadeWith).size());
    const size_t second = line.find(" | "), third = line.find(" |", second + 3);
    if (line.rfind("| ", 0) == 0 && third != std::string::npos) table.lines[line.substr(0, third + 2)] = line;
  }
  return table;
}

void writeLargestErrors(const LargestErrors& table) {
  std::ofstream file(kPath);
  file << table.head << kMadeWith << table.madeWith << "\n\n| row | dtype | points | column |";
  for (const MeasuredEngine& engine : kMeasuredEngines) file << " " << engine.name << " |";
  file << "\n|---|---|---|---|";
  for (size_t i = 0; i < kMeasuredEngines.size(); ++i) file << "---|";
  file << "\n";
  for (const MeasuredRow& row : allMeasuredRows(24)) {
    if (const auto line = table.lines.find(keyOf(row)); line != table.lines.end()) file << line->second << "\n";
  }
}

std::string librariesHere() {
  std::string library = "another C library";
#ifdef __GLIBC__
  library = fuser::concat("glibc ", gnu_get_libc_version());
#endif
#ifdef __x86_64__
  library += __builtin_cpu_supports("fma") ? " with FMA" : " without FMA";
#endif
  return fuser::concat(library, " and NVRTC ", fuser::Nvrtc().version());
}

}  // namespace oracle_test
