// makeProgram: instructions -> operations.
#include "fuser/ptx/program.h"

#include <algorithm>

#include "fuser/ptx/operation_builder.h"
#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

constexpr uint32_t kDeepestCalls = 16;

// What no row of instructions.def names as a whole, by the first word of its opcode.
struct Family {
  std::string_view word;
  AddFamily add;
};
constexpr Family kFamilies[] = {
    {"mov", addMove},
    {"cvta", addAddress},
    {"setp", addCompare},
    {"set", addSet},
    {"cvt", addConvert},
    {"ld", addLoad},
    {"ldu", addLoad},
    {"st", addStore},
    {"atom", addAtomic},
    {"red", addAtomic},
    {"cp", addCopyAsync},
    {"membar", addFence},
    {"fence", addFence},
    {"bar", addBarrier},
    {"barrier", addBarrier},
    {"shfl", addShuffle},
    {"vote", addVote},
    {"match", addMatch},
    {"redux", addReduce},
    {"elect", addElect},
    {"activemask", addActiveMask},
    {"ldmatrix", addLoadMatrix},
    {"mma", addMma},
    {"trap", addTrap},
    {"addc", addCarry},
    {"subc", addCarry},
    {"madc", addCarry},
    {"add", addCarry},
    {"sub", addCarry},
    {"mad", addCarry},
    {"lop3", addLogic},
    {"isspacep", addIsInSpace},
    {"prefetch", addHint},
    {"prefetchu", addHint},
    {"applypriority", addHint},
    {"nanosleep", addHint},
    {"pmevent", addHint},
    {"createpolicy", addPolicy},
};

class ProgramBuilder {
 public:
  ProgramBuilder(Program& program, const std::string& name, Approximation approximation)
      : program_(program), to_(program, name), approximation_(approximation) {}

  void build() {
    const Function& entry = *program_.entry;
    to_.placeModuleVariables();
    int64_t offset = 0;
    for (size_t i = 0; i < entry.parameters; ++i) {
      const Variable& parameter = entry.variables[i];
      offset = (offset + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
      program_.parameters.push_back(offset);
      offset += parameter.bytes;
    }
    program_.parameters.push_back(offset);
    Frame frame{entry};
    addFunction(frame, nullptr);
    to_.finish();
    findJoins(program_);
    sharePlaces(program_, to_.places());
  }

 private:
  uint32_t end() const { return static_cast<uint32_t>(program_.operations.size()); }

  struct BranchTo {
    uint32_t operation, instruction;
  };

  void addFunction(Frame& frame, const Instruction* call) {
    for (const Register& each : frame.function.registers) frame.registers.push_back(to_.newRegister(each.type));
    to_.placeVariables(frame, call);
    std::vector<uint32_t> starts;                         // of each instruction, the first operation
    std::vector<BranchTo> branches;
    const Place outerGuard = to_.guard();
    const bool outerNegated = to_.guardNegated();
    for (const Instruction& at : frame.function.instructions) {
      starts.push_back(end());
      to_.freeTemporaries();
      if (at.guard >= 0 && outerGuard != kNoPlace) to_.fail(at, "a guard in a function that a guarded call calls");
      if (at.guard >= 0) {
        to_.setGuard(frame.registers[static_cast<size_t>(at.guard)], at.guardNegated);
      } else {
        to_.setGuard(outerGuard, outerNegated);
      }
      const OpcodeWords words(at.opcode);
      if (words.first() == "brx") {
        addIndexedBranch(frame, at, branches);
      } else if (words.first() != "bra") {
        addInstruction(frame, at, words);
      } else {
        if (at.operands.size() != 1 || at.operands[0].kind != Operand::Kind::Label)
          to_.fail(at, "a branch to no label");
        branches.push_back({end(), at.operands[0].at});
        to_.add(at, Operation::Kind::Branch);
      }
      if (words.first() != "call") markCounted(at, starts.back());
    }
    to_.setGuard(outerGuard, outerNegated);
    starts.push_back(end());
    for (const auto& [operation, instruction] : branches) program_.operations[operation].target = starts[instruction];
    for (uint32_t operation : frame.returns) program_.operations[operation].target = end();
  }

  // brx.idx index, list: a branch for each label of the list, which the threads of its index take.
  void addIndexedBranch(const Frame& frame, const Instruction& at, std::vector<BranchTo>& branches) {
    if (at.opcode != "brx.idx" && at.opcode != "brx.idx.uni") to_.failUnknown(at);
    to_.needOperands(at, 2);
    const std::vector<Operand>& labels = at.operands[1].parts;
    if (at.operands[1].kind != Operand::Kind::Vector || labels.empty() || labels[0].kind != Operand::Kind::Label)
      to_.fail(at, "a branch to no list of labels");
    // Who does not branch at all goes around.
    const bool isGuarded = to_.guard() != kNoPlace;
    const uint32_t around = end();
    if (isGuarded) to_.add(at, Operation::Kind::Branch).guardNegated = !to_.guardNegated();
    to_.setGuard(kNoPlace, false);
    const Place index = to_.read(frame, at, at.operands[0], Type::U32), isHere = to_.temporary(Type::Pred);
    for (size_t i = 0; i < labels.size(); ++i) {
      to_.addRow(at, "setp.eq.u32", isHere, {index, to_.constant(4, i)});
      branches.push_back({end(), labels[i].at});
      to_.setGuard(isHere, false);
      to_.add(at, Operation::Kind::Branch);
      to_.setGuard(kNoPlace, false);
    }
    to_.add(at, Operation::Kind::NoTarget);
    if (isGuarded) program_.operations[around].target = end();
  }

  // Of the operations of an instruction, the one that is its own: no move or conversion on the way.
  void markCounted(const Instruction& at, uint32_t first) {
    if (first == end()) return;
    uint32_t own = first;
    for (uint32_t i = first; i < end(); ++i) {
      const Operation& each = program_.operations[i];
      const bool isOnTheWay = (each.kind == Operation::Kind::Row && each.row->opcode != at.opcode) ||
                              (each.kind == Operation::Kind::Fence && i + 1 < end());
      if (isOnTheWay) continue;
      own = i;
      break;
    }
    program_.operations[own].isCounted = true;
  }

  void addInstruction(Frame& frame, const Instruction& at, const OpcodeWords& words) {
    if (const Row* row = rowOf(at.opcode, approximation_)) return addRow(frame, at, *row);
    if (words.first() == "exit" || (words.first() == "ret" && frame.function.isEntry)) {
      to_.add(at, Operation::Kind::Exit);
    } else if (words.first() == "ret") {
      frame.returns.push_back(end());
      to_.add(at, Operation::Kind::Branch);
    } else if (words.first() == "call") {
      addCall(frame, at);
    } else {
      const auto family = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                                       [&](const Family& each) { return each.word == words.first(); });
      if (family == std::end(kFamilies)) to_.failUnknown(at);
      family->add(to_, frame, at, words);
    }
  }

