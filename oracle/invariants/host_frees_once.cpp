// HostFreesOnce: on every path, each allocated tensor that is not an output is freed exactly once; nothing else is
// freed.

#include <algorithm>
#include <utility>

#include "fuser/host_passes/host_ir_pass.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

namespace {

// Of the path to a point of the program, by id of a tensor.
struct Path {
  std::vector<bool> allocated;
  std::vector<int> frees;
};

class Paths {
 public:
  explicit Paths(const HostIrContainer& host)
      : host_(host),
        path_{std::vector<bool>(host.fusion().valCount(), false), std::vector<int>(host.fusion().valCount(), 0)} {}

  std::string check() {
    walk(host_.topLevel());
    for (const std::unique_ptr<Val>& val : host_.fusion().allVals()) {
      const int wanted = host_.isOutput(val.get()) ? 0 : 1, count = path_.frees[val->id()];
      if (path_.allocated[val->id()] && count != wanted)
        note(val.get(), concat("is freed ", count, " times and not ", wanted));
    }
    return problem_;
  }

 private:
  void walk(const hir::Body& body) {
    for (const hir::HostExpr* expr : body) {
      if (const auto* allocate = std::get_if<hir::Allocate>(&expr->node)) make(allocate->tensor);
      const auto* op = std::get_if<hir::StandaloneOp>(&expr->node);
      for (const TensorView* result : op && !op->preallocated ? op->outputs : std::vector<const TensorView*>{}) {
        make(result);
      }
      if (const auto* free = std::get_if<hir::Deallocate>(&expr->node)) {
        if (!path_.allocated[free->tensor->id()]) note(free->tensor, "is freed and was not allocated");
        ++path_.frees[free->tensor->id()];
      }
      if (std::holds_alternative<hir::IfThenElse>(expr->node)) {
        walkWays(expr);
      } else if (hir::bodyCount(expr->node) > 0) {
        // What one turn of a loop frees, the next one may not.
        for (int turn = std::holds_alternative<hir::ForLoop>(expr->node) ? 0 : 1; turn < 2; ++turn) {
          walk(host_.body(expr));
        }
      }
    }
  }

  void make(const TensorView* tensor) {
    if (path_.allocated[tensor->id()] && path_.frees[tensor->id()] == 0) {
      note(tensor, "is allocated again and was not freed");
    }
    path_.allocated[tensor->id()] = true;
    path_.frees[tensor->id()] = 0;
  }

  void walkWays(const hir::HostExpr* expr) {
    const Path before = path_;
    walk(host_.body(expr, 0));
    const Path one = std::exchange(path_, before);
    walk(host_.body(expr, 1));
    for (size_t id = 0; id < before.frees.size(); ++id) {
      // Of what is there on inBothBranches ways.
      const bool inBothBranches = one.allocated[id] && path_.allocated[id];
      if (inBothBranches && one.frees[id] != path_.frees[id])
        note(host_.fusion().allVals()[id].get(), "is freed on one way of an if alone");
      if (!one.allocated[id]) continue;
      path_.frees[id] = std::max(path_.frees[id], one.frees[id]);
      path_.allocated[id] = true;
    }
  }

  void note(const Val* val, const std::string& what) {
    if (problem_.empty()) problem_ = concat("%", val->name(), " ", what);
  }

  const HostIrContainer& host_;
  Path path_;
  std::string problem_;
};

}  // namespace

std::string checkHostFreesOnce(const Compilation& compilation) {
  const bool off =
      compilation.settings.context.options.disabledPasses.count(std::string(InsertDeallocationsPass::name())) != 0;
  return off ? "" : Paths(compilation.host).check();
}

}  // namespace oracle
