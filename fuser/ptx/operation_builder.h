#pragma once
// OperationBuilder: the places of registers, constants and variables of a program that is being made, and the
// operations that are added to it. Families of instructions that no row of instructions.def names as a whole are
// functions on it (kFamilies, program.cpp).

#include <map>
#include <utility>

#include "fuser/ptx/opcode_words.h"
#include "fuser/ptx/program.h"
#include "fuser/ptx/share_places.h"

namespace fuser::ptx {

// A function, put in where it is called.
struct Frame {
  const Function& function;
  Frame* caller = nullptr;
  uint32_t depth = 0;
  std::vector<int64_t> variables{};  // their addresses: in the space of each
  std::vector<Place> registers{};
  std::vector<uint32_t> returns{};  // branches to what follows the call
};

class OperationBuilder {
 public:
  OperationBuilder(Program& program, const std::string& name) : program_(program), name_(name) {}

  Program& program() { return program_; }
  [[noreturn]] void fail(const Instruction& at, const std::string& message) const;
  [[noreturn]] void failUnknown(const Instruction& at) const;
  void needOperands(const Instruction& at, size_t count) const;

  // --- places ---
  Place newPlace(Type type) { return makePlace(type, false); }
  Place newRegister(Type type) { return makePlace(type, true); }
  const std::vector<MadePlace>& places() const { return places_; }
  Place temporary(Type type);  // until the next instruction
  Place constant(int bytes, uint64_t value);
  Place registerPlace(const Frame& frame, const Operand& operand) const { return frame.registers[operand.at]; }
  Type registerType(const Frame& frame, const Operand& operand) const {
    return frame.function.registers[operand.at].type;
  }
  Place guard() const { return guard_; }
  bool guardNegated() const { return guardNegated_; }
  void setGuard(Place guard, bool negated) {
    guard_ = guard;
    guardNegated_ = negated;
  }
  void freeTemporaries() { used_.fill(0); }
  // The register of carries (add.cc), made when it is asked for first.
  Place carry();
  // The first of four registers, for the sums of an mma.
  Place sums();

  // --- variables ---
  void placeModuleVariables();
  // `call`: of a function that is no entry.
  void placeVariables(Frame& frame, const Instruction* call);
  int64_t addressOf(const Frame& frame, const Operand& operand) const {
    return operand.isOfModule ? moduleAddresses_[operand.at] : frame.variables[operand.at];
  }

  // --- operands ---
  // Where a value of the type is read: registers of more bits are cut.
  Place read(const Frame& frame, const Instruction& at, const Operand& operand, Type type);
  // Where a result of the type goes; where the register has more bits, finish() extends it.
  struct Result {
    Place computed, own;
    Type computedType, ownType;
  };
  Result resultOf(const Frame& frame, const Instruction& at, const Operand& operand, Type type);
  void finish(const Instruction& at, const Result& result);

  // --- operations ---
  Operation& add(const Instruction& at, Operation::Kind kind);
  void addRow(const Instruction& at, std::string_view opcode, Place result, std::initializer_list<Place> operands);

  // After all: the sizes of the program's memory.
  void finish();

 private:
  Place makePlace(Type type, bool isRegister);
  int64_t sharedAddress(const Variable& variable);
  int64_t localAddress(const Variable& variable);
  int64_t given(const Frame& frame, const Instruction& call, size_t i) const;
  Place special(const Instruction& at, std::string_view name);

  Program& program_;
  const std::string& name_;
  std::vector<MadePlace> places_;
  int64_t localEnd_ = 0;
  std::vector<int64_t> moduleAddresses_;
  std::map<std::pair<int, uint64_t>, Place> constants_;
  std::array<std::vector<Place>, 9> temporaries_;  // by the bytes of a lane
  std::array<size_t, 9> used_{};                   // of them, by this instruction
  Place guard_ = kNoPlace;
  bool guardNegated_ = false;
  Place carry_ = kNoPlace;
  Place sums_ = kNoPlace;
};

inline bool isRegister(const Operand& operand) { return operand.kind == Operand::Kind::Register; }

// The families of instructions.
using AddFamily = void (*)(OperationBuilder&, Frame&, const Instruction&, const OpcodeWords&);
void addMove(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addCompare(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addSet(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addConvert(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addLogic(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addIsInSpace(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addHint(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addPolicy(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addAddress(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addCarry(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addLoad(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addStore(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addAtomic(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addCopyAsync(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addFence(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
// The operation alone.
void addFenceOf(OperationBuilder& to, const Instruction& at, FenceScope scope);
void addBarrier(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addShuffle(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addVote(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addMatch(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addReduce(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addElect(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addActiveMask(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addLoadMatrix(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addMma(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
void addTrap(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words);
// mov.b32 {%rs1, %rs2}, %r1 and its reverse.
void addPacked(OperationBuilder& to, Frame& frame, const Instruction& at, Type whole);

}  // namespace fuser::ptx
