#pragma once
// The index arithmetic of a kernel as straight-line code over registers. A register is uniform (one int64 for all
// lanes: parameters, loop indices and expressions of them) or varying (one per lane: anything that depends on thread,
// block or loaded indices). It is computed in the scope in which its innermost operand changes: once per launch, per
// batch of blocks, per loop iteration or per loaded index; never at its uses (loop-invariant code motion).
//
// Arithmetic that overflows int64 gives kOverflow, which propagates like a NaN. It is a violation only if an active
// lane uses it as the index of an access, a condition or an extent. So does an index of a narrow kernel that its limit
// does not hold, operands included; sums are then added in the order of the kernel's expressions, as printed code does.

#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "fuser/types/int_expr.h"

namespace fuser::interp {

inline constexpr int64_t kOverflow = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();  // what int64 holds
inline constexpr int kLaunchScope = 0;
inline constexpr int kBatchScope = 1;

struct Register {
  IntOp op = IntOp::Constant;  // Constants and Symbols are set from outside, the others computed from registers a and b
  int a = -1;
  int b = -1;
  int64_t constant = 0;
  bool varying = false;
  int laneSlot = -1;  // varying: the index of its array of lanes
  int scope = kLaunchScope;
  int extent = -1;  // for an index symbol: the register of its extent
  int low = -1;     // for a loaded index: the register of its lower bound
  int64_t limit = kNoLimit;  // computed: the largest magnitude of its value and its operands
};

// The registers and the code of each scope. Built when the kernel is compiled; immutable afterwards.
class IndexProgram {
 public:
  // `limit`: the largest magnitude of the index arithmetic. Data has that of int64.
  explicit IndexProgram(int64_t limit = kNoLimit) : limit_(limit) {}

  // Declares a symbol whose value is set from outside. extent: the register of an index symbol's extent, or -1.
  int declare(IntExpr symbol, int scope, bool varying, int extent);
  // Declares a loaded index in [low, extent), given as registers. Expressions of it are computed in `scope`.
  int declareLoaded(IntExpr symbol, int scope, int low, int extent);
  // Creates a scope for a loop or a loaded index.
  int newScope();
  // The register that holds the value of an index, created if necessary. A CheckError for an undeclared symbol.
  int registerOf(IntExpr expr);
  // The same for an integer that is data, or that the host computes.
  int dataRegisterOf(IntExpr expr) { return registerOf(expr, kNoLimit); }

  const Register& operator[](int r) const { return registers_[static_cast<size_t>(r)]; }
  size_t size() const { return registers_.size(); }
  const std::vector<int>& computedIn(int scope) const { return scopes_[static_cast<size_t>(scope)]; }
  size_t laneSlots() const { return laneSlots_; }

 private:
  int add(Register result);
  int registerOf(IntExpr expr, int64_t limit);
  int computed(IntOp op, int a, int b, int64_t limit);
  int sum(IntExpr expr);
  int within(int r);
  std::vector<int>& registersOfNodes(int64_t limit) {
    return limit == kNoLimit ? registerOfNode_ : limitedRegisterOfNode_;
  }

  int64_t limit_;
  std::vector<Register> registers_;
  std::vector<std::vector<int>> scopes_{2};
  std::vector<int> registerOfNode_;          // by IntNode::id; -1: none yet
  std::vector<int> limitedRegisterOfNode_;   // the same, of registers with the limit
  std::map<int, int> within_;                // by register: its value within the limit
  std::map<std::pair<int, int>, int> sums_;  // registers of sums, by their operands
  size_t laneSlots_ = 0;
};

// The values of the registers during one launch.
class IndexValues {
 public:
  IndexValues(const IndexProgram& program, size_t stride);
  // Sets the memory for laneSlots() arrays of `stride` lanes. Call it before any function below.
  void useMemory(int64_t* laneMemory) { laneMemory_ = laneMemory; }

  // Set the value of a symbol; a varying one is written through the returned array.
  void set(int r, int64_t value) {
    uniform_[static_cast<size_t>(r)] = value;
    touch(r);
  }
  int64_t* setLanes(int r) {
    touch(r);
    return laneArray(r);
  }
  // Sets the inclusive bounds of a symbol's values in this launch. Call it before prepare().
  void bound(int r, int64_t low, int64_t high) { ranges_[static_cast<size_t>(r)] = {low, high}; }

  // Derives from the bounds of the symbols whether any register can overflow and which divisions are small.
  void prepare();

  // Computes the registers of a scope for the first `lanes` lanes.
  void compute(int scope, size_t lanes);

  int64_t uniform(int r) const { return uniform_[static_cast<size_t>(r)]; }
  const int64_t* lanes(int r) const { return laneMemory_ + static_cast<size_t>(program_[r].laneSlot) * stride_; }
  // The value of a uniform or varying register for one lane.
  int64_t at(int r, size_t lane) const { return program_[r].varying ? lanes(r)[lane] : uniform(r); }

  // Whether lane i of a varying register is first + i * step, for the lanes computed last.
  struct Affine {
    bool is = false;
    int64_t step = 0;
  };
  Affine affine(int r, size_t lanes);
  // Increases whenever the register is set or computed.
  uint32_t version(int r) const { return versions_[static_cast<size_t>(r)]; }

 private:
  int64_t* laneArray(int r) { return laneMemory_ + static_cast<size_t>(program_[r].laneSlot) * stride_; }
  void touch(int r) { ++versions_[static_cast<size_t>(r)]; }
  template <bool kChecked>
  void computeScope(int scope, size_t lanes);

  const IndexProgram& program_;
  int64_t* laneMemory_ = nullptr;
  size_t stride_;
  std::vector<int64_t> uniform_;
  std::vector<Range> ranges_;
  std::vector<uint32_t> versions_;
  struct Fact {
    uint32_t version = 0;
    Affine affine;
  };
  std::vector<Fact> facts_;
  bool checked_ = false;  // whether some register may overflow, or exceed its limit, in this launch
};

}  // namespace fuser::interp
