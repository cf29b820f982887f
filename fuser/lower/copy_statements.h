#pragma once
// StatementCopy: a second occurrence of statements of a kernel, with loops and buffers of its own, and with what stands
// for an index or a buffer from outside.

#include <map>
#include <set>

#include "fuser/kernel/kernel.h"

namespace fuser {

class StatementCopy {
 public:
  // What is allocated in the statements: buffers of the copy's own, or, where it takes their place, the same.
  enum class Buffers : uint8_t { Own, Same };

  explicit StatementCopy(Kernel& kernel, Buffers allocated = Buffers::Own)
      : kernel_(kernel), ints_(*kernel.ints), allocated_(allocated) {}
  virtual ~StatementCopy() = default;

  // In copies made from now on, `with` stands for an index or a buffer from outside.
  void replaceIndex(IntExpr index, IntExpr with) { indices_[index] = with; }
  void replaceBuffer(int buffer, int with) { buffers_[buffer] = with; }

  // A CheckError for a statement at which all threads meet.
  Body copy(const Body& body);

 protected:
  // The condition of the copy of an If; 1: there is none.
  virtual IntExpr condition(IntExpr of) { return expr(of); }
  IntExpr expr(IntExpr of);

  Kernel& kernel_;
  IntExprArena& ints_;
  std::set<IntExpr> loops_;  // around this place, in what is copied; look-ups only

 private:
  Access access(const Access& of);
  Allocate copyOf(const Allocate& node);
  For copyOf(const For& node);
  Move copyOf(const Move& node) { return {access(node.target), access(node.source), node.width}; }
  Compute copyOf(Compute node);
  LoadIndex copyOf(LoadIndex node);
  Report copyOf(Report node);
  AtomicAdd copyOf(AtomicAdd node);
  JoinWelford copyOf(JoinWelford node);
  template <class Node>
  Node copyOf(const Node&);

  std::map<IntExpr, IntExpr> indices_;  // to the copy's; look-ups only
  std::map<int, int> buffers_;
  const Buffers allocated_;
};

}  // namespace fuser
