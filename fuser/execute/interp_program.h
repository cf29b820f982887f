#pragma once
// A kernel compiled for the interpreter: the statement tree with index expressions resolved to registers, op-table rows
// to lane functions, and conversions to functions. Immutable: launches share it.

#include <array>
#include <variant>
#include <vector>

#include "fuser/execute/interp_index.h"
#include "fuser/kernel/kernel.h"
#include "fuser/ops/op_eval.h"

namespace fuser::interp {

struct Element {
  int buffer;
  int index;  // a register
};

struct Input {
  enum class Kind : uint8_t { Element, Constant, Integer } kind;
  Element element{};                  // Element
  size_t constant = 0;                // Constant: in Program::constants
  int integer = -1;                   // Integer: a register
  ConvertFunction convert = nullptr;  // Element, Integer: to the type that the op takes; null when it has it
  DataType dtype{};                   // that the op takes
};

// A literal or a scalar parameter as an op takes it: the same for all lanes of a launch.
struct Constant {
  Operand operand;
  DataType dtype;
};

struct Step;
using Steps = std::vector<Step>;

struct AllocateStep {
  int buffer;
};
struct LoopStep {
  int extent;  // registers
  int index;   // -1: no symbol
  int scope;
  Steps body;
};
struct BranchStep {
  int condition;
  size_t cache;  // which of the launch's cached masks
  Steps body;
};
struct LoadIndexStep {
  Element source;
  int index;   // registers
  int low;
  int extent;
  int scope;   // of what is made of the index
  bool wide;   // i64, else i32
};
struct MoveStep {
  Element target;
  Element source;
  int width;
};
struct ComputeStep {
  Element target;
  std::array<Input, 3> inputs;
  size_t inputCount;
  LaneFunction function;             // null: the input is the result
  DataType resultDtype;              // of the function (or the input)
  ConvertFunction convert = nullptr; // of the result to the target's dtype; null when it has it
};
// Which threads of a block combine their values along some dims.
struct ThreadGroups {
  int64_t length;  // threads combined
  int64_t groups;  // per block
  std::vector<int32_t> place;  // by thread of the block: its t in the reduction
  std::vector<int32_t> group;  // by thread of the block
};
struct ReduceStep {
  Element target;
  Element source;
  DataType dtype;
  LaneFunction function;
  ThreadGroups threads;
};
struct WelfordStep {
  Element mean;
  Element squares;
  Element count;
  DataType dtype;
  WelfordFunction function;
  ThreadGroups threads;
};
struct BarrierStep {};

struct Step {
  const Statement* source;
  std::variant<AllocateStep, LoopStep, BranchStep, LoadIndexStep, MoveStep, ComputeStep, ReduceStep, WelfordStep,
               BarrierStep>
      node;
};

struct Program {
  const Kernel* kernel = nullptr;
  IndexProgram index;
  std::vector<int> params;  // registers of Kernel::intParams
  std::array<int, 3> threadIdx{};
  std::array<int, 3> blockIdx{};
  std::vector<Constant> constants;
  Steps body;
  int64_t threads = 1;          // of a block
  int64_t blocksTogether = 1;   // at most; their threads are lanes of one batch
  size_t branches = 0;
  size_t localBytes = 0;        // of one lane
  bool ordered = false;         // has barriers: accesses have an order to be tracked
  std::vector<bool> readBack;   // by buffer: a written Global buffer that the kernel reads
};

// A CheckError for a kernel that cannot be run at all: a symbol or buffer that does not exist, an op on a dtype that it
// does not take. Whatever else a kernel does wrong shows when it runs.
Program compileKernel(const Kernel& kernel);

}  // namespace fuser::interp
