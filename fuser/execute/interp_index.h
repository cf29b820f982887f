#pragma once
// Index arithmetic of a kernel as a linear program over registers. A register holds one int64 for all lanes (uniform:
// parameters, loop indices and what is made of them) or one a lane (varying: what depends on thread, block or loaded
// indices). Each register is computed where its youngest operand changes: once a launch, once a batch of blocks, at
// each turn of a loop, or where an index is loaded; never at its uses.
//
// Arithmetic that leaves int64 gives kOverflow, which stays kOverflow in whatever is computed from it. Only an access,
// a condition or an extent of an active lane that is kOverflow is a violation.

#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "fuser/types/int_expr.h"

namespace fuser::interp {

inline constexpr int64_t kOverflow = std::numeric_limits<int64_t>::min();
inline constexpr int kLaunchScope = 0;
inline constexpr int kBatchScope = 1;

struct Register {
  IntOp op = IntOp::Constant;  // Constant and Symbol are set, the others computed
  int a = -1;
  int b = -1;
  int64_t constant = 0;
  bool varying = false;
  int laneSlot = -1;  // varying: which array of lanes
  int scope = kLaunchScope;
  int extent = -1;    // of an index: the register with its extent
  int low = -1;       // of a loaded index: the register with the least value that it may have
};

// Built with the kernel; immutable afterwards.
class IndexProgram {
 public:
  // A symbol whose value comes from outside. extent: of an index symbol, a register; -1 otherwise.
  int declare(IntExpr symbol, int scope, bool varying, int extent);
  // A loaded index over [low, extent), two registers; what is made of it is computed in the scope.
  int declareLoaded(IntExpr symbol, int scope, int low, int extent);
  // Opens the scope of one more loop, or of one more loaded index.
  int newScope();
  // The register with the expression's value. A CheckError for a symbol that is not declared.
  int registerOf(IntExpr expr);

  const Register& operator[](int r) const { return registers_[static_cast<size_t>(r)]; }
  size_t size() const { return registers_.size(); }
  const std::vector<int>& computedIn(int scope) const { return scopes_[static_cast<size_t>(scope)]; }
  size_t laneSlots() const { return laneSlots_; }

 private:
  int add(Register made);
  int computed(IntOp op, int a, int b);
  int sum(IntExpr expr);

  std::vector<Register> registers_;
  std::vector<std::vector<int>> scopes_{2};
  std::vector<int> registerOfNode_;  // by IntNode::id; -1: none yet
  std::map<std::pair<int, int>, int> sums_;  // by operands
  size_t laneSlots_ = 0;
};

// The registers' values during one launch.
class IndexValues {
 public:
  IndexValues(const IndexProgram& program, size_t stride);
  // laneSlots() arrays of stride lanes; before anything below.
  void useMemory(int64_t* laneMemory) { laneMemory_ = laneMemory; }

  // Symbols. A varying one is written through lanes().
  void set(int r, int64_t value) { uniform_[static_cast<size_t>(r)] = value; touch(r); }
  int64_t* setLanes(int r) { touch(r); return laneArray(r); }
  // The values that a symbol may take in this launch, both ends included; before prepare().
  void bound(int r, int64_t low, int64_t high) { ranges_[static_cast<size_t>(r)] = {low, high}; }

  // Finds, from the bounds of the symbols, whether anything can overflow and which divisions are small.
  void prepare();

  // Computes the registers of a scope for the first `lanes` lanes.
  void compute(int scope, size_t lanes);

  int64_t uniform(int r) const { return uniform_[static_cast<size_t>(r)]; }
  const int64_t* lanes(int r) const {
    return laneMemory_ + static_cast<size_t>(program_[r].laneSlot) * stride_;
  }
  // The value of one lane, uniform or not.
  int64_t at(int r, size_t lane) const { return program_[r].varying ? lanes(r)[lane] : uniform(r); }

  // Whether lane i of a varying register holds first + i * step, over the lanes computed last.
  struct Affine {
    bool is = false;
    int64_t step = 0;
  };
  Affine affine(int r, size_t lanes);
  // Grows by one whenever the register is set or computed.
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
  bool checked_ = false;  // some register may overflow in this launch
};

}  // namespace fuser::interp
