// Lists the tensors that a node of host IR reads and writes.

#include "fuser/host_ir/host_ir_container.h"

namespace fuser {
namespace {

class Collector {
 public:
  explicit Collector(const HostIrContainer& program) : program_(program) {}

  void operator()(const hir::Allocate& node) { uses.writes.push_back(node.tensor); }
  void operator()(const hir::Deallocate& node) { uses.writes.push_back(node.tensor); }
  void operator()(const hir::View& node) { uses.reads.push_back(node.source); }
  void operator()(const hir::Reuse& node) { uses.reads.push_back(node.input); }
  void operator()(const hir::Place& node) { uses.reads.push_back(node.whole); }
  void operator()(const hir::Copy& node) {
    uses.reads.push_back(node.tensor);
    uses.writes.push_back(node.input);
  }
  void operator()(const hir::TakeOutput& node) { uses.writes.push_back(node.tensor); }
  void operator()(const hir::CopyToOutput& node) { uses.reads.push_back(node.tensor); }
  void operator()(const hir::HirAliasSelect& node) { uses.reads.push_back(node.source); }
  void operator()(const hir::HirAliasShard& node) { uses.reads.push_back(node.source); }
  void operator()(const hir::EvaluateScalars& node) {
    for (const Expr* expr : node.exprs) {
      if (expr->family() == Family::Item) uses.reads.push_back(expr->input(0)->as<TensorView>());
    }
  }
  void operator()(const hir::LaunchKernel& node) {
    const Kernel& kernel = *program_.kernels.at(static_cast<size_t>(node.kernel));
    for (size_t i = 0; i < node.tensors.size(); ++i) {
      (kernel.tensors.at(i).written ? uses.writes : uses.reads).push_back(node.tensors[i]);
    }
  }
  void operator()(const hir::RunSegment& node) {
    read(node.inputs);
    uses.writes = node.outputs;
  }
  void operator()(const hir::StandaloneOp& node) {
    read(node.inputs);
    uses.writes = node.outputs;
  }
  void operator()(const hir::GetCurrentStream&) {}
  void operator()(const hir::SetCurrentStream&) {}
  void operator()(const hir::Synchronize&) {}
  void operator()(const hir::Communication& node) {
    if (node.send) uses.reads.push_back(node.send);
    if (node.receive) uses.writes.push_back(node.receive);
  }
  void operator()(const hir::Wait& node) { (*this)(std::get<hir::Communication>(node.communication->node)); }
  void operator()(const hir::Segment&) {}
  void operator()(const hir::ForLoop&) {}
  void operator()(const hir::IfThenElse&) {}

  TensorUses uses;

 private:
  void read(const std::vector<const Val*>& vals) {
    for (const Val* val : vals) {
      if (val->isTensor()) uses.reads.push_back(val->as<TensorView>());
    }
  }

  const HostIrContainer& program_;
};

}  // namespace

TensorUses usesOf(const HostIrContainer& program, const hir::Node& node) {
  Collector collector(program);
  std::visit(collector, node);
  return std::move(collector.uses);
}

}  // namespace fuser
