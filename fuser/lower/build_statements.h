#pragma once
// StatementBuilder: the statements of a scheduled part, the step of lowering after which the kernel computes. Indices,
// predicates and loops are worked out by Indexing, predicateOf and LoopNest; here stands only what is written where.
// What comes of a schedule is shown at the head of build_statements.cpp.

#include <unordered_map>

#include "fuser/lower/indexing.h"
#include "fuser/lower/loop_nest.h"

namespace fuser {

class StatementBuilder {
 public:
  // The part is scheduled and checked (checkSchedule); it and the kernel, which has no statements yet, outlive this.
  StatementBuilder(const Fusion& part, Kernel& kernel);
  // Fills the kernel's buffers, parameters and body; block and grid are LoopNest's. A UserError names the rule that the
  // schedule breaks. Once.
  void build();

 private:
  IntExpr importExtent(IntExpr extent);
  IntExpr stride(const TensorView* tensor, int axis);
  int bufferOf(const TensorView* tensor) const { return buffers_.at(tensor); }
  int addBuffer(const TensorView* source, DataType dtype, MemoryType memory, int64_t size);
  void declareTensors();

  std::vector<std::vector<Expr*>> groupsAt(const std::vector<Expr*>& exprs, size_t depth) const;
  Body emit(const std::vector<Expr*>& exprs, size_t depth);
  void emitLoop(const std::vector<Expr*>& group, size_t depth, Body& body);
  void open(const Expr* expr, Body& allocations, Body& body);
  void close(const Expr* expr, const std::vector<Expr*>& group, Body& body);
  void emitExpr(const Expr* expr, Body& body);
  void emitChoice(const Expr* expr, IntExpr condition, Body& body);

  Operand access(int buffer, IntExpr index) const;
  Operand integer(IntExpr value) const;
  IntExpr termsOf(const TensorView* reduction);
  Operand operandOf(const Expr* expr, size_t place);
  Statement compute(const Expr* expr);
  Statement accumulate(const Expr* expr);
  IntExpr coordinate(const TensorView* made, size_t place);
  Statement make(const Expr* expr, IntExpr value);
  Statement count(const Expr* expr);
  Statement diagonal(const Expr* expr);
  Statement move(const Expr* expr, size_t place);
  std::array<bool, 3> reducedThreads(const TensorView* reduction) const;

  // --- build_welford.cpp ---
  struct WelfordRegisters {
    Access mean, squares, count;  // what a thread knows of its terms
    Access distance, step;        // scratch
  };
  void openWelford(const Expr* expr, Body& allocations, Body& body);
  Body accumulateWelford(const Expr* expr);
  void closeWelford(const Expr* expr, Body& body);

  const Fusion& part_;
  Kernel& kernel_;
  IntExprArena& ints_;
  std::unordered_map<const Val*, int> buffers_;       // look-ups only
  std::unordered_map<const Val*, int> accumulators_;  // look-ups only
  std::unordered_map<const TensorView*, WelfordRegisters> welford_;  // by first result; look-ups only
  LoopNest nest_;
  Indexing indexing_;
};

}  // namespace fuser
