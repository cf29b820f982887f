#pragma once
// Program: a kernel compiled for the interpreter: the statement tree with registers instead of index expressions and
// function pointers instead of ops and conversions. Immutable; launches share it.

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
  ConvertFunction convert = nullptr;  // Element, Integer: conversion to `dtype`; null if none is needed
  DataType dtype{};                   // the dtype that the op takes
};

// A literal or scalar parameter in the dtype that an op takes; the same for all lanes of a launch.
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
  size_t cache;  // the index of its cached mask
  Steps body;
};
struct LoadIndexStep {
  Element source;
  int index;   // registers
  int low;
  int extent;
  int scope;   // the scope of expressions of the index
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
  DataType resultDtype;              // the dtype of the function's result, or of the input
  ConvertFunction convert = nullptr; // conversion of the result to the target's dtype; null if none is needed
};
struct ShuffleStep {
  Element target;
  Element source;
  Shuffle::From from;
  size_t lanes;
  size_t elementSize;
};
struct JoinStep {
  std::array<Element, 3> own, other;  // mean, squares, count
  DataType dtype;
  WelfordFunction function;
};
struct MmaStep {
  std::array<Element, 4> sums;
  Element left, right;  // the first elements
  bool isHalf;          // f16, else bf16
};
struct BarrierStep {
  int semaphore;  // a buffer; -1: a barrier of the block
};
struct ReleaseStep {
  int semaphore;
};

struct ReportStep {
  int errorWord;
  int64_t check;
  int place;  // a register
  Element index;
  bool wide;  // i64, else i32
};

struct AtomicAddStep {
  Element target;
  Element source;
  DataType dtype;
};

struct Step {
  const Statement* source;
  std::variant<AllocateStep, LoopStep, BranchStep, LoadIndexStep, MoveStep, ComputeStep, ShuffleStep, JoinStep,
               BarrierStep, ReleaseStep, ReportStep, AtomicAddStep, MmaStep>
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
  int64_t threads = 1;          // threads per block
  int64_t blocksTogether = 1;   // maximal number of blocks per batch; their threads are its lanes
  size_t branches = 0;          // number of BranchSteps
  size_t localBytes = 0;        // local memory per lane
  bool atOnce = false;          // whether it has barriers of the grid, so that all blocks are one batch
  bool ordered = false;         // whether it has barriers, so that race detection tracks epochs
  std::vector<bool> readBack;   // by buffer: whether it is a written Global buffer that the kernel also reads
};

// A CheckError for a kernel that cannot run: an unknown symbol, or an op on a dtype that it does not accept (an unknown
// buffer: std::out_of_range). A UserError for more than 1 GiB of local memory per block. Other errors are reported when
// the kernel runs.
Program compileKernel(const Kernel& kernel);

}  // namespace fuser::interp
