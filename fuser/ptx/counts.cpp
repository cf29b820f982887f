// Counts of operations, by what their instructions are.
#include "fuser/ptx/counts.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <vector>

#include "fuser/ptx/opcode_words.h"
#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The floats in a register of the type.
int64_t numbersOf(std::string_view type) {
  if (isOneOf(type, {"f16x2", "bf16x2", "f32x2"})) return 2;
  return isOneOf(type, {"f16", "bf16", "f32", "f64"}) ? 1 : 0;
}

InstructionClass classOfRow(const OpcodeWords& words) {
  const std::string_view first = words.first();
  const bool isOfFloat = numbersOf(words.last()) > 0;
  if (first == "cvt") return InstructionClass::Convert;
  if (isOneOf(first, {"mov", "selp", "setp", "set", "pack", "unpack"})) return InstructionClass::Move;
  const bool isOfDouble = words.last() == "f64";
  if (words.has("approx") || (isOfFloat && !isOfDouble && isOneOf(first, {"div", "rcp", "sqrt"})))
    return InstructionClass::Special;
  if (!isOfFloat) return InstructionClass::Integer;
  return isOfDouble ? InstructionClass::Double : InstructionClass::Float;
}

// Of a warp.
int64_t flopsOfMma(const MmaOf& mma) { return mma.isOfIntegers() ? 0 : int64_t{mma.rows} * 8 * mma.depth * 2; }

// Of a lane.
int64_t flopsOf(const Operation& operation) {
  if (operation.kind != Operation::Kind::Row) return 0;
  const OpcodeWords words(operation.source->opcode);
  const int64_t numbers = numbersOf(words.last());
  if (words.first() == "fma") return 2 * numbers;
  return isOneOf(words.first(), {"add", "sub", "mul", "div", "rcp", "sqrt"}) ? numbers : 0;
}

bool isOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The functions that a part of C++ calls, or defines.
std::vector<std::string_view> functionsIn(std::string_view line) {
  std::vector<std::string_view> names;
  for (size_t open = line.find('('); open != line.npos; open = line.find('(', open + 1)) {
    size_t first = open;
    while (first > 0 && isOfName(line[first - 1])) --first;
    const std::string_view name = line.substr(first, open - first);
    if (!name.empty() && !isOneOf(name, {"if", "for", "while", "switch"})) names.push_back(name);
  }
  return names;
}

// The body of a function that the text defines; "" if it does not.
std::string_view bodyOf(std::string_view cuda, std::string_view function) {
  const auto endOf = [&](size_t open) {  // behind the parenthesis or brace that closes this one
    int depth = 0;
    for (size_t i = open; i < cuda.size(); ++i) {
      depth += (cuda[i] == cuda[open]) - (cuda[i] == (cuda[open] == '(' ? ')' : '}'));
      if (depth == 0) return i + 1;
    }
    return cuda.size();
  };
  for (size_t at = 0; (at = cuda.find(function, at)) != cuda.npos; at += function.size()) {
    const size_t open = at + function.size();
    if ((at > 0 && isOfName(cuda[at - 1])) || open >= cuda.size() || cuda[open] != '(') continue;
    const size_t body = cuda.find_first_not_of(" \n", endOf(open));
    if (body != cuda.npos && cuda[body] == '{') return cuda.substr(body, endOf(body) - body);
  }
  return "";
}

// Whether a part of the text calls a function that has a depot, or one of the text's own that does.
bool callsOneWithDepot(std::string_view cuda, std::string_view part, std::set<std::string_view>& known) {
  for (std::string_view function : functionsIn(part)) {
    if (isOneOf(function, {"sin", "cos", "tan"})) return true;
    if (known.insert(function).second && callsOneWithDepot(cuda, bodyOf(cuda, function), known)) return true;
  }
  return false;
}

const Function& functionOf(const Module& module, const Instruction& instruction) {
  for (const Function& function : module.functions) {
    const Instruction* first = function.instructions.data();
    const std::less<const Instruction*> isBefore;
    if (!isBefore(&instruction, first) && isBefore(&instruction, first + function.instructions.size())) return function;
  }
  FUSER_CHECK(false, "an instruction of no function");
}

// Whether all that the kernel itself has in local memory is the depot of f32: an array of its own would make it larger.
bool hasDepotAlone(const Function& kernel, const std::string& cuda) {
  constexpr int64_t kBytes = 28;  // seven words
  int64_t bytes = 0;
  for (const Variable& variable : kernel.variables) bytes += variable.space == Space::Local ? variable.bytes : 0;
  std::set<std::string_view> known;
  return bytes == kBytes && callsOneWithDepot(cuda, bodyOf(cuda, kernel.name), known);
}

}  // namespace

