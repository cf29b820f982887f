#pragma once
// StatementBuilder: generates the statements of a kernel from a scheduled part: the first step of lowering. It decides
// only where each statement goes; Indexing, predicateOf and LoopNest compute indices, predicates and loops. The head of
// build_statements.cpp has an example.

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "fuser/analysis/scan_loops.h"
#include "fuser/lower/indexing.h"
#include "fuser/lower/loop_nest.h"

namespace fuser {

class StatementBuilder {
 public:
  // The part must have passed checkSchedule and the kernel must be empty; all must outlive this object.
  StatementBuilder(const Fusion& part, Kernel& kernel, const ScheduleRules& rules);
  // Fills the kernel's buffers, parameters and body; LoopNest fills block and grid. A UserError names the rule that the
  // schedule breaks. Call it once.
  void build();

 private:
  IntExpr importExtent(IntExpr extent);
  IntExpr paramOf(IntExpr extent);  // of a symbol
  IntExpr stride(const TensorView* tensor, int axis);
  int bufferOf(const TensorView* tensor) const { return buffers_.at(tensor); }
  int addBuffer(const TensorView* source, DataType dtype, MemoryType memory, int64_t size);
  void declareTensors();
  void openWorkspace(const TensorView* tensor);

  std::vector<std::vector<Expr*>> groupsAt(const std::vector<Expr*>& exprs, size_t depth) const;
  Body emit(const std::vector<Expr*>& exprs, size_t depth);
  bool isStoredInEachTurn(const TensorView* tensor, size_t depth) const;
  void refuseReadsAhead(const std::vector<Expr*>& group, size_t depth) const;
  void emitLoop(const std::vector<Expr*>& group, size_t depth, Body& body);
  IntExpr wholeCondition(const std::vector<Expr*>& group, size_t depth);
  void open(const Expr* expr, Body& allocations, Body& body);
  void close(const Expr* expr, const std::vector<Expr*>& group, Body& body);
  Body finish(const Expr* expr, const Access& accumulator, IntExpr index);
  void emitExpr(const Expr* expr, Body& body);
  static void emitWhere(IntExpr condition, Body statements, Body& body);

  // The element of its result that an expression computes: where it goes, and its coordinates along the result's
  // logical axes; null: those of the expression's own loops.
  struct Element {
    const Expr* expr;
    Access target;
    const std::vector<IntExpr>* at = nullptr;
  };

  IntExpr termsOf(const TensorView* reduction);
  // Those below append the statements of an element to `body`, after those of what it computes inline.
  Operand operandOf(const Element& element, size_t place, Body& body);
  void emitElement(const Element& element, IntExpr condition, Body& body);
  void emitChoice(const Element& element, IntExpr condition, Body& body);
  void compute(const Element& element, Body& body);
  void accumulate(const Element& element, Body& body);
  void accumulateWelford(const Element& element, Body& body);
  void count(const Element& element, Body& body);
  void diagonal(const Element& element, Body& body);
  void reinterpret(const Element& element, Body& body);
  void move(const Element& element, size_t place, Body& body);

  IntExpr predicate(const Expr* expr);
  IntExpr vectorIndex(const TensorView* tensor) const;
  IntExpr atElement(const TensorView* tensor, IntExpr index, int64_t element);
  Access firstElement(const Expr* expr, const Access& access);

  // --- build_operands.cpp ---
  Operand access(int buffer, IntExpr index) const;
  Operand integer(IntExpr value) const;
  static Operand literal(ScalarValue value);
  Access newRegister(DataType dtype, Body& body, const TensorView* source = nullptr);
  static Statement computed(const Expr* expr, OpKind op, DataType dtype, const Access& target,
                            std::vector<Operand> operands);
  Access truthOf(const Expr* expr, OpKind op, DataType dtype, const Operand& a, const Operand& b, Body& body);
  void convert(const Expr* expr, const Access& target, const Operand& source, Body& body);
  Statement joinOf(const Expr* expr, const Access& accumulator, const Access& other);
  Statement joinedTo(const Expr* expr, const Access& target, const Access& left, const Access& right);
  IntExpr loadTruth(std::string_view name, const Access& truth, Body& body);

  // --- build_inline.cpp ---
  std::vector<IntExpr> coordinatesOf(const Element& element) const;
  Operand inlineElement(const Expr* reader, const TensorView* tensor, const std::vector<IntExpr>& coordinates,
                        Body& body);
  void emitScope(IntExpr condition, const std::function<void(Body&)>& fill, Body& body);

  // --- build_scan.cpp ---
  // The threads that reduce together, or scan, and the group of others of which there are as many.
  struct ThreadTerms {
    int64_t terms = 1, groups = 1;
    IntExpr term = nullptr, group = nullptr;
    int64_t lanes = 1;         // neighbouring terms that a warp holds, aligned: a power of two
    bool groupsFirst = false;  // whether neighbouring threads are of different groups
  };
  ScanLoops scanLoops(const Expr* scan) const;
  void openScan(const Expr* scan, Body& allocations, Body& body);
  void scan(const Element& element, IntExpr condition, Body& body);
  void scanByThread(const Element& element, Body& body);
  void scanByBlock(const Element& element, IntExpr condition, Body& body);
  void scanLanes(const Expr* scan, const ThreadTerms& threads, const Access& own, const Access& total, Body& body);
  static std::array<bool, 3> scannedThreads(const ScanLoops& loops);

  // --- build_grid_scan.cpp ---
  void requireKept(const TensorView* tensor, const ScanLoops& loops) const;
  void openResults(const Expr* scan, Body& allocations, Body& body);
  Access resultOfScan(const Element& element) const;
  void closeScan(const Expr* scan, Body& body);

