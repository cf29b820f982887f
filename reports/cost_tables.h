#pragma once
// Cost tables: what `fuser-opt FILE… --print=cost` prints and tests/fuser/runtime/seed_costs.txt holds. Two of them,
// before and after a change, are compared count by count: no noise, no threshold.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace reports {

// The columns of a table, in their order; "conflicts" are of banks, "weights" and "once" the
// sectors of operands that lack an axis of the grid, of those per block and of the compulsory ones. Less is better of
// those that cost; of the others, and of registers, it depends. Behind a total's traffic: the bytes of copies, 0 unless
// it names them.
enum class Count : uint8_t {
  Launches,
  Blocks,
  Threads,
  Shared,
  Requested,
  PerBlock,
  Compulsory,
  Conflicts,
  Barriers,
  Weights,
  Once,
  Registers,
  Copied
};
inline constexpr size_t kCounts = 13;
inline constexpr size_t kColumns = kCounts - 1;  // of a kernel; Copied is of a total
const char* countName(Count count);  // "per block"
bool costs(Count count);

struct CostLine {
  std::string name;                       // of a kernel; "total" of a program's sums
  std::array<int64_t, kCounts> counts{};  // by Count; -1: the table says nothing
};

struct ProgramCosts {
  std::string name;             // "softmax"
  std::string what;             // "run 1: 16384 sectors of inputs and outputs"
  std::vector<CostLine> lines;  // kernels, then the total
};

struct CostTable {
  std::string origin;  // the file's name, for messages
  std::vector<ProgramCosts> programs;
};

// Text before, between and behind the programs is skipped. A UserError, with the line's number, for a program that is
// not as toTable (fuser/runtime/case_cost.h) prints it or that is there twice, and for a text without programs.
CostTable parseCostTable(const std::string& text, const std::string& origin);

// A count that is another one.
struct CostChange {
  std::string program, line;
  Count count = Count::Launches;
  int64_t before = 0, after = 0;
};

struct CostCheck {
  std::vector<CostChange> changes;  // in the baseline's order
  // Sentences: programs that only one table has or that ran on other inputs, kernels that only one has.
  std::vector<std::string> missingPrograms;  // not compared; of the baseline
  std::vector<std::string> notes;
};

// Kernels of one name in a program are compared in their order. Registers that either table does not know are not
// compared.
CostCheck compareCosts(const CostTable& baseline, const CostTable& current);

// Whether a count that costs is larger in a program's total. (A kernel may cost more because it does what two did.)
bool anyTotalGrew(const CostCheck& check);

// A table: MORE, then LESS of what costs, then OTHER; or "all counts are the same".
std::string toText(const CostCheck& check);

}  // namespace reports
