#pragma once
// StatementBuilder: generates the statements of a kernel from a scheduled part: the first step of lowering. It decides
// only where each statement goes; Indexing, predicateOf and LoopNest compute indices, predicates and loops. The head of
// build_statements.cpp has an example.

#include <functional>
#include <unordered_map>

#include "fuser/lower/indexing.h"
#include "fuser/lower/loop_nest.h"

namespace fuser {

class StatementBuilder {
 public:
  // The part must have passed checkSchedule and the kernel must be empty; both must outlive this object.
  StatementBuilder(const Fusion& part, Kernel& kernel);
  // Fills the kernel's buffers, parameters and body; LoopNest fills block and grid. A UserError names the rule that the
  // schedule breaks. Call it once.
  void build();

 private:
  IntExpr importExtent(IntExpr extent);
  IntExpr stride(const TensorView* tensor, int axis);
  int bufferOf(const TensorView* tensor) const { return buffers_.at(tensor); }
  int addBuffer(const TensorView* source, DataType dtype, MemoryType memory, int64_t size);
  void declareTensors();
  void openWorkspace(const TensorView* tensor);

  std::vector<std::vector<Expr*>> groupsAt(const std::vector<Expr*>& exprs, size_t depth) const;
  Body emit(const std::vector<Expr*>& exprs, size_t depth);
  void emitLoop(const std::vector<Expr*>& group, size_t depth, Body& body);
  IntExpr wholeCondition(const std::vector<Expr*>& group, size_t depth);
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
  IntExpr coordinate(const TensorView* result, size_t place);
  Statement make(const Expr* expr, IntExpr value);
  Statement count(const Expr* expr);
  Statement diagonal(const Expr* expr);
  Statement move(const Expr* expr, size_t place);
  IntExpr predicate(const Expr* expr);
  IntExpr vectorIndex(const TensorView* tensor) const;
  IntExpr atElement(const TensorView* tensor, IntExpr index, int64_t element);
  Access firstElement(const Expr* expr, const Access& access);
  std::array<bool, 3> reducedThreads(const TensorView* reduction) const;
  static void emitWhere(IntExpr condition, Body statements, Body& body);
  Statement identityOf(const Expr* expr, const Access& accumulator);

  // --- build_partial_results.cpp ---
  int64_t factoredCount(const TensorView* reduction) const;
  IntExpr factoredIndex(const TensorView* reduction) const;
  void forEachPartial(int64_t first, int64_t count, Body& body, const std::function<Body(IntExpr)>& make);

  // --- build_grid_reduction.cpp ---
  std::array<const IterDomain*, 3> reducedBlocks(const TensorView* reduction) const;
  IntExpr partialIndex(const std::array<IntExpr, 3>& block, const std::array<bool, 3>& reducedThreads);
  int addWorkspace(const TensorView* source, DataType dtype, IntExpr elements);
  void combineBlocks(const Expr* expr, const std::vector<Access>& accumulators, const Body& init,
                     const std::function<Statement(const std::vector<Access>&)>& join, Body& body);
  Statement joinOf(const Expr* expr, const Access& accumulator, const Access& other);

  // --- build_welford.cpp ---
  struct WelfordRegisters {
    Access mean, squares, count;  // a thread's partial result: the first, if it has several
    Access distance, step;        // temporaries of the update
  };
  void openWelford(const Expr* expr, Body& allocations, Body& body);
  Body accumulateWelford(const Expr* expr);
  void closeWelford(const Expr* expr, Body& body);
  Body noTerms(const Expr* expr, IntExpr index) const;
  Statement joinWelford(const Expr* expr, const std::vector<Access>& other) const;

  const Fusion& part_;
  Kernel& kernel_;
  IntExprArena& ints_;
  std::unordered_map<const Val*, int> buffers_;                      // for lookups only
  std::unordered_map<const Val*, int> accumulators_;                 // for lookups only
  std::unordered_map<const TensorView*, WelfordRegisters> welford_;  // by first result; for lookups only
  LoopNest nest_;
  Indexing indexing_;
};

}  // namespace fuser