InstructionClass classOf(const Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::Row: return classOfRow(OpcodeWords(operation.source->opcode));
    case Operation::Kind::Branch:
    case Operation::Kind::Exit:
    case Operation::Kind::NoTarget:
    case Operation::Kind::Trap: return InstructionClass::Branch;
    case Operation::Kind::Parameter:
    case Operation::Kind::ActiveMask: return InstructionClass::Move;
    case Operation::Kind::Load:
    case Operation::Kind::Store:
      if (operation.access.isOfCall) return InstructionClass::Move;
      return operation.access.space == Space::Shared  ? InstructionClass::Shared
             : operation.access.space == Space::Local ? InstructionClass::Local
                                                      : InstructionClass::Global;
    case Operation::Kind::CopyAsync: return InstructionClass::Global;
    case Operation::Kind::LoadMatrix: return InstructionClass::Shared;
    case Operation::Kind::Atomic: return InstructionClass::Atomic;
    case Operation::Kind::CommitCopies:
    case Operation::Kind::WaitForCopies:
    case Operation::Kind::Barrier:
    case Operation::Kind::WarpBarrier:
    case Operation::Kind::Fence: return InstructionClass::Barrier;
    case Operation::Kind::Shuffle:
    case Operation::Kind::Vote:
    case Operation::Kind::Match:
    case Operation::Kind::Reduce:
    case Operation::Kind::Elect: return InstructionClass::Warp;
    case Operation::Kind::Mma: return InstructionClass::Mma;
  }
  FUSER_CHECK(false, "bad Operation::Kind");
}

Counts& Counts::operator+=(const Counts& other) {
  launches += other.launches;
  warpInstructions += other.warpInstructions;
  laneInstructions += other.laneInstructions;
  for (size_t i = 0; i < kInstructionClasses; ++i) byClass[i] += other.byClass[i];
  divergentBranches += other.divergentBranches;
  sharedWavefronts += other.sharedWavefronts;
  barrierWaits += other.barrierWaits;
  depotBytes += other.depotBytes;
  localBytes += other.localBytes;
  flops += other.flops;
  mmaFlops += other.mmaFlops;
  return *this;
}

Counts countsOf(const Program& program, std::span<const OperationCount> counts, const std::string& cuda) {
  Counts sum;
  sum.launches = 1;
  const bool isDepotAlone = hasDepotAlone(*program.entry, cuda);
  for (size_t i = 0; i < counts.size(); ++i) {
    const Operation& operation = program.operations[i];
    const OperationCount& count = counts[i];
    if (!operation.isCounted) continue;
    sum.warpInstructions += count.warps;
    sum.laneInstructions += count.lanes;
    sum.byClass[static_cast<size_t>(classOf(operation))] += count.warps;
    sum.divergentBranches += count.divergent;
    sum.sharedWavefronts += count.wavefronts;
    if (operation.kind == Operation::Kind::Barrier) sum.barrierWaits += count.warps;
    if (classOf(operation) == InstructionClass::Local) {
      const Function& function = functionOf(*program.module, *operation.source);
      const bool isOfDepot = function.isEntry ? isDepotAlone : function.name == "__internal_trig_reduction_slowpathd";
      (isOfDepot ? sum.depotBytes : sum.localBytes) += count.lanes * operation.access.bytes();
    }
    const int64_t ofMma = operation.kind == Operation::Kind::Mma ? count.warps * flopsOfMma(operation.mma) : 0;
    sum.mmaFlops += ofMma;
    sum.flops += operation.kind == Operation::Kind::Mma ? ofMma : count.lanes * flopsOf(operation);
  }
  return sum;
}

std::map<uint32_t, ClassCounts> countsByLine(const Program& program, std::span<const OperationCount> counts) {
  std::map<uint32_t, ClassCounts> lines;
  for (size_t i = 0; i < counts.size(); ++i) {
    const Operation& operation = program.operations[i];
    if (!operation.isCounted || counts[i].warps == 0) continue;
    lines[operation.source->cudaLine][static_cast<size_t>(classOf(operation))] += counts[i].warps;
  }
  return lines;
}

int wavefrontsOf(const std::array<uint64_t, kLanes>& offsets, uint32_t mask, int bytes) {
  const int words = std::max(bytes / 4, 1), lanesAtOnce = kLanes / words;
  int passes = 0;
  for (int first = 0; first < kLanes; first += lanesAtOnce) {
    std::array<std::array<uint64_t, kLanes>, 32> wordsOfBank;
    std::array<int, 32> count{};
    int most = 0;
    for (int lane = first; lane < first + lanesAtOnce; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      for (int i = 0; i < words; ++i) {
        const uint64_t word = offsets[static_cast<size_t>(lane)] / 4 + static_cast<uint64_t>(i);
        auto& known = wordsOfBank[word % 32];
        int& held = count[word % 32];
        if (std::find(known.begin(), known.begin() + held, word) != known.begin() + held) continue;
        known[static_cast<size_t>(held++)] = word;
        most = std::max(most, held);
      }
    }
    passes += most;
  }
  return passes;
}

}  // namespace fuser::ptx
