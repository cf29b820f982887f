// The constraints, by number:
//   1  an operand is an input, a literal, or the result of a live expression
//   2  the graph has no cycle
//   3  an output is an input, a literal or the result of a live expression
//   4  operands and attributes fit the op's row, and the result has the dtype that inference gives
//   5  the result's axes are those that inference gives: number, kind, equal constants
//   6  a scalar is f64, i64 or bool
//   7  at most 8 axes
//   8  a broadcast axis has extent 1; only broadcast axes are expanded; only reductions' results have reduction axes
//   9  the allocation order is a permutation of the axes; contiguity has an entry an axis, none exactly on broadcast
//      axes
//  10  a value's list of uses names exactly the live expressions that read it
//  11  every extent symbol is bound by an input's axis, or stands for a scalar that is an input, literal or computed
//  12  one definition a value, and no definition of an input
//  13  a view is made by set, permute, unsqueeze, squeeze or expand from an input, an output or another view, and read
//      by views alone
//  14  a tensor on the host is an input of rank 0; a scalar reads scalars, a tensor's extent (size) or a tensor on the
//      host (item): no scalar depends on a device's data
//  15  nobody reads or returns the result of an update, which the text does not name
//  16  what is in place is made by slice, select, permute, unsqueeze, squeeze, reshape or slice_scatter
#include "fuser/ir/verify.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "fuser/ir/infer.h"
#include "fuser/support/set_up_error.h"

namespace fuser {
namespace {

class Verifier {
 public:
  explicit Verifier(const Fusion& fusion) : fusion_(fusion) {}

  std::vector<Violation> run() {
    checkGraph();
    if (!violations_.empty()) return std::move(violations_);  // the other checks need a valid graph
    collectUses();
    bindSymbols();
    for (const Expr* expr : fusion_.exprs()) checkExpr(expr);
    for (const Val* val : fusion_.usedVals()) checkVal(val);
    std::stable_sort(violations_.begin(), violations_.end(),
                     [](const Violation& a, const Violation& b) { return a.constraint < b.constraint; });
    return std::move(violations_);
  }

 private:
  template <class... Args>
  void report(int constraint, const Args&... args) {
    violations_.push_back({constraint, concat(args...)});
  }

  bool available(const Val* val) const {
    if (val->isFusionInput() || val->definition()) return true;
    return val->isScalar() && val->as<Scalar>()->isConstant();
  }

  void checkGraph() {
    for (const Expr* expr : fusion_.liveExprs()) {
      for (const Val* operand : expr->inputs()) {
        if (!available(operand)) {
          report(1, "%", operand->name(), ", read by ", opName(expr->op()), ", is defined nowhere");
        }
      }
      for (const Val* output : expr->outputs()) {
        if (output->definition() != expr || output->isFusionInput()) {
          report(12, "%", output->name(), " is defined twice");
        }
      }
    }
    for (const Val* output : fusion_.outputs()) {
      if (!available(output)) report(3, "output %", output->name(), " is defined nowhere");
    }
    try {
      fusion_.exprs();
    } catch (const CheckError& error) {
      report(2, error.what());
    }
  }

  // A counting sort: two walks over the operands put the users of all values into one vector. It runs after every pass.
  void collectUses() {
    constexpr uint32_t kNobody = ~uint32_t{0};
    const auto forEachUse = [&](auto&& use) {
      std::vector<uint32_t> lastUser(fusion_.valCount(), kNobody);
      uint32_t number = 0;
      for (Expr* expr : fusion_.liveExprs()) {
        for (const Val* operand : expr->inputs()) {
          if (std::exchange(lastUser[operand->id()], number) != number) use(operand->id(), expr);
        }
        ++number;
      }
    };
    firstUser_.assign(fusion_.valCount() + 1, 0);
    forEachUse([&](uint32_t id, Expr*) { ++firstUser_[id + 1]; });
    std::partial_sum(firstUser_.begin(), firstUser_.end(), firstUser_.begin());
    users_.resize(firstUser_.back());
    std::vector<size_t> next = firstUser_;
    forEachUse([&](uint32_t id, Expr* expr) { users_[next[id]++] = expr; });
  }

  void bindSymbols() {
    for (const Val* input : fusion_.inputs()) {
      if (input->isScalar()) continue;
      for (const IterDomain* axis : input->as<TensorView>()->domain().logical) {
        if (axis->size()->isSymbol()) bound_.insert(axis->size()->value);
      }
    }
  }

  void checkExtent(const Val* val, IntExpr extent) {
    forEachSymbol(extent, [&](IntExpr symbol) {
      if (const Val* scalar = fusion_.scalarOf(symbol)) {
        if (!available(scalar)) {
          report(11, "an extent of %", val->name(), " names %", scalar->name(), ", defined nowhere");
        }
      } else if (!bound_.count(symbol->value)) {
        report(11, "an extent of %", val->name(), " names ", fusion_.ints().symbolOf(symbol).name,
               ", which no input binds");
      }
    });
  }

  void checkScalarReads(const Expr* expr) {
    for (const Val* operand : expr->inputs()) {
      if (operand->isScalar() || expr->family() == Family::Size) continue;
      const bool onHost = operand->as<TensorView>()->isCpuScalar();
      if (!onHost || expr->family() != Family::Item) {
        report(14, "scalar %", expr->output()->name(), " depends on the data of %", operand->name());
      }
    }
  }

