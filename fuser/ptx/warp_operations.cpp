// Barriers, fences and what the threads of a warp do together, as operations.

#include <algorithm>

#include "fuser/ptx/operation_builder.h"
#include "fuser/support/check.h"

namespace fuser::ptx {

void addFenceOf(OperationBuilder& to, const Instruction& at, FenceScope scope) {
  to.add(at, Operation::Kind::Fence).fence = scope;
  to.program().hasBlockFences = to.program().hasBlockFences || scope == FenceScope::Block;
}

// membar.{cta, gl, sys}; fence.{sc, acq_rel}.{cta, cluster, gpu, sys}
void addFence(OperationBuilder& to, Frame&, const Instruction& at, const OpcodeWords& words) {
  const bool isOld = words.first() == "membar";
  const bool isKnown = isOld ? words.size() == 2 && words.hasOnly({"cta", "gl", "sys"})
                             : words.size() == 3 && (words.at(1) == "sc" || words.at(1) == "acq_rel") &&
                                   words.hasOnly({"sc", "acq_rel", "cta", "cluster", "gpu", "sys"});
  if (!isKnown) to.failUnknown(at);
  addFenceOf(to, at, fenceScopeOf(words));
}

void addTrap(OperationBuilder& to, Frame&, const Instruction& at, const OpcodeWords& words) {
  if (words.size() != 1) to.failUnknown(at);
  to.add(at, Operation::Kind::Trap);
}

// bar.sync a[, b]; bar.arrive a, b; bar.red.popc.u32 d, a[, b], p; bar.red.{and, or}.pred; barrier… the same, for
// threads that come by several instructions where it is not .aligned.
void addBarrier(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  if (words.has("warp")) {
    to.needOperands(at, 1);
    const Place members = to.read(frame, at, at.operands[0], Type::B32);
    to.add(at, Operation::Kind::WarpBarrier).members = members;
    return;
  }
  const std::optional<BarrierKind> kind = barrierOf(words);
  if (!kind || !words.hasOnly({"sync", "arrive", "red", "popc", "and", "or", "pred", "u32", "aligned", "cta"}))
    to.failUnknown(at);
  const bool isReduction = *kind == BarrierKind::Count || *kind == BarrierKind::All || *kind == BarrierKind::Any;
  const bool isOfPredicate = isReduction && *kind != BarrierKind::Count;
  if (isReduction && (!words.has("red") || words.last() != (isOfPredicate ? "pred" : "u32"))) to.failUnknown(at);
  // [d,] barrier[, threads][, predicate]
  const size_t first = isReduction ? 1 : 0, last = at.operands.size() - first;
  const bool hasThreads = at.operands.size() == 2 * first + 2;
  if (!hasThreads && (last != first + 1 || *kind == BarrierKind::Arrive)) to.needOperands(at, 2 * first + 2);
  std::array<Place, 3> places{kNoPlace, kNoPlace, kNoPlace};
  places[0] = to.read(frame, at, at.operands[first], Type::B32);
  if (hasThreads) places[1] = to.read(frame, at, at.operands[first + 1], Type::B32);
  OperationBuilder::Result result{kNoPlace, kNoPlace, Type::B32, Type::B32};
  if (isReduction) {
    places[2] = to.read(frame, at, at.operands.back(), Type::Pred);
    result = to.resultOf(frame, at, at.operands[0], isOfPredicate ? Type::Pred : Type::U32);
  }
  Operation& barrier = to.add(at, Operation::Kind::Barrier);
  barrier.barrier = *kind;
  barrier.isAligned = words.first() == "bar" || words.has("aligned");
  barrier.result = result.computed;
  std::copy(places.begin(), places.end(), barrier.operands.begin());
  to.finish(at, result);
}

// shfl.sync.MODE.b32 d[|p], a, b, c, members
void addShuffle(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 5);
  const std::optional<ShuffleKind> kind = shuffleOf(words);
  if (!kind || words.size() != 4 || words.last() != "b32" || words.at(1) != "sync") to.failUnknown(at);
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
  std::copy(places.begin(), places.begin() + 3, shuffle.operands.begin());
  shuffle.members = places[3];
}

