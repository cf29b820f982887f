#include "fuser/ir/fusion.h"

#include <algorithm>
#include <queue>

#include "fuser/ir/infer.h"

namespace fuser {

namespace {

// Sets the sizes of the logical axes; true when one of them changed.
bool setSizes(Fusion& fusion, TensorView* tensor, const std::vector<AxisType>& axes) {
  TensorDomain& domain = tensor->domain();
  FUSER_CHECK(domain.transforms.empty(), "%", tensor->name(), " has a schedule");
  bool changed = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    IterDomain*& axis = domain.logical[i];
    if (axes[i].extent == axis->extent() && axes[i].expandedExtent == axis->expandedExtent()) continue;
    const ParallelType type = axis->parallelType();
    axis = fusion.newIterDomain(axis->type(), axes[i].extent, axes[i].expandedExtent);
    axis->parallelize(type);
    changed = true;
  }
  domain.loopRoot = domain.logical;
  domain.loop = domain.logical;
  return changed;
}

}  // namespace

std::string_view parallelTypeName(ParallelType type) {
  switch (type) {
    case ParallelType::Serial: return "Serial";
    case ParallelType::BIDx: return "BIDx";
    case ParallelType::BIDy: return "BIDy";
    case ParallelType::BIDz: return "BIDz";
    case ParallelType::TIDx: return "TIDx";
    case ParallelType::TIDy: return "TIDy";
    case ParallelType::TIDz: return "TIDz";
    case ParallelType::Vectorize: return "Vectorize";
    case ParallelType::Unroll: return "Unroll";
    case ParallelType::Unswitch: return "Unswitch";
    case ParallelType::Mma: return "Mma";
    case ParallelType::Stream: return "Stream";
    case ParallelType::DIDx: return "DIDx";
  }
  FUSER_CHECK(false, "bad ParallelType");
}

std::string_view memoryTypeName(MemoryType type) {
  switch (type) {
    case MemoryType::Global: return "global";
    case MemoryType::Shared: return "shared";
    case MemoryType::Local: return "local";
  }
  FUSER_CHECK(false, "bad MemoryType");
}

std::vector<IterDomain*> TensorDomain::noReductions() const {
  std::vector<IterDomain*> axes;
  axes.reserve(logical.size());
  for (IterDomain* axis : logical) {
    if (!axis->isReduction()) axes.push_back(axis);
  }
  return axes;
}

size_t TensorView::rank() const {
  return static_cast<size_t>(std::count_if(domain_.logical.begin(), domain_.logical.end(),
                                           [](const IterDomain* axis) { return !axis->isReduction(); }));
}

size_t TensorView::concreteRank() const {
  return static_cast<size_t>(std::count_if(domain_.logical.begin(), domain_.logical.end(), [](const IterDomain* axis) {
    return !axis->isReduction() && !axis->isBroadcast();
  }));
}

std::optional<size_t> TensorView::axisOf(ParallelType type) const {
  const std::vector<IterDomain*> axes = this->axes();
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis]->parallelType() == type) return axis;
  }
  return std::nullopt;
}

std::optional<size_t> TensorView::streamAxis() const { return axisOf(ParallelType::Stream); }

const DeviceMesh& TensorView::mesh() const { return domain_.mesh.empty() ? fusion().mesh() : domain_.mesh; }

std::optional<size_t> TensorView::shardAxis() const {
  return mesh().size() > 1 ? axisOf(ParallelType::DIDx) : std::nullopt;
}

std::string toString(const DeviceMesh& mesh) {
  std::string text = "[";
  for (int device : mesh.devices()) text += concat(text.size() == 1 ? "" : ", ", device);
  return text + "]";
}

bool Fusion::hasStreams() const {
  return std::any_of(live_.begin(), live_.end(), [](const Expr* expr) {
    return std::any_of(expr->outputs().begin(), expr->outputs().end(), [](const Val* output) {
      return output->isTensor() && output->as<TensorView>()->streamAxis().has_value();
    });
  });
}