  // --- build_mma.cpp ---
  void findMmaReads();
  bool isReadByMma(const TensorView* tensor) const;
  void zeroUnless(IntExpr condition, const Element& element, Body& body);

  // --- build_gather.cpp ---
  void gather(const Element& element, Body& body);
  Access inRegister(const Operand& operand, Body& body);
  Access isInside(const Expr* expr, const Access& index, IntExpr extent, Body& body);
  IntExpr loadInside(const Access& index, IntExpr extent, Body& body);
  void copyIndexed(const Element& element, const Access& index, IntExpr extent, Body& body);
  void report(const Expr* expr, IntExpr place, const Access& index, IntExpr extent, Body& body);
  IntExpr numberAmong(const TensorView* tensor, const std::vector<IntExpr>& coordinates);

  // --- build_scatter.cpp ---
  void scatter(const Element& element, IntExpr condition, Body& body);
  void declareStarts();
  void addByAtomics(const Expr* expr, Body& body);
  void addOne(const Expr* expr, const Access& index, std::vector<IntExpr> at, Body& body);
  void scatterOne(const Expr* expr, const Access& held, const std::vector<IntExpr>& at, IntExpr place, Body& body);

  std::array<bool, 3> reducedThreads(const TensorView* reduction) const;
  Statement identityOf(const Expr* expr, const Access& accumulator);

  // --- build_partial_results.cpp ---
  int64_t factoredCount(const TensorView* reduction) const;
  IntExpr factoredIndex(const TensorView* reduction) const;
  void forEachPartial(int64_t first, int64_t count, Body& body, const std::function<Body(IntExpr)>& make);

  // --- build_block_reduction.cpp ---
  using Join = std::function<Body(const std::vector<Access>&)>;  // of other partial results to the accumulators
  ThreadTerms threadTerms(const std::array<bool, 3>& dims) const;
  std::vector<Access> scratchOf(const Expr* expr, const std::vector<Access>& accumulators, MemoryType memory,
                                int64_t elements, Body& body);
  IntExpr scratchIndex(const ThreadTerms& threads, int64_t count, IntExpr place) const;
  void shuffleFrom(Shuffle::From from, int64_t lanes, const std::vector<Access>& targets,
                   const std::vector<Access>& sources, Body& body) const;
  void combineThreads(const Expr* expr, const std::vector<Access>& accumulators, const Join& join, Body& body);

  // --- build_grid_reduction.cpp ---
  std::array<const IterDomain*, 3> reducedBlocks(const TensorView* reduction) const;
  IntExpr partialIndex(const std::array<IntExpr, 3>& block, const std::array<bool, 3>& reducedThreads, int64_t kept,
                       IntExpr index);
  int addWorkspace(const TensorView* source, DataType dtype, IntExpr elements);
  // Of one of the results that a thread keeps: its accumulators, what makes such ones those of no terms, and what joins
  // others to them.
  struct KeptResult {
    std::vector<Access> accumulators;
    std::function<Body(const std::vector<Access>&)> noTerms;
    std::function<Body(const std::vector<Access>&, const std::vector<Access>&)> join;
  };
  bool isNeededInFirstBlockAlone(const TensorView* tensor, const std::array<const IterDomain*, 3>& axes) const;
  IntExpr loopOver(IntExpr extent, std::vector<For>& loops);
  Body combineAlong(const KeptResult& own, const std::vector<Access>& chunk, IntExpr extent, IntExpr needed,
                    const std::function<std::vector<Access>(IntExpr)>& partialAt);
  void combineBlocks(const Expr* expr, int64_t kept, const std::function<KeptResult(IntExpr)>& result, Body& body);

  // --- build_welford.cpp ---
  struct WelfordRegisters {
    Access mean, squares, count;     // a thread's partial result: the first, if it has several
    Access distance, step, product;  // temporaries of the update
  };
  void openWelford(const Expr* expr, Body& allocations, Body& body);
  void closeWelford(const Expr* expr, Body& body);
  Body noTerms(const Expr* expr, const std::vector<Access>& parts) const;
  Body joinWelford(const Expr* expr, const std::vector<Access>& parts, const std::vector<Access>& other) const;

  // --- build_extremes.cpp ---
  void openExtreme(const Expr* expr, Body& allocations, Body& body);
  Body noExtreme(const Expr* expr, const std::vector<Access>& parts) const;
  Body joinExtreme(const Expr* expr, const std::vector<Access>& parts, const std::vector<Access>& others);
  void accumulateExtreme(const Element& element, Body& body);
  IntExpr placeAmongReduced(const Element& element);
  void closeExtreme(const Expr* expr, Body& body);

  const Fusion& part_;
  Kernel& kernel_;
  IntExprArena& ints_;
  std::unordered_map<const Val*, int> buffers_;                      // for lookups only
  std::unordered_set<const Val*> mmaReads_;                          // for lookups only
  std::unordered_map<const Val*, int> accumulators_;                 // for lookups only
  std::unordered_map<const Val*, int> scanResults_;                  // those in registers; for lookups only
  std::unordered_map<const TensorView*, WelfordRegisters> welford_;  // by first result; for lookups only
  std::unordered_map<const TensorView*, std::vector<Access>> extremes_;  // by first result; for lookups only
  // What is computed inline so far where statements go now: each element once.
  struct Inlined {
    const TensorView* tensor;
    std::vector<IntExpr> coordinates;
    Access element;
  };
  std::vector<Inlined> inlined_;
  int errorWord_ = -1;               // the buffer; -1: no index is checked so far
  std::vector<const Expr*> checks_;  // the ops that check indices, in the order of their numbers
  const ScheduleRules& rules_;
  const InlineReads reads_;
  LoopNest nest_;
  Indexing indexing_;
};

}  // namespace fuser