// vote.sync.{all, any, uni}.pred d, p, members; vote.sync.ballot.b32
void addVote(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 3);
  const std::optional<VoteKind> kind = voteOf(words);
  const bool isBallot = kind == VoteKind::Ballot;
  if (!kind || words.size() != 4 || words.at(1) != "sync" || words.last() != (isBallot ? "b32" : "pred"))
    to.failUnknown(at);
  const Place asked = to.read(frame, at, at.operands[1], Type::Pred);
  const Place members = to.read(frame, at, at.operands[2], Type::B32);
  const Type type = isBallot ? Type::B32 : Type::Pred;
  const Place result = to.resultOf(frame, at, at.operands[0], type).computed;
  Operation& vote = to.add(at, Operation::Kind::Vote);
  vote.vote = *kind;
  vote.result = result;
  vote.operands[0] = asked;
  vote.members = members;
}

namespace {

// The two results of d|p, each of which may be missing.
struct PairOfResults {
  Place value = kNoPlace, predicate = kNoPlace;
};
PairOfResults resultsOf(OperationBuilder& to, const Frame& frame, const Instruction& at) {
  const Operand& written = at.operands.at(0);
  const bool isPair = written.kind == Operand::Kind::Pair;
  PairOfResults results;
  const Operand& value = isPair ? written.parts[0] : written;
  if (value.kind != Operand::Kind::Nothing) results.value = to.resultOf(frame, at, value, Type::B32).computed;
  if (isPair && written.parts[1].kind != Operand::Kind::Nothing)
    results.predicate = to.resultOf(frame, at, written.parts[1], Type::Pred).computed;
  return results;
}

}  // namespace

// match.any.sync.TYPE d, a, members; match.all.sync.TYPE d[|p], a, members
void addMatch(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 3);
  const std::optional<VoteKind> kind = voteOf(words);
  const bool isAll = kind == VoteKind::All;
  const bool isKnown = words.size() == 4 && words.at(2) == "sync" && (isAll || kind == VoteKind::Any) &&
                       (words.last() == "b32" || words.last() == "b64");
  if (!isKnown || (!isAll && at.operands[0].kind == Operand::Kind::Pair)) to.failUnknown(at);
  const Type type = *typeFrom(words.last());
  const Place compared = to.read(frame, at, at.operands[1], type);
  const Place members = to.read(frame, at, at.operands[2], Type::B32);
  const PairOfResults results = resultsOf(to, frame, at);
  Operation& match = to.add(at, Operation::Kind::Match);
  match.vote = *kind;
  match.access.type = type;
  match.result = results.value;
  match.second = results.predicate;
  match.operands[0] = compared;
  match.members = members;
}

// redux.sync.OP.TYPE d, a, members
void addReduce(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 3);
  static constexpr std::string_view kOpcodes[] = {"redux.sync.add.u32", "redux.sync.min.u32", "redux.sync.max.u32",
                                                  "redux.sync.add.s32", "redux.sync.min.s32", "redux.sync.max.s32",
                                                  "redux.sync.and.b32", "redux.sync.or.b32",  "redux.sync.xor.b32"};
  if (std::find(std::begin(kOpcodes), std::end(kOpcodes), at.opcode) == std::end(kOpcodes)) to.failUnknown(at);
  const Place reduced = to.read(frame, at, at.operands[1], Type::B32);
  const Place members = to.read(frame, at, at.operands[2], Type::B32);
  const Place result = to.resultOf(frame, at, at.operands[0], Type::B32).computed;
  Operation& reduce = to.add(at, Operation::Kind::Reduce);
  reduce.atomic = *atomicOf(words);
  reduce.access.type = *typeFrom(words.last());
  reduce.result = result;
  reduce.operands[0] = reduced;
  reduce.members = members;
}

// elect.sync d|p, members: p of one member, whose number d is.
void addElect(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 2);
  if (words.size() != 2 || words.at(1) != "sync" || at.operands[0].kind != Operand::Kind::Pair) to.failUnknown(at);
  const Place members = to.read(frame, at, at.operands[1], Type::B32);
  const PairOfResults results = resultsOf(to, frame, at);
  Operation& elect = to.add(at, Operation::Kind::Elect);
  elect.result = results.value;
  elect.second = results.predicate;
  elect.members = members;
}

