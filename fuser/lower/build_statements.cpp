// Builds the kernel's statements: loops in dependence order, allocations where a tensor's own loops begin, and each
// expression under its predicate.
//   schedule: %s = sum(%e) over [i0/4 (BIDx), 4 (TIDy), i1/32, 32 (TIDx)], %e inlined in all of them
//   kernel:   allocate s; s = 0; for i1/32 { if (…) { e = exp(x[…]); s = s + e } }
//             the threads combine their s
#include "fuser/lower/build_statements.h"

#include <algorithm>
#include <map>

#include "fuser/analysis/axis_map.h"
#include "fuser/analysis/loop_map.h"
#include "fuser/ir/infer.h"
#include "fuser/lower/predicate.h"
#include "fuser/lower/step_list.h"
#include "fuser/lower/unswitch.h"

namespace fuser {
namespace {

const TensorView* resultOf(const Expr* expr) { return expr->output()->as<TensorView>(); }

}  // namespace

StatementBuilder::StatementBuilder(const Fusion& part, Kernel& kernel, const ScheduleRules& rules)
    : part_(part),
      kernel_(kernel),
      ints_(*kernel.ints),
      rules_(rules),
      reads_(part),
      nest_(reads_, kernel, [this](IntExpr extent) { return importExtent(extent); }),
      indexing_(
          nest_, kernel, [this](const TensorView* tensor, int axis) { return stride(tensor, axis); },
          [this](IntExpr extent) { return importExtent(extent); }, rules) {}

void StatementBuilder::build() {
  declareTensors();
  findMmaReads();
  kernel_.body = emit(reads_.exprsWithLoops(), 0);
}

IntExpr StatementBuilder::importExtent(IntExpr extent) {
  // In the order of their names: the terms of a sum are in that in which the fusion was built.
  std::vector<std::pair<std::string, IntExpr>> symbols;
  forEachSymbol(extent, [&](IntExpr symbol) {
    const Val* scalar = part_.scalarOf(symbol);
    symbols.emplace_back(scalar ? scalar->name() : part_.ints().symbolOf(symbol).name, symbol);
  });
  std::stable_sort(symbols.begin(), symbols.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [name, symbol] : symbols) paramOf(symbol);
  return ints_.import(extent, [&](IntExpr symbol) { return paramOf(symbol); });
}

IntExpr StatementBuilder::paramOf(IntExpr extent) {
  for (const IntParam& param : kernel_.intParams) {
    if (param.extent == extent) return param.symbol;
  }
  IntParam param;
  param.symbol = ints_.symbol(concat("n", kernel_.intParams.size()), extent->range);
  param.extent = extent;
  kernel_.intParams.push_back(param);
  return param.symbol;
}

IntExpr StatementBuilder::stride(const TensorView* tensor, int axis) {
  const TensorDomain& domain = tensor->domain();
  if (domain.allocationOrder.back() == axis && domain.contiguity.back() == true) return ints_.constant(1);
  const int index = kernel_.buffers[bufferOf(tensor)].tensor;
  for (const IntParam& param : kernel_.intParams) {
    if (param.tensor == index && param.axis == axis) return param.symbol;
  }
  IntParam param;
  param.symbol = ints_.symbol(concat("s", index, "_", axis));
  param.tensor = index;
  param.axis = axis;
  kernel_.intParams.push_back(param);
  return param.symbol;
}

int StatementBuilder::addBuffer(const TensorView* source, DataType dtype, MemoryType memory, int64_t size) {
  Buffer buffer;
  buffer.id = static_cast<int>(kernel_.buffers.size());
  buffer.name = concat("T", buffer.id);
  buffer.dtype = dtype;
  buffer.memory = memory;
  buffer.size = memory == MemoryType::Global ? nullptr : ints_.constant(size);
  buffer.source = source;
  kernel_.buffers.push_back(buffer);
  return buffer.id;
}

void StatementBuilder::declareTensors() {
  const auto declare = [&](const Val* val, bool written) {
    if (val->isScalar() || buffers_.count(val)) return;
    const TensorView* tensor = val->as<TensorView>();
    const int id = addBuffer(tensor, tensor->dtype(), MemoryType::Global, 0);
    buffers_[val] = id;
    kernel_.buffers[id].tensor = static_cast<int>(kernel_.tensors.size());
    kernel_.tensors.push_back({id, tensor->rank(), written, tensor});
  };
  for (const Val* input : part_.inputs()) declare(input, false);
  for (const Val* output : part_.outputs()) declare(output, true);
  declareStarts();
}

// A tensor between two parts of the kernel, in global memory: dense in the order of its axes.
void StatementBuilder::openWorkspace(const TensorView* tensor) {
  if (!isWorkspace(tensor)) return;
  IntExpr elements = ints_.constant(1);
  for (const IterDomain* axis : tensor->axes()) {
    if (!axis->isBroadcast()) elements = ints_.mul(elements, nest_.extent(axis));
  }
  buffers_[tensor] = addWorkspace(tensor, tensor->dtype(), elements);
}

// Groups expressions that share the loop at this depth. Groups are in dependence order, and in the order of the part
// where dependences allow it.
std::vector<std::vector<Expr*>> StatementBuilder::groupsAt(const std::vector<Expr*>& exprs, size_t depth) const {
  std::vector<std::vector<Expr*>> groups;
  std::map<size_t, size_t> groupOfLoop;
  std::unordered_map<const Val*, size_t> groupOfResult;
  for (Expr* expr : exprs) {
    const TensorView* tensor = resultOf(expr);
    size_t group = groups.size();
    if (nest_.loopCount(tensor) > depth) group = groupOfLoop.emplace(nest_.loopOf(tensor, depth), group).first->second;
    if (group == groups.size()) groups.emplace_back();
    groups[group].push_back(expr);
    for (const Val* result : expr->outputs()) groupOfResult[result] = group;
  }
  std::vector<std::vector<Expr*>> ordered;
  std::vector<bool> done(groups.size(), false);
  size_t first = 0;  // that is not done
  while (ordered.size() < groups.size()) {
    const auto ready = [&](size_t group) {
      return std::all_of(groups[group].begin(), groups[group].end(), [&](const Expr* expr) {
        const std::vector<const Val*> needed = reads_.needs(expr);
        return std::all_of(needed.begin(), needed.end(), [&](const Val* operand) {
          const auto maker = groupOfResult.find(operand);
          return maker == groupOfResult.end() || maker->second == group || done[maker->second];
        });
      });
    };
    while (done[first]) ++first;
    size_t next = first;
    while (next < groups.size() && (done[next] || !ready(next))) ++next;
    FUSER_USER_CHECK(next < groups.size(), "the loops of %", resultOf(exprs.front())->name(),
                     " cannot be ordered: a value is needed inside a loop that needs the loop's own results");
    done[next] = true;
    ordered.push_back(groups[next]);
  }
  return ordered;
}

Body StatementBuilder::emit(const std::vector<Expr*>& exprs, size_t depth) {
  Body allocations, body;
  for (const std::vector<Expr*>& group : groupsAt(exprs, depth)) {
    for (const Expr* expr : group) {
      if (resultOf(expr)->computeAtPosition() == depth) open(expr, allocations, body);
      if (expr->family() == Family::Scan && scanLoops(expr).outermost == depth) openScan(expr, allocations, body);
    }
    if (nest_.loopCount(resultOf(group.front())) == depth) {
      emitExpr(group.front(), body);
    } else {
      emitLoop(group, depth, body);
    }
    for (const Expr* expr : group) {
      if (isReduction(expr->op()) && resultOf(expr)->computeAtPosition() == depth) close(expr, group, body);
      // Right behind the loops of the scan: a consumer may share more loops on blocks and threads than others do.
      const bool isScan = expr->family() == Family::Scan && scanLoops(expr).blocks;
      if (isScan && scanLoops(expr).outermost == depth) closeScan(expr, body);
    }
  }
  allocations.insert(allocations.end(), body.begin(), body.end());
  return allocations;
}

// Whether each turn of the tensor's loops up to this one stores its own element. In a workspace, an axis of one element
// has that of the first turn of a loop that others run along the axis.
bool StatementBuilder::isStoredInEachTurn(const TensorView* tensor, size_t depth) const {
  if (!isWorkspace(tensor)) return true;
  const TensorDomain& domain = tensor->domain();
  for (size_t i = 0; i <= depth; ++i) {
    for (size_t place : rootsOf(tensor, domain.loop[i])) {
      const IterDomain* root = domain.loopRoot[place];
      if (root->isBroadcast() && !nest_.extent(root)->isConstant(1)) return false;
    }
  }
  return true;
}

// Rule 8: what is in memory has each of its elements only after its own loops. Those who share one of them read the
// element of their turn.
void StatementBuilder::refuseReadsAhead(const std::vector<Expr*>& group, size_t depth) const {
  const auto isMade = [&](const Val* val) {
    return std::any_of(group.begin(), group.end(), [&](const Expr* expr) { return expr == val->definition(); });
  };
  for (const Expr* reader : group) {
    const std::vector<const Val*> needed = reads_.needs(reader);
    for (const Val* val : needed) {
      const auto* tensor = val->as<TensorView>();
      const bool stored = tensor->memoryType() == MemoryType::Shared || isWorkspace(tensor);
      if (!stored || tensor->computeAtPosition() > depth || !isMade(val)) continue;
      const bool inTurn =
          readsInPlace(reader, tensor) && sharableLoops(tensor, reader) > depth && isStoredInEachTurn(tensor, depth);
      const auto own = std::count(reader->inputs().begin(), reader->inputs().end(), val);
      rules_.require(inTurn && std::count(needed.begin(), needed.end(), val) == own, 8, "%", resultOf(reader)->name(),
                     " reads elements of %", tensor->name(), " inside the loop that computes them");
    }
  }
}

void StatementBuilder::emitLoop(const std::vector<Expr*>& group, size_t depth, Body& body) {
  const TensorView* tensor = resultOf(group.front());
  const IterDomain* axis = tensor->domain().loop[depth];
  Body inner = emit(group, depth + 1);
  const ParallelType type = axis->parallelType();
  const IntExpr whole = type == ParallelType::Unswitch ? wholeCondition(group, depth) : nullptr;
  const bool serial = type == ParallelType::Serial || type == ParallelType::Unroll || type == ParallelType::Unswitch ||
                      type == ParallelType::Mma;
  if (!serial || nest_.extent(axis)->isConstant(1)) {
    for (Statement& statement : inner) {
      if (For* loop = std::get_if<For>(&statement.node); loop && whole) loop->whole = whole;
    }
    body.insert(body.end(), inner.begin(), inner.end());
    return;
  }
  refuseReadsAhead(group, depth);
  For loop;
  loop.index = nest_.indexOf(tensor, depth);
  loop.extent = nest_.extent(axis);
  loop.unroll = type == ParallelType::Unroll;
  loop.mma = type == ParallelType::Mma;
  loop.body = std::move(inner);
  loop.whole = whole;
  for (const Expr* expr : group) {
    const TensorView* loaded = resultOf(expr);
    if (loaded->turnsAhead() == 0 || serialLoopAround(loaded) != depth) continue;
    rules_.require(loop.ahead.empty() || loop.turnsAhead == loaded->turnsAhead(), 18, "%", loaded->name(),
                   " is loaded ", loaded->turnsAhead(), " turns ahead of a loop, and another tensor ", loop.turnsAhead);
    loop.turnsAhead = loaded->turnsAhead();
    loop.ahead.push_back(bufferOf(loaded));
  }
  body.push_back({std::move(loop)});
}

// The condition under which the predicates of these expressions hold in all iterations of the loops from this one on;
// null if that makes none of them superfluous.
IntExpr StatementBuilder::wholeCondition(const std::vector<Expr*>& group, size_t depth) {
  IntExpr whole = ints_.constant(1);
  for (const Expr* expr : group) {
    const TensorView* tensor = resultOf(expr);
    std::set<IntExpr> loops;
    for (size_t i = depth; i < nest_.loopCount(tensor); ++i) {
      const ParallelType type = tensor->domain().loop[i]->parallelType();
      const bool turns = !isThreadDim(type) && !isBlockDim(type) && nest_.indexOf(tensor, i)->isSymbol();
      if (turns) loops.insert(nest_.indexOf(tensor, i));
    }
    for (IntExpr part : partsOf(predicate(expr))) {
      const IntExpr always = inAllIterations(ints_, part, loops);
      const std::vector<IntExpr> known = partsOf(whole);
      if (always && std::find(known.begin(), known.end(), always) == known.end()) {
        whole = ints_.conjunction(whole, always);
      }
    }
  }
  return whole->isConstant() ? nullptr : whole;
}

// Emits what precedes the tensor's own loops: its allocation and, for a reduction, the accumulator's initialization.
void StatementBuilder::open(const Expr* expr, Body& allocations, Body& body) {
  const TensorView* tensor = resultOf(expr);
  if (tensor->memoryType() == MemoryType::Global) return openWorkspace(tensor);
  if (isWelford(expr->op())) return openWelford(expr, allocations, body);
  if (expr->family() == Family::ExtremeIndex) return openExtreme(expr, allocations, body);
  const int id = addBuffer(tensor, tensor->dtype(), tensor->memoryType(), indexing_.bufferSize(tensor));
  buffers_[tensor] = id;
  allocations.push_back({Allocate{id}});
  if (expr->family() == Family::Scan && scanLoops(expr).blocks) openResults(expr, allocations, body);
  if (!isReduction(expr->op())) return;
  const DataType dtype = computeType(tensor->dtype());
  int accumulator = id;
  const int64_t partial = factoredCount(tensor), all = indexing_.bufferSize(tensor) * partial;
  if (dtype != tensor->dtype() || partial > 1) {
    accumulator = addBuffer(tensor, dtype, MemoryType::Local, all);
    allocations.push_back({Allocate{accumulator}});
  }
  accumulators_[tensor] = accumulator;
  forEachPartial(0, all, body, [&](IntExpr index) { return Body{identityOf(expr, {accumulator, index})}; });
}

// accumulator = the value that the reduction begins with.
Statement StatementBuilder::identityOf(const Expr* expr, const Access& accumulator) {
  const DataType dtype = kernel_.buffers[static_cast<size_t>(accumulator.buffer)].dtype;
  const Identity identity = reductionIdentity(expr->op(), dtype);
  Compute init;
  init.computeDtype = dtype;
  init.target = accumulator;
  init.operands.emplace_back();
  init.operands[0].kind = Operand::Kind::Literal;
  init.operands[0].literal = isFloating(dtype) ? ScalarValue(identity.floating) : ScalarValue(identity.integer);
  init.source = expr;
  return {std::move(init)};
}

// Emits what follows a reduction's loops: combining the threads' partial results and rounding to the result's dtype.
void StatementBuilder::close(const Expr* expr, const std::vector<Expr*>& group, Body& body) {
  const TensorView* tensor = resultOf(expr);
  for (const Expr* other : group) {
    for (const Val* result : expr->outputs()) {
      const bool reads = std::find(other->inputs().begin(), other->inputs().end(), result) != other->inputs().end();
      rules_.require(!reads, 24, "%", resultOf(other)->name(), " needs the reduction %", result->name(),
                     " inside its loops");
    }
  }
  if (isWelford(expr->op())) return closeWelford(expr, body);
  if (expr->family() == Family::ExtremeIndex) return closeExtreme(expr, body);
  const int64_t kept = indexing_.bufferSize(tensor), partial = factoredCount(tensor);
  const int accumulator = accumulators_.at(tensor);
  const auto placeOf = [&](IntExpr index) { return ints_.mul(index, ints_.constant(partial)); };
  const auto none = [this, expr](const std::vector<Access>& into) { return Body{identityOf(expr, into.front())}; };
  const auto joined = [this, expr](const std::vector<Access>& into, const std::vector<Access>& other) {
    return Body{joinOf(expr, into.front(), other.front())};
  };
  const auto resultAt = [&](IntExpr index) {
    return KeptResult{{Access{accumulator, placeOf(index)}}, none, joined};
  };
  forEachPartial(0, kept, body, [&](IntExpr index) {
    const std::vector<Access> whole{{accumulator, placeOf(index)}};
    const Join join = [&](const std::vector<Access>& other) { return joined(whole, other); };
    Body joins;
    forEachPartial(1, partial, joins, [&](IntExpr other) {
      return join({{accumulator, ints_.add(placeOf(index), other)}});
    });
    combineThreads(expr, whole, join, joins);
    return joins;
  });
  combineBlocks(expr, kept, resultAt, body);
  forEachPartial(0, kept, body, [&](IntExpr index) { return finish(expr, {accumulator, placeOf(index)}, index); });
}

// What makes the accumulator of all terms the result at `index`.
Body StatementBuilder::finish(const Expr* expr, const Access& accumulator, IntExpr index) {
  const TensorView* tensor = resultOf(expr);
  Body body;
  if (expr->info().finish == Finish::DivideByCount) {
    Compute divide;
    divide.op = OpKind::Div;
    divide.computeDtype = computeType(tensor->dtype());
    divide.target = accumulator;
    divide.operands.push_back(access(accumulator.buffer, accumulator.index));
    divide.operands.push_back(integer(termsOf(tensor)));
    divide.source = expr;
    body.push_back({std::move(divide)});
  }
  if (accumulator.buffer == bufferOf(tensor)) return body;
  Compute round;
  round.computeDtype = tensor->dtype();
  round.target = {bufferOf(tensor), index};
  round.operands.push_back(access(accumulator.buffer, accumulator.index));
  round.source = expr;
  body.push_back({std::move(round)});
  return body;
}

void StatementBuilder::emitWhere(IntExpr condition, Body statements, Body& body) {
  if (condition->isConstant(1)) {
    body.insert(body.end(), statements.begin(), statements.end());
  } else if (!condition->isConstant(0)) {
    If guarded;
    guarded.condition = condition;
    guarded.body = std::move(statements);
    body.push_back({std::move(guarded)});
  }
}

void StatementBuilder::emitExpr(const Expr* expr, Body& body) {
  const TensorView* tensor = resultOf(expr);
  if (tensor->domain().byAtomics) {
    addByAtomics(expr, body);
    return inlined_.clear();
  }
  Element element{expr, {}};
  if (!isReduction(expr->op())) element.target = {bufferOf(tensor), indexing_.resultIndex(expr)};
  const IntExpr condition = predicate(expr);
  emitElement(element, condition, body);
  if (isReadByMma(tensor)) zeroUnless(condition, element, body);
  inlined_.clear();
}

// Emits the statements that compute one element where the condition holds.
void StatementBuilder::emitElement(const Element& element, IntExpr condition, Body& body) {
  const auto where = [&](const auto& fill) { emitScope(condition, fill, body); };
  switch (element.expr->family()) {
    case Family::Unary:
    case Family::Binary:
    case Family::Ternary: return where([&](Body& inner) { compute(element, inner); });
    case Family::Bitcast: return where([&](Body& inner) { reinterpret(element, inner); });
    case Family::Cast:
    case Family::LoadStore:
    case Family::Broadcast:
    case Family::Squeeze:
    case Family::Expand:
    case Family::Permute:
    case Family::Slice:
    case Family::Reshape:
    case Family::Repeat:
    case Family::Flip:
    case Family::Unfold:
    case Family::Select:
    case Family::Factory: return where([&](Body& inner) { move(element, 0, inner); });
    case Family::Pad:
    case Family::Cat:
    case Family::SliceScatter: return emitChoice(element, condition, body);
    case Family::Gather: return where([&](Body& inner) { gather(element, inner); });
    case Family::Scatter: return scatter(element, condition, body);
    case Family::Range: return where([&](Body& inner) { count(element, inner); });
    case Family::Eye: return where([&](Body& inner) { diagonal(element, inner); });
    case Family::Reduction: return where([&](Body& inner) { accumulate(element, inner); });
    case Family::Welford: return where([&](Body& inner) { accumulateWelford(element, inner); });
    case Family::Scan: return scan(element, condition, body);
    case Family::ExtremeIndex: return where([&](Body& inner) { accumulateExtreme(element, inner); });
    case Family::Size:
    case Family::Item:
    case Family::Branch:  // concretize() takes one side
    case Family::Update: break;
  }
  FUSER_CHECK(false, opName(element.expr->op()), " is not a statement of a kernel");
}

// Emits one statement per operand; exactly one of their conditions holds for each element.
void StatementBuilder::emitChoice(const Element& element, IntExpr condition, Body& body) {
  for (size_t operand = 0; operand < element.expr->inputs().size(); ++operand) {
    const IntExpr chosen = indexing_.elementAt(element.expr, operand, coordinatesOf(element)).condition;
    emitScope(
        ints_.conjunction(condition, chosen), [&](Body& inner) { move(element, operand, inner); }, body);
  }
}

// Which thread dimensions (x, y, z) the reduced axes are parallelized over.
std::array<bool, 3> StatementBuilder::reducedThreads(const TensorView* reduction) const {
  std::array<bool, 3> dims{};
  for (const IterDomain* axis : reduction->domain().loop) {
    if (!axis->isReduction() || !isThreadDim(axis->parallelType())) continue;
    dims[static_cast<size_t>(axis->parallelType()) - static_cast<size_t>(ParallelType::TIDx)] = true;
  }
  return dims;
}

// The number of terms of a reduction: the product of the reduced extents.
IntExpr StatementBuilder::termsOf(const TensorView* reduction) {
  IntExpr terms = ints_.constant(1);
  for (const IterDomain* axis : reduction->domain().logical) {
    if (axis->isReduction()) terms = ints_.mul(terms, importExtent(axis->extent()));
  }
  return terms;
}

Operand StatementBuilder::operandOf(const Element& element, size_t place, Body& body) {
  const Val* val = element.expr->input(place);
  if (val->isTensor()) {
    const TensorView* tensor = val->as<TensorView>();
    if (!element.at && !reads_.isInline(element.expr, tensor)) {
      return access(bufferOf(tensor), indexing_.operandIndex(element.expr, place));
    }
    const OperandElement source = indexing_.elementAt(element.expr, place, coordinatesOf(element));
    return inlineElement(element.expr, tensor, source.coordinates, body);
  }
  Operand operand;
  if (const std::optional<ScalarValue>& constant = val->as<Scalar>()->constant()) {
    return literal(*constant);
  }
  operand.kind = Operand::Kind::Param;
  const auto known = std::find_if(kernel_.scalars.begin(), kernel_.scalars.end(),
                                  [&](const ScalarParam& param) { return param.source == val; });
  operand.param = static_cast<int>(known - kernel_.scalars.begin());
  if (known == kernel_.scalars.end()) kernel_.scalars.push_back({concat("p", operand.param), val->dtype(), val});
  return operand;
}

void StatementBuilder::compute(const Element& element, Body& body) {
  const Expr* expr = element.expr;
  const DataType common = commonType(expr->op(), expr->inputs());
  Compute statement;
  statement.op = expr->op();
  statement.computeDtype = computeType(common);
  statement.target = element.target;
  statement.source = expr;
  const bool round = expr->info().scalar == ScalarOperand::Round && common != statement.computeDtype;
  for (size_t i = 0; i < expr->inputs().size(); ++i) {
    Operand operand = operandOf(element, i, body);
    const bool condition = takesCondition(expr->op(), i);
    if (round && expr->input(i)->isScalar() && !condition) operand.roundTo = common;
    statement.operands.push_back(std::move(operand));
  }
  body.push_back({std::move(statement)});
}

// bitcast: the operand's own bits, not converted.
void StatementBuilder::reinterpret(const Element& element, Body& body) {
  const DataType dtype = resultOf(element.expr)->dtype();
  body.push_back(computed(element.expr, OpKind::Bitcast, dtype, element.target, {operandOf(element, 0, body)}));
}

// acc = combine(acc, x), in the compute dtype.
void StatementBuilder::accumulate(const Element& element, Body& body) {
  const TensorView* tensor = resultOf(element.expr);
  Compute statement;
  statement.op = *element.expr->info().combine;
  statement.computeDtype = computeType(tensor->dtype());
  const IntExpr kept = ints_.mul(indexing_.resultIndex(element.expr), ints_.constant(factoredCount(tensor)));
  statement.target = {accumulators_.at(tensor), ints_.add(kept, factoredIndex(tensor))};
  statement.operands.push_back(access(statement.target.buffer, statement.target.index));
  statement.operands.push_back(operandOf(element, 0, body));
  statement.source = element.expr;
  body.push_back({std::move(statement)});
}

// arange: start + step * coordinate.
void StatementBuilder::count(const Element& element, Body& body) {
  const Attributes& attributes = element.expr->attributes();
  const IntExpr steps = ints_.mul(coordinatesOf(element).at(0), importExtent(attributes.step()));
  convert(element.expr, element.target, integer(ints_.add(importExtent(attributes.start()), steps)), body);
}

// eye: 1 where row and column are equal.
void StatementBuilder::diagonal(const Element& element, Body& body) {
  const std::vector<IntExpr> at = coordinatesOf(element);
  convert(element.expr, element.target, integer(ints_.equal(at.at(0), at.at(1))), body);
}

// The index of the elements of a vector that is moved at once; null if there is none.
IntExpr StatementBuilder::vectorIndex(const TensorView* tensor) const {
  const std::vector<IterDomain*>& loop = tensor->domain().loop;
  if (loop.empty() || loop.back()->parallelType() != ParallelType::Vectorize) return nullptr;
  return nest_.indexOf(tensor, loop.size() - 1);
}

IntExpr StatementBuilder::atElement(const TensorView* tensor, IntExpr index, int64_t element) {
  const IntExpr vector = vectorIndex(tensor);
  if (!vector) return index;
  return ints_.import(index, [&](IntExpr symbol) { return symbol == vector ? ints_.constant(element) : symbol; });
}

// A vector's is that of its first element: it has no remainder.
IntExpr StatementBuilder::predicate(const Expr* expr) {
  return atElement(resultOf(expr), predicateOf(resultOf(expr), nest_, kernel_), 0);
}

// Where a vector begins. Of global memory, rule 3 says that its elements lie next to each other.
Access StatementBuilder::firstElement(const Expr* expr, const Access& access) {
  const TensorView* tensor = resultOf(expr);
  const Buffer& buffer = kernel_.buffers[static_cast<size_t>(access.buffer)];
  const int64_t width = tensor->domain().loop.back()->extent()->value;
  const IntExpr first = atElement(tensor, access.index, 0);
  bool together = ints_.mod(first, ints_.constant(width))->isConstant(0);
  for (int64_t i = 1; i < width; ++i) {
    together &= ints_.sub(atElement(tensor, access.index, i), first)->isConstant(i);
  }
  rules_.require(together || buffer.memory == MemoryType::Global, 15, "the elements of a vector of %", tensor->name(),
                 " do not lie next to each other, or at no multiple of their number, in ",
                 buffer.memory == MemoryType::Shared ? "shared memory" : "registers");
  return {access.buffer, first};
}

// The statement for an op that only moves or converts elements, for one operand.
void StatementBuilder::move(const Element& element, size_t place, Body& body) {
  const TensorView* tensor = resultOf(element.expr);
  const Val* source = element.expr->input(place);
  if (source->isTensor() && source->dtype() == tensor->dtype()) {
    Move statement;
    statement.target = element.target;
    statement.source = operandOf(element, place, body).access;
    if (!element.at && vectorIndex(tensor)) {
      statement.width = static_cast<int>(tensor->domain().loop.back()->extent()->value);
      statement.target = firstElement(element.expr, statement.target);
      statement.source = firstElement(element.expr, statement.source);
    }
    body.push_back({std::move(statement)});
    return;
  }
  convert(element.expr, element.target, operandOf(element, place, body), body);
}

void runBuildStatements(const Fusion& part, Kernel& kernel, const ScheduleRules& rules) {
  StatementBuilder(part, kernel, rules).build();
}

}  // namespace fuser