Scalar* Fusion::newScalar(DataType dtype, std::string name) {
  vals_.push_back(std::make_unique<Scalar>(this, static_cast<uint32_t>(vals_.size()), dtype, std::nullopt));
  vals_.back()->setName(std::move(name));
  return static_cast<Scalar*>(vals_.back().get());
}

Scalar* Fusion::newConstant(ScalarValue value) {
  vals_.push_back(std::make_unique<Scalar>(this, static_cast<uint32_t>(vals_.size()), value.dtype(), value));
  return static_cast<Scalar*>(vals_.back().get());
}

TensorView* Fusion::newTensor(DataType dtype, TensorDomain domain, std::string name) {
  const std::vector<IterDomain*> axes = domain.noReductions();
  if (domain.allocationOrder.empty()) {
    for (size_t i = 0; i < axes.size(); ++i) domain.allocationOrder.push_back(static_cast<int>(i));
  }
  if (domain.contiguity.empty()) {
    for (int axis : domain.allocationOrder) {
      domain.contiguity.push_back(axes[axis]->isBroadcast() ? std::nullopt : std::optional<bool>(true));
    }
  }
  if (domain.loopRoot.empty()) domain.loopRoot = domain.logical;
  if (domain.loop.empty()) domain.loop = domain.loopRoot;
  vals_.push_back(std::make_unique<TensorView>(this, static_cast<uint32_t>(vals_.size()), dtype, std::move(domain)));
  vals_.back()->setName(std::move(name));
  return static_cast<TensorView*>(vals_.back().get());
}

IterDomain* Fusion::newIterDomain(IterType type, IntExpr extent, IntExpr expandedExtent) {
  if (expandedExtent && expandedExtent->isConstant(1)) expandedExtent = nullptr;
  iterDomains_.push_back(
      std::make_unique<IterDomain>(static_cast<uint32_t>(iterDomains_.size()), type, extent, expandedExtent));
  return iterDomains_.back().get();
}

IterDomain* Fusion::cloneAs(const IterDomain* domain, IterType type) {
  if (type == IterType::Reduction) return newIterDomain(type, domain->size());
  return newIterDomain(type, domain->extent(), domain->expandedExtent());
}

IntExpr Fusion::extentSymbol(const std::string& name) {
  IntExpr& symbol = extentSymbols_[name];
  if (!symbol) symbol = ints_->symbol(name);
  return symbol;
}

IntExpr Fusion::scalarSymbol(Val* scalar) {
  FUSER_CHECK(scalar->isScalar() && scalar->dtype() == DataType::Int64, "an extent is an i64 scalar");
  IntExpr& symbol = symbolOfScalar_[scalar];
  if (!symbol) {
    constexpr int64_t kLimit = int64_t{1} << 40;
    symbol = ints_->symbol("%" + scalar->name(), {-kLimit, kLimit});  // a bound may be negative
    scalarOfSymbol_[symbol->value] = scalar;
  }
  return symbol;
}

Val* Fusion::scalarOf(IntExpr symbol) const {
  const auto found = scalarOfSymbol_.find(symbol->value);
  return found == scalarOfSymbol_.end() ? nullptr : found->second;
}

std::vector<Val*> Fusion::scalarsOf(IntExpr extent) const {
  std::vector<Val*> scalars;
  forEachSymbol(extent, [&](IntExpr symbol) {
    Val* scalar = scalarOf(symbol);
    if (scalar && std::find(scalars.begin(), scalars.end(), scalar) == scalars.end()) scalars.push_back(scalar);
  });
  std::stable_sort(scalars.begin(), scalars.end(), [](const Val* a, const Val* b) { return a->name() < b->name(); });
  return scalars;
}