void addActiveMask(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords&) {
  to.needOperands(at, 1);
  const Place result = to.resultOf(frame, at, at.operands[0], Type::B32).computed;
  to.add(at, Operation::Kind::ActiveMask).result = result;
}

namespace {

// The product that an opcode names: mma.sync.aligned.SHAPE.row.col[.satfinite].SUM.LEFT.RIGHT.SUM
std::optional<MmaOf> mmaOf(const Instruction& at, const OpcodeWords& words) {
  struct Shape {
    std::string_view text;
    int8_t rows, depth;
    bool ofIntegers;
  };
  static constexpr Shape kShapes[] = {{"m16n8k8", 16, 8, false},
                                      {"m16n8k16", 16, 16, false},
                                      {"m8n8k16", 8, 16, true},
                                      {"m16n8k16", 16, 16, true},
                                      {"m16n8k32", 16, 32, true}};
  const std::optional<Type> left = typeFrom(words.at(words.size() - 3)), right = typeFrom(words.at(words.size() - 2));
  if (words.size() < 10 || !left || !right) return std::nullopt;
  MmaOf mma;
  mma.left = *left;
  mma.right = *right;
  const bool ofIntegers = bitsOf(*left) == 8;
  mma.elements = ofIntegers ? 4 : 2;
  mma.clamps = ofIntegers && words.has("satfinite");
  const bool isKnown = ofIntegers
                           ? (*left == Type::S8 || *left == Type::U8) && (*right == Type::S8 || *right == Type::U8)
                           : (*left == Type::F16 || *left == Type::BF16) && *left == *right;
  const std::string_view sum = ofIntegers ? "s32" : "f32";
  for (const Shape& shape : kShapes) {
    const std::string opcode = concat("mma.sync.aligned.", shape.text, ".row.col.", mma.clamps ? "satfinite." : "", sum,
                                      ".", typeInfo(*left).text, ".", typeInfo(*right).text, ".", sum);
    if (!isKnown || shape.ofIntegers != ofIntegers || at.opcode != opcode) continue;
    mma.rows = shape.rows;
    mma.depth = shape.depth;
    return mma;
  }
  return std::nullopt;
}

// {a, b}, or a alone.
std::vector<const Operand*> partsOf(const Operand& operand) {
  std::vector<const Operand*> parts;
  if (operand.kind != Operand::Kind::Vector) return {&operand};
  for (const Operand& part : operand.parts) parts.push_back(&part);
  return parts;
}

}  // namespace

// mma… {sums}, {left}, {right}, {sums}
void addMma(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 4);
  const std::optional<MmaOf> shape = mmaOf(at, words);
  if (!shape) to.failUnknown(at);
  const std::array<int, 4> counts{shape->sums(), shape->leftRegisters(), shape->rightRegisters(), shape->sums()};
  std::array<std::vector<const Operand*>, 4> parts;
  for (size_t i = 0; i < 4; ++i) {
    parts[i] = partsOf(at.operands[i]);
    if (parts[i].size() != static_cast<size_t>(counts[i])) to.failUnknown(at);
  }
  std::vector<Place> places, results;
  for (size_t i = 1; i < 4; ++i) {
    for (const Operand* part : parts[i]) places.push_back(to.read(frame, at, *part, Type::B32));
  }
  for (const Operand* part : parts[0]) results.push_back(to.resultOf(frame, at, *part, Type::B32).computed);
  Operation& mma = to.add(at, Operation::Kind::Mma);
  mma.mma = *shape;
  std::copy(places.begin(), places.end(), mma.operands.begin());
  // The sums are registers in no order: each goes by a move of its own.
  mma.result = to.sums();
  for (int i = 0; i < shape->sums(); ++i)
    to.addRow(at, "mov.b32", results[static_cast<size_t>(i)], {to.sums() + i * kLanes * 4});
}

}  // namespace fuser::ptx
