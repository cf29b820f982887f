// Branches that undefined bits decide. LLVM moves a branch in front of the loop that it is in, and a thread that never
// enters the loop's body has no value for its condition. Such a thread may go either way, so that both must do nothing
// that anybody sees.
//
// The machine runs the thread alone through both sides, up to where they meet. A store, an atomic, a barrier or
// whatever else others notice is a fault on either of them, as is an access that is wrong. Bits of registers in which
// the sides differ are undefined from there on.

#include "fuser/ptx/block.h"
#include "fuser/ptx/trace.h"

namespace fuser::ptx {
namespace {

// Of one such branch: operations that a thread runs on its sides, and branches of that kind that it is in. NVRTC was
// seen to make sides that are soon left; one that is not is taken for a side that others notice.
constexpr int kMostSteps = 1 << 16;
constexpr int kMostNested = 8;

// The lanes of the mask for which undefined bits decide the operation's guard.
uint32_t undecidedLanes(const Warp& warp, const Operation& operation, uint32_t mask) {
  const void* shadow = operation.guard == kNoPlace ? nullptr : warp.registers.shadow(operation.guard, mask);
  uint32_t undecided = 0;
  if (shadow) forEachLane(mask, [&](int lane) { undecided |= uint32_t{laneOf(shadow, 1, lane) != 0} << lane; });
  return undecided;
}

// Whether other threads cannot tell that a thread does it.
bool isUnseen(const Operation& operation) {
  const bool loads = operation.kind == Operation::Kind::Load && !operation.access.isVolatile;
  return loads || operation.kind == Operation::Kind::Row || operation.kind == Operation::Kind::Parameter;
}

}  // namespace

bool Block::passesUndecided(Warp& warp, const Operation& branch, uint32_t mask) {
  const uint32_t undecided = undecidedLanes(warp, branch, mask);
  if (undecided == 0) return false;
  // Those alone first; the others run the branch afterwards.
  if (undecided != mask) {
    warp.part(undecided, branch.join);
    return true;
  }
  forEachLane(undecided, [&](int lane) {
    Detour detour{lane, kMostSteps, kMostNested};
    takeBothSides(warp, branch, detour);
  });
  if (branch.join < of_.program.operations.size()) {
    warp.moveTo(branch.join);
  } else {
    warp.exit(undecided);
    ++of_.progress;
  }
  return true;
}

void Block::takeBothSides(Warp& warp, const Operation& branch, Detour& detour) {
  if (--detour.nestedLeft < 0) failUndecided(warp, branch, detour);
  const auto next = static_cast<uint32_t>(&branch - of_.program.operations.data()) + 1;
  const Registers before = warp.registers;
  takeSide(warp, branch, branch.target, detour);
  const Registers ofTarget = warp.registers;
  warp.registers = before;
  takeSide(warp, branch, next, detour);
  warp.registers.unite(ofTarget, detour.lane, of_.program.registers);
  ++detour.nestedLeft;
}

void Block::takeSide(Warp& warp, const Operation& branch, uint32_t first, Detour& detour) {
  const std::vector<Operation>& operations = of_.program.operations;
  const auto end = static_cast<uint32_t>(operations.size());
  const uint32_t mask = uint32_t{1} << detour.lane;
  for (uint32_t pc = first; pc != branch.join;) {
    const Operation& operation = operations[pc];
    if (operation.kind == Operation::Kind::Branch && undecidedLanes(warp, operation, mask) != 0) {
      takeBothSides(warp, operation, detour);
      pc = operation.join;
      continue;
    }
    const bool runs = operation.guard == kNoPlace || guarded(warp, operation, mask) != 0;
    const bool isBranch = operation.kind == Operation::Kind::Branch, exits = operation.kind == Operation::Kind::Exit;
    if (--detour.stepsLeft < 0 || (runs && !isBranch && !exits && !isUnseen(operation)))
      failUndecided(warp, branch, detour);
    if (runs && !isBranch && !exits) {
      perform(warp, operation, mask);
      if (of_.trace) of_.trace->forget(warp, operation, mask);
    }
    pc = !runs || !(isBranch || exits) ? pc + 1 : isBranch ? operation.target : end;
  }
}

void Block::failUndecided(const Warp& warp, const Operation& branch, const Detour& detour) const {
  fail(warp, branch, detour.lane, "uninitialised bits decide a predicate");
}

}  // namespace fuser::ptx