  void addRow(Frame& frame, const Instruction& at, const Row& row) {
    const auto holds = [&](size_t operand, Operand::Kind kind) {
      return operand < at.operands.size() && at.operands[operand].kind == kind;
    };
    const bool isPacked = holds(0, Operand::Kind::Vector) || holds(1, Operand::Kind::Vector);
    if (isPacked && at.opcode.starts_with("mov.")) return addPacked(to_, frame, at, row.result);
    if (holds(0, Operand::Kind::Pair)) return addCompare(to_, frame, at, OpcodeWords(at.opcode));
    to_.needOperands(at, static_cast<size_t>(row.count) + 1);
    std::array<Place, 4> places{};
    for (size_t i = 0; i < static_cast<size_t>(row.count); ++i)
      places[i] = to_.read(frame, at, at.operands[i + 1], row.operands[i]);
    const OperationBuilder::Result result = to_.resultOf(frame, at, at.operands[0], row.result);
    Operation& operation = to_.add(at, Operation::Kind::Row);
    operation.row = &row;
    operation.result = result.computed;
    operation.count = static_cast<uint8_t>(row.count);
    std::copy_n(places.begin(), row.count, operation.operands.begin());
    to_.finish(at, result);
  }

  void addCall(Frame& frame, const Instruction& at) {
    const auto name = std::find_if(at.operands.begin(), at.operands.end(),
                                   [](const Operand& operand) { return operand.kind == Operand::Kind::Function; });
    if (name == at.operands.end()) to_.fail(at, "a call of no function");
    const Function* called = program_.module->function(name->name);
    if (!called) to_.fail(at, concat("function '", name->name, "' has no body"));
    if (frame.depth >= kDeepestCalls) to_.fail(at, "calls are too deep");
    Frame inner{*called, &frame, frame.depth + 1};
    addFunction(inner, &at);
  }

  Program& program_;
  OperationBuilder to_;
  const Approximation approximation_;
};

}  // namespace

std::string Program::placeText(const Operation& operation) const {
  const Instruction& source = *operation.source;
  const Function* in = entry;
  for (const Function& function : module->functions) {
    const auto& all = function.instructions;
    if (!all.empty() && &source >= all.data() && &source < all.data() + all.size()) in = &function;
  }
  std::string text = concat("PTX line ", source.line, ": ", instructionText(*in, source));
  if (source.cudaLine == 0) return text;
  return concat(text, ", CUDA line ", source.cudaLine, cudaLineText(*module, source.cudaLine));
}

Program makeProgram(const Module& module, std::string_view entry, const std::string& name,
                    Approximation approximation) {
  Program program;
  program.module = &module;
  program.entry = module.function(entry);
  FUSER_CHECK(program.entry && program.entry->isEntry, name, " has no entry ", entry);
  ProgramBuilder(program, name, approximation).build();
  return program;
}

}  // namespace fuser::ptx
