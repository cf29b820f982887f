// Barriers, fences and what the threads of a warp do together, as operations.

#include <algorithm>

#include "fuser/ptx/operation_builder.h"
#include "fuser/support/check.h"

namespace fuser::ptx {

void addFence(OperationBuilder& to, Frame&, const Instruction& at, const OpcodeWords&) {
  to.add(at, Operation::Kind::Fence);
}

void addTrap(OperationBuilder& to, Frame&, const Instruction& at, const OpcodeWords&) {
  to.add(at, Operation::Kind::Trap);
}

void addBarrier(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  if (words.has("warp")) {
    to.needOperands(at, 1);
    const Place members = to.read(frame, at, at.operands[0], Type::B32);
    to.add(at, Operation::Kind::WarpBarrier).operands[0] = members;
    return;
  }
  const bool isWhole = words.has("sync") && at.operands.size() == 1 && at.operands[0].kind == Operand::Kind::Integer &&
                       at.operands[0].bits == 0;
  if (!isWhole) to.fail(at, "of barriers of the block there is number 0, for all threads");
  to.add(at, Operation::Kind::Barrier);
}

// shfl.sync.MODE.b32 d[|p], a, b, c, members
void addShuffle(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 5);
  const std::optional<ShuffleKind> kind = shuffleOf(words);
  if (!kind || words.last() != "b32" || !words.has("sync")) to.failUnknown(at);
  std::array<Place, 4> places{};
  for (size_t i = 0; i < 4; ++i) places[i] = to.read(frame, at, at.operands[i + 1], Type::B32);
  const bool isPair = at.operands[0].kind == Operand::Kind::Pair;
  const Operand& written = isPair ? at.operands[0].parts[0] : at.operands[0];
  const Place result = to.resultOf(frame, at, written, Type::B32).computed;
  const Place second = isPair && isRegister(at.operands[0].parts[1])
                           ? to.resultOf(frame, at, at.operands[0].parts[1], Type::Pred).computed
                           : kNoPlace;
  Operation& shuffle = to.add(at, Operation::Kind::Shuffle);
  shuffle.shuffle = *kind;
  shuffle.result = result;
  shuffle.second = second;
  std::copy(places.begin(), places.end(), shuffle.operands.begin());
}

// vote.sync.{all, any, uni}.pred d, p, members; vote.sync.ballot.b32
void addVote(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 3);
  const std::optional<VoteKind> kind = voteOf(words);
  if (!kind || !words.has("sync")) to.failUnknown(at);
  const Place asked = to.read(frame, at, at.operands[1], Type::Pred);
  const Place members = to.read(frame, at, at.operands[2], Type::B32);
  const Type type = *kind == VoteKind::Ballot ? Type::B32 : Type::Pred;
  const Place result = to.resultOf(frame, at, at.operands[0], type).computed;
  Operation& vote = to.add(at, Operation::Kind::Vote);
  vote.vote = *kind;
  vote.result = result;
  vote.operands[0] = asked;
  vote.operands[1] = members;
}

void addActiveMask(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords&) {
  to.needOperands(at, 1);
  const Place result = to.resultOf(frame, at, at.operands[0], Type::B32).computed;
  to.add(at, Operation::Kind::ActiveMask).result = result;
}

// mma.sync.aligned.m16n8k16.row.col.f32.{f16, bf16}.{f16, bf16}.f32 {d x 4}, {a x 4}, {b x 2}, {c x 4}
void addMma(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 4);
  const bool isKnown = at.opcode == "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" ||
                       at.opcode == "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32";
  constexpr std::array<size_t, 4> kParts{4, 4, 2, 4};
  for (size_t i = 0; i < 4; ++i) {
    if (!isKnown || at.operands[i].parts.size() != kParts[i]) to.failUnknown(at);
  }
  std::vector<Place> places;
  for (size_t i = 1; i < 4; ++i) {
    for (const Operand& part : at.operands[i].parts) places.push_back(to.read(frame, at, part, Type::B32));
  }
  for (const Operand& part : at.operands[0].parts) places.push_back(to.resultOf(frame, at, part, Type::B32).computed);
  Operation& mma = to.add(at, Operation::Kind::Mma);
  mma.ofBfloat = words.has("bf16");
  std::copy(places.begin(), places.begin() + 10, mma.operands.begin());
  // The sums are registers in no order: each goes by a move of its own.
  mma.result = to.sums();
  for (int i = 0; i < 4; ++i)
    to.addRow(at, "mov.b32", places[static_cast<size_t>(10 + i)], {to.sums() + i * kLanes * 4});
}

}  // namespace fuser::ptx
