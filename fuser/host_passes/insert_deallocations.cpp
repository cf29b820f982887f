// InsertDeallocationsPass: frees each tensor that the program allocates after its last use on every path: the last node
// that accesses it or a tensor in its memory. If that is an IfThenElse, each branch frees it after its last use there,
// or at its beginning if it has none. A loop that uses a tensor from outside counts as one node, because it may iterate
// again. Fusion outputs are not freed.

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "fuser/host_passes/host_ir_pass.h"

namespace fuser {
namespace {

class Inserter {
 public:
  explicit Inserter(HostIrContainer& program) : program_(program) {}

  bool run() {
    // In program order, which is the order in which tensors with the same last use are freed.
    forEachHostExpr(program_, [&](hir::HostExpr* expr) { see(expr); });
    bool changed = false;
    for (const Owner& owner : mentioned_) {
      if (owner.makers.empty() || program_.isOutput(owner.tensor)) continue;
      free(owner, scopeOf(owner), false);
      changed = true;
    }
    return changed;
  }

 private:
  struct Owner {
    const TensorView* tensor = nullptr;
    std::vector<hir::HostExpr*> makers;  // none: it is not the program's
    std::vector<hir::HostExpr*> uses;    // makers included
    std::set<const hir::HostExpr*> touching;  // look-ups only: uses, and what they stand in
  };
  // A body of a node, or the top level (null).
  struct Scope {
    hir::HostExpr* parent = nullptr;
    size_t branch = 0;
    auto operator<=>(const Scope&) const = default;
  };

  const hir::Body& bodyOf(const Scope& scope) const {
    return scope.parent ? program_.body(scope.parent, scope.branch) : program_.topLevel();
  }
  Scope around(const hir::HostExpr* expr) const {
    hir::HostExpr* parent = program_.parent(expr);
    if (!parent) return {};
    const hir::Body& first = program_.body(parent, 0);
    return {parent, std::find(first.begin(), first.end(), expr) == first.end() ? size_t{1} : size_t{0}};
  }

  // The bodies that contain a node, outermost first. A segment's body does not count, because other segments read what
  // it allocates.
  std::vector<Scope> scopesAround(const hir::HostExpr* expr) const {
    std::vector<Scope> scopes;
    for (; expr; expr = program_.parent(expr)) {
      const Scope scope = around(expr);
      if (!scope.parent || !std::holds_alternative<hir::Segment>(scope.parent->node)) scopes.push_back(scope);
    }
    std::reverse(scopes.begin(), scopes.end());
    return scopes;
  }

  // The innermost body that contains all uses.
  Scope scopeOf(const Owner& owner) const {
    std::vector<Scope> common = scopesAround(owner.uses.front());
    for (const hir::HostExpr* use : owner.uses) {
      const std::vector<Scope> other = scopesAround(use);
      const size_t length = std::min(common.size(), other.size());
      common.resize(static_cast<size_t>(
          std::mismatch(common.begin(), common.begin() + static_cast<std::ptrdiff_t>(length), other.begin()).first -
          common.begin()));
    }
    for (const hir::HostExpr* maker : owner.makers) {
      // Each iteration of a loop allocates its own.
      for (const hir::HostExpr* outer = program_.parent(maker); outer && outer != common.back().parent;
           outer = program_.parent(outer)) {
        FUSER_CHECK(!std::holds_alternative<hir::ForLoop>(outer->node), "%", owner.tensor->name(),
                    " is used outside the body that allocates it");
      }
    }
    return common.back();
  }

  // `there`: it was allocated before the body.
  void free(const Owner& owner, const Scope& scope, bool there) {
    const hir::Body body = bodyOf(scope);
    const auto last = std::find_if(body.rbegin(), body.rend(),
                                   [&](const hir::HostExpr* expr) { return owner.touching.count(expr) != 0; });
    if (last == body.rend()) {
      if (there) freeFirst(owner.tensor, scope);
      return;
    }
    if (!std::holds_alternative<hir::IfThenElse>((*last)->node)) {
      freeBehind(owner.tensor, *last);
      return;
    }
    const bool before = there || std::any_of(last + 1, body.rend(), [&](const hir::HostExpr* expr) {
                          return owner.touching.count(expr) != 0;
                        });
    for (size_t branch : {0, 1}) free(owner, {*last, branch}, before);
  }

  // Both insert after the nodes that free tensors there already.
  void freeBehind(const TensorView* tensor, hir::HostExpr* place) {
    hir::HostExpr*& last = freedBehind_[place];
    last = program_.insertAfter(last ? last : place, hir::Deallocate{tensor});
  }
  void freeFirst(const TensorView* tensor, const Scope& scope) {
    hir::HostExpr*& last = freedFirst_[scope];
    const hir::Body& body = bodyOf(scope);
    last = last           ? program_.insertAfter(last, hir::Deallocate{tensor})
           : body.empty() ? program_.append(hir::Deallocate{tensor}, scope.parent, scope.branch)
                          : program_.insertBefore(body.front(), hir::Deallocate{tensor});
  }

  Owner& owner(const TensorView* tensor) {
    const auto [place, fresh] = places_.emplace(tensor->id(), mentioned_.size());
    if (fresh) mentioned_.push_back({tensor, {}, {}, {}});
    return mentioned_[place->second];
  }

  void see(hir::HostExpr* expr) {
    if (const auto* segment = std::get_if<hir::Segment>(&expr->node)) {
      // A host scalar that reads only the tensor's size needs no memory of it.
      if (segment->scheduler == SchedulerType::ExprEval) return;
      for (const std::vector<const Val*>* vals : {&segment->inputs, &segment->outputs}) {
        for (const Val* val : *vals) {
          if (val->isTensor()) use(val->as<TensorView>(), expr);
        }
      }
      return;
    }
    const TensorUses uses = usesOf(program_, expr->node);
    for (const TensorView* tensor : uses.reads) use(tensor, expr);
    for (const TensorView* tensor : uses.writes) use(tensor, expr);
    if (const auto* allocate = std::get_if<hir::Allocate>(&expr->node)) owner(allocate->tensor).makers.push_back(expr);
    const auto* op = std::get_if<hir::StandaloneOp>(&expr->node);
    if (op && !op->preallocated) {
      for (const TensorView* output : op->outputs) owner(output).makers.push_back(expr);
    }
  }

  // An access counts as a use of every tensor whose memory it may use.
  void use(const TensorView* tensor, hir::HostExpr* expr) {
    Owner& used = owner(tensor);
    used.uses.push_back(expr);
    for (const hir::HostExpr* outer = expr; outer; outer = program_.parent(outer)) used.touching.insert(outer);
    for (const TensorView* source : program_.aliasesOf(tensor)) use(source, expr);
  }

  HostIrContainer& program_;
  std::vector<Owner> mentioned_;
  std::unordered_map<uint32_t, size_t> places_;                     // by id; look-ups only
  std::unordered_map<hir::HostExpr*, hir::HostExpr*> freedBehind_;  // look-ups only
  std::map<Scope, hir::HostExpr*> freedFirst_;                      // look-ups only
};

}  // namespace

bool InsertDeallocationsPass::runPass(HostIrContainer& program, OwnRun) { return Inserter(program).run(); }

}  // namespace fuser