void Fusion::addInput(Val* val) {
  FUSER_CHECK(!val->definition() && !val->isFusionInput(), "%", val->name(), " cannot be an input");
  val->links().fusionInput = true;
  if (val->isTensor()) val->as<TensorView>()->setMemoryType(MemoryType::Global);
  inputs_.push_back(val);
}

void Fusion::addOutput(Val* val) {
  val->links().fusionOutput = true;
  if (val->isTensor()) val->as<TensorView>()->setMemoryType(MemoryType::Global);
  outputs_.push_back(val);
}

void Fusion::setOutputs(std::vector<Val*> outputs) {
  for (Val* output : outputs_) {
    output->links().fusionOutput = false;
    if (output->isTensor() && !output->isFusionInput()) output->as<TensorView>()->setMemoryType(MemoryType::Local);
  }
  outputs_.clear();
  for (Val* output : outputs) addOutput(output);
}

namespace {

void addUse(Val* val, Expr* expr) {
  std::vector<Expr*>& uses = val->links().uses;
  const auto place =
      std::lower_bound(uses.begin(), uses.end(), expr, [](const Expr* a, const Expr* b) { return a->id() < b->id(); });
  if (place == uses.end() || *place != expr) uses.insert(place, expr);
}

// Of a list in id order.
void removeFrom(std::vector<Expr*>& exprs, const Expr* expr) {
  const auto place = std::lower_bound(exprs.begin(), exprs.end(), expr,
                                      [](const Expr* a, const Expr* b) { return a->id() < b->id(); });
  if (place != exprs.end() && *place == expr) exprs.erase(place);
}

void removeUse(Val* val, Expr* expr) { removeFrom(val->links().uses, expr); }

}  // namespace

Expr* Fusion::newExpr(OpKind op, std::vector<Val*> inputs, std::vector<Val*> outputs, Attributes attributes) {
  exprStorage_.push_back(std::make_unique<Expr>(this, static_cast<uint32_t>(exprStorage_.size()), op, std::move(inputs),
                                                std::move(outputs), std::move(attributes)));
  Expr* expr = exprStorage_.back().get();
  for (Val* input : expr->inputs()) {
    FUSER_CHECK(&input->fusion() == this, "operand of another fusion");
    addUse(input, expr);
  }
  for (Val* output : expr->outputs()) {
    FUSER_CHECK(!output->definition() && !output->isFusionInput(), "%", output->name(), " is defined already");
    output->links().definition = expr;
  }
  live_.push_back(expr);
  invalidate();
  return expr;
}

void Fusion::removeExpr(Expr* expr) {
  for (Val* input : expr->inputs()) removeUse(input, expr);
  for (Val* output : expr->outputs()) output->links().definition = nullptr;
  removeFrom(live_, expr);
  invalidate();
}

void Fusion::replaceInput(Expr* expr, size_t index, Val* with) {
  Val* old = expr->input(index);
  expr->mutableInputs()[index] = with;
  const std::vector<Val*>& inputs = expr->inputs();
  if (std::find(inputs.begin(), inputs.end(), old) == inputs.end()) removeUse(old, expr);
  addUse(with, expr);
  invalidate();
}

void Fusion::replaceAllUses(Val* from, Val* with) {
  const std::vector<Expr*> users = from->uses();
  for (Expr* user : users) {
    for (size_t i = 0; i < user->inputs().size(); ++i) {
      if (user->input(i) == from) replaceInput(user, i, with);
    }
  }
  if (from->isFusionOutput()) {
    std::vector<Val*> outputs = outputs_;
    std::replace(outputs.begin(), outputs.end(), from, with);
    setOutputs(std::move(outputs));
  }
}

std::vector<Val*> Fusion::extentScalars(const Expr* expr) {
  std::vector<Val*> scalars;
  for (IntExpr extent : expr->attributes().allIntegers()) {
    const std::vector<Val*> named = expr->fusion().scalarsOf(extent);
    scalars.insert(scalars.end(), named.begin(), named.end());
  }
  return scalars;
}