  void checkExpr(const Expr* expr) {
    const Val* output = expr->output();
    if (expr->isScalarExpr()) checkScalarReads(expr);
    for (IntExpr extent : expr->attributes().allIntegers()) checkExtent(output, extent);
    InferredType type;
    try {
      // infer() takes a mutable fusion only to intern constants in its arena.
      type = infer(const_cast<Fusion&>(fusion_), expr->op(), expr->inputs(), expr->attributes());
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      report(4, "%", output->name(), ": ", error.what());
      return;
    }
    if (expr->outputs().size() != expr->info().results) {
      report(4, "%", output->name(), ": ", opName(expr->op()), " has ", expr->info().results, " results, not ",
             expr->outputs().size());
      return;
    }
    for (const Val* each : expr->outputs()) checkResult(each, type);
    if (expr->family() == Family::Update && (!output->uses().empty() || output->isFusionOutput())) {
      report(15, "the result of update %", expr->input(0)->name(), " is read or returned");
    }
  }

  void checkResult(const Val* output, const InferredType& type) {
    if (type.tensor != output->isTensor() || type.dtype != output->dtype()) {
      report(4, "%", output->name(), " is ", typeText(output), ", but inference gives ", type.dtype);
      return;
    }
    if (!type.tensor) return;
    const bool same = hasAxes(*output->as<TensorView>(), type);
    if (!same) report(5, "%", output->name(), ": ", typeText(output), " has other axes than inference gives");
  }

  void checkVal(const Val* val) {
    checkUses(val);
    if (val->isScalar()) {
      const DataType dtype = val->dtype();
      if (dtype != DataType::Double && dtype != DataType::Int64 && dtype != DataType::Bool) {
        report(6, "scalar %", val->name(), " is ", dtype);
      }
      return;
    }
    const TensorDomain& domain = val->as<TensorView>()->domain();
    if (domain.noReductions().size() > kMaxRank) report(7, "%", val->name(), " has more than 8 axes");
    for (const IterDomain* axis : domain.logical) {
      if (axis->isBroadcast() != axis->extent()->isConstant(1) && !axis->isReduction()) {
        report(8, "%", val->name(), ": an axis of the constant extent 1 is a broadcast axis, and no other is");
      }
      if (axis->isExpanded() && !axis->isBroadcast()) {
        report(8, "%", val->name(), ": only a broadcast axis is expanded");
      }
      if (axis->isReduction() && (!val->definition() || !isReduction(val->definition()->op()))) {
        report(8, "%", val->name(), " has a reduction axis, but is not a reduction");
      }
      checkExtent(val, axis->extent());
      if (axis->expandedExtent()) checkExtent(val, axis->expandedExtent());
    }
    if (val->as<TensorView>()->isCpuScalar() && (!val->isFusionInput() || !domain.logical.empty())) {
      report(14, "%", val->name(), " lies on the host, but is not an input of rank 0");
    }
    checkLayout(val->as<TensorView>());
  }

  void checkLayout(const TensorView* tensor) {
    const TensorDomain& domain = tensor->domain();
    if (domain.view && !canBeView(tensor)) report(13, "%", tensor->name(), " cannot be a view");
    if (domain.inPlace && !canBeInPlace(tensor)) report(16, "%", tensor->name(), " cannot be in place");
    const std::vector<IterDomain*> axes = domain.noReductions();
    std::vector<int> sorted = domain.allocationOrder;
    std::sort(sorted.begin(), sorted.end());
    bool good = sorted.size() == axes.size() && domain.contiguity.size() == axes.size();
    for (size_t i = 0; good && i < sorted.size(); ++i) good = sorted[i] == static_cast<int>(i);
    for (size_t i = 0; good && i < sorted.size(); ++i) {
      good = domain.contiguity[i].has_value() != axes[domain.allocationOrder[i]]->isBroadcast();
    }
    if (!good) report(9, "%", tensor->name(), ": allocation order or contiguity does not fit its axes");
  }

  void checkUses(const Val* val) {
    const auto begin = users_.begin() + static_cast<int64_t>(firstUser_[val->id()]);
    const auto end = users_.begin() + static_cast<int64_t>(firstUser_[val->id() + 1]);
    if (!std::equal(begin, end, val->uses().begin(), val->uses().end())) {
      report(10, "%", val->name(), ": its list of uses is wrong");
    }
  }

  const Fusion& fusion_;
  std::vector<Expr*> users_;       // of all values, by their ids
  std::vector<size_t> firstUser_;  // by value id: where its users begin in users_; one extra entry marks the end
  std::set<int64_t> bound_;
  std::vector<Violation> violations_;
};

}  // namespace

bool canBeView(const TensorView* tensor) {
  const Expr* maker = tensor->definition();
  if (!maker || !movesElements(maker->op())) return false;
  const auto* source = maker->input(0)->as<TensorView>();
  if (!source->isFusionInput() && !source->isFusionOutput() && !source->domain().view) return false;
  return std::all_of(tensor->uses().begin(), tensor->uses().end(), [](const Expr* use) {
    return use->output()->isTensor() && use->output()->as<TensorView>()->domain().view;
  });
}

bool canBeInPlace(const TensorView* tensor) {
  constexpr OpKind kMakers[] = {OpKind::Slice,   OpKind::Select,  OpKind::Permute,     OpKind::Unsqueeze,
                                OpKind::Squeeze, OpKind::Reshape, OpKind::SliceScatter};
  const Expr* maker = tensor->definition();
  return maker && std::find(std::begin(kMakers), std::end(kMakers), maker->op()) != std::end(kMakers);
}

bool movesElements(OpKind op) {
  return op == OpKind::Set || op == OpKind::Permute || op == OpKind::Unsqueeze || op == OpKind::Squeeze ||
         op == OpKind::Expand;
}

std::vector<Violation> findViolations(const Fusion& fusion) { return Verifier(fusion).run(); }

void verify(const Fusion& fusion) {
  const std::vector<Violation> violations = findViolations(fusion);
  FUSER_CHECK(violations.empty(), "IR constraint ", violations[0].constraint, ": ", violations[0].message);
}

}  // namespace fuser
