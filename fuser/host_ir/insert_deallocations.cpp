// InsertDeallocationsPass: frees each tensor that the program allocates behind the last node of that body which reads or
// writes it, or what is seen in its memory. Outputs of the fusion stay.

#include <algorithm>
#include <unordered_map>

#include "fuser/host_ir/host_ir_pass.h"

namespace fuser {
namespace {

class Inserter {
 public:
  explicit Inserter(HostIrContainer& program) : program_(program), memoryOf_(program.fusion().valCount(), nullptr) {}

  bool run() {
    // Mentions in the order of the program: that is the order in which tensors with one last use are freed.
    forEachHostExpr(program_, [&](hir::HostExpr* expr) { see(expr); });
    std::vector<hir::HostExpr*> behind(mentioned_.size(), nullptr);
    bool changed = false;
    for (size_t i = 0; i < mentioned_.size(); ++i) {
      const Owner& owner = mentioned_[i];
      if (!owner.maker || owner.tensor->isFusionOutput()) continue;
      // Behind what is freed here already.
      hir::HostExpr* place = owner.last;
      for (size_t before = 0; before < i; ++before) {
        if (behind[before] && mentioned_[before].last == owner.last) place = behind[before];
      }
      behind[i] = program_.insertAfter(place, hir::Deallocate{owner.tensor});
      changed = true;
    }
    return changed;
  }

 private:
  struct Owner {
    const TensorView* tensor = nullptr;
    hir::HostExpr* maker = nullptr;  // null: not the program's
    hir::HostExpr* scope = nullptr;  // in whose body it is freed; null: the top level
    hir::HostExpr* last = nullptr;   // of that body's nodes, the last that uses it
  };

  // A segment's body is no scope of its own: what it allocates, other segments read.
  hir::HostExpr* scopeOf(hir::HostExpr* expr) const {
    hir::HostExpr* parent = program_.parent(expr);
    while (parent && std::holds_alternative<hir::Segment>(parent->node)) parent = program_.parent(parent);
    return parent;
  }

  Owner& owner(const TensorView* tensor) {
    while (memoryOf_[tensor->id()]) tensor = memoryOf_[tensor->id()];
    const auto [place, fresh] = places_.emplace(tensor->id(), mentioned_.size());
    if (fresh) mentioned_.push_back({tensor});
    return mentioned_[place->second];
  }

  void see(hir::HostExpr* expr) {
    if (const auto* segment = std::get_if<hir::Segment>(&expr->node)) {
      // A tensor that only a host scalar reads (its size) needs no memory for that.
      if (segment->scheduler == SchedulerType::ExprEval) return;
      for (const std::vector<const Val*>* vals : {&segment->inputs, &segment->outputs}) {
        for (const Val* val : *vals) {
          if (val->isTensor()) use(val->as<TensorView>(), expr);
        }
      }
      return;
    }
    if (const auto* view = std::get_if<hir::View>(&expr->node)) memoryOf_[view->tensor->id()] = view->source;
    if (const auto* select = std::get_if<hir::HirAliasSelect>(&expr->node)) memoryOf_[select->tensor->id()] = select->source;
    const TensorUses uses = usesOf(program_, expr->node);
    for (const TensorView* tensor : uses.reads) use(tensor, expr);
    for (const TensorView* tensor : uses.writes) use(tensor, expr);
    if (const auto* allocate = std::get_if<hir::Allocate>(&expr->node)) make(allocate->tensor, expr);
    const auto* op = std::get_if<hir::StandaloneOp>(&expr->node);
    if (op && !op->preallocated) {
      for (const TensorView* output : op->outputs) make(output, expr);
    }
  }

  void make(const TensorView* tensor, hir::HostExpr* expr) {
    Owner& made = owner(tensor);
    made.maker = expr;
    made.scope = scopeOf(expr);
    made.last = inScope(made, expr);
  }

  void use(const TensorView* tensor, hir::HostExpr* expr) {
    Owner& used = owner(tensor);
    used.last = inScope(used, expr);
  }

  // The node of the owner's body in which expr stands.
  hir::HostExpr* inScope(const Owner& owner, hir::HostExpr* expr) const {
    while (expr && program_.parent(expr) != owner.scope) expr = program_.parent(expr);
    FUSER_CHECK(expr, "%", owner.tensor->name(), " is used outside the body that allocates it");
    return expr;
  }

  HostIrContainer& program_;
  std::vector<const TensorView*> memoryOf_;  // by id: in whose memory it is; null: its own
  std::vector<Owner> mentioned_;
  std::unordered_map<uint32_t, size_t> places_;  // by id; look-ups only
};

}  // namespace

bool InsertDeallocationsPass::runPass(HostIrContainer& program, OwnRun) { return Inserter(program).run(); }

}  // namespace fuser