const std::vector<Expr*>& Fusion::exprs() const {
  if (orderValid_) return order_;
  // Kahn's algorithm (Topological sorting of large networks, 1962) with the smallest id first.
  std::vector<size_t> missing(exprStorage_.size(), 0);
  std::vector<std::vector<Expr*>> users(exprStorage_.size());
  for (Expr* expr : live_) {
    std::vector<Val*> operands = expr->inputs();
    const std::vector<Val*> scalars = extentScalars(expr);
    operands.insert(operands.end(), scalars.begin(), scalars.end());
    for (Val* operand : operands) {
      if (!operand->definition()) continue;
      ++missing[expr->id()];
      users[operand->definition()->id()].push_back(expr);
    }
  }
  const auto later = [](const Expr* a, const Expr* b) { return a->id() > b->id(); };
  std::priority_queue<Expr*, std::vector<Expr*>, decltype(later)> ready(later);
  for (Expr* expr : live_) {
    if (missing[expr->id()] == 0) ready.push(expr);
  }
  order_.clear();
  while (!ready.empty()) {
    Expr* expr = ready.top();
    ready.pop();
    order_.push_back(expr);
    for (Expr* user : users[expr->id()]) {
      if (--missing[user->id()] == 0) ready.push(user);
    }
  }
  FUSER_CHECK(order_.size() == live_.size(), "the graph of '", name_, "' has a cycle");
  orderValid_ = true;
  return order_;
}

std::vector<Val*> Fusion::usedVals() const {
  std::vector<bool> used(vals_.size(), false);
  for (const Val* val : inputs_) used[val->id()] = true;
  for (const Val* val : outputs_) used[val->id()] = true;
  for (const Expr* expr : live_) {
    for (const Val* val : expr->inputs()) used[val->id()] = true;
    for (const Val* val : expr->outputs()) used[val->id()] = true;
    for (const Val* val : extentScalars(expr)) used[val->id()] = true;
  }
  std::vector<Val*> vals;
  for (const std::unique_ptr<Val>& val : vals_) {
    if (used[val->id()]) vals.push_back(val.get());
  }
  return vals;
}

bool Fusion::isOverwritten(const Val* input) const {
  return std::any_of(aliases_.begin(), aliases_.end(), [&](const auto& alias) { return alias.second == input; });
}

RenamedExtents Fusion::renameExtents(const std::function<IntExpr(IntExpr)>& map) {
  RenamedExtents result;
  for (Val* input : inputs_) {
    if (!input->isTensor()) continue;
    std::vector<AxisType> axes;
    for (const IterDomain* axis : input->as<TensorView>()->domain().logical) {
      axes.push_back({axis->type(), map(axis->extent()), axis->isExpanded() ? map(axis->expandedExtent()) : nullptr});
      if (axis->isBroadcast() != axes.back().extent->isConstant(1)) result.misfit = input;
    }
    result.changed |= setSizes(*this, input->as<TensorView>(), axes);
  }
  const std::vector<Expr*> inOrder = exprs();
  for (Expr* expr : inOrder) {
    if (result.misfit) break;
    for (IntExpr& size : expr->mutableAttributes().allIntegers()) {
      result.changed |= size != map(size);
      size = map(size);
    }
    // None where constant sizes contradict each other, so that every run would be rejected.
    const std::optional<InferredType> type = inferIfValid(*this, expr->op(), expr->inputs(), expr->attributes());
    for (Val* output : expr->outputs()) {
      if (!output->isTensor()) continue;
      auto* tensor = output->as<TensorView>();
      if (type && hasAxes(*tensor, *type))
        result.changed |= setSizes(*this, tensor, type->axes);
      else
        result.misfit = tensor;
    }
  }
  if (result.changed) invalidate();
  return result;
}

void Fusion::markOrigins() {
  for (const std::unique_ptr<Val>& val : vals_) {
    val->setOrigin(val->id());
  }
}

}  // namespace fuser
