// Prints the full text form of host programs, which parse_host_ir.cpp parses: declarations, then statements.

#include <algorithm>
#include <cctype>
#include <set>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/host_ir/declarations.h"
#include "fuser/host_ir/host_ir_container.h"

namespace fuser {
namespace {

// "%a, %b"
template <class Vals>
std::string names(const Vals& vals) {
  std::string text;
  for (const Val* val : vals) text += concat(text.empty() ? "" : ", ", val ? concat("%", val->name()) : "none");
  return text;
}

std::string typedNames(const std::vector<Val*>& vals) {
  std::string text;
  for (const Val* val : vals) text += concat(text.empty() ? "%" : ", %", val->name(), ": ", declaredType(val));
  return text;
}

class Printer {
 public:
  explicit Printer(const HostIrContainer& program) : program_(program) {}

  std::string print() {
    const Fusion& fusion = program_.fusion();
    communications_ = hostExprsOf<hir::Communication>(program_);
    text_ = deviceText();
    for (const hir::HostExpr* loop : hostExprsOf<hir::ForLoop>(program_)) {
      indices_.push_back(std::get<hir::ForLoop>(loop->node).index);
    }
    for (const hir::HostExpr* get : hostExprsOf<hir::GetCurrentStream>(program_)) {
      saved_.push_back(std::get<hir::GetCurrentStream>(get->node).stream);
    }
    printBody(program_.topLevel(), "  ");
    return concat("host ", fusion.name(), "(", typedNames(fusion.inputs()), ") {\n", declarations(), text_, "  return ",
                  names(fusion.outputs()), "\n}\n");
  }

  std::string operator()(const hir::Allocate& node) const {
    return concat("allocate %", node.tensor->name(), ": ", declaredType(node.tensor),
                  node.slicedAxis ? concat(" {sliced_axis = ", *node.slicedAxis, "}") : "");
  }
  std::string operator()(const hir::Deallocate& node) const { return concat("free %", node.tensor->name()); }
  std::string operator()(const hir::View& node) const {
    return concat("view %", node.tensor->name(), " of %", node.source->name());
  }
  std::string operator()(const hir::Reuse& node) const {
    return concat("reuse %", node.input->name(), " for %", node.tensor->name());
  }
  std::string operator()(const hir::Place& node) const {
    return concat("place %", node.tensor->name(), " in %", node.whole->name());
  }
  std::string operator()(const hir::Copy& node) const {
    return concat("copy %", node.tensor->name(), " to %", node.input->name());
  }
  std::string operator()(const hir::TakeOutput& node) const {
    return concat("take output ", node.output, " for %", node.tensor->name());
  }
  std::string operator()(const hir::CopyToOutput& node) const {
    return concat("copy %", node.tensor->name(), " to output ", node.output);
  }
  std::string operator()(const hir::HirAliasSelect& node) const {
    return concat("select %", node.tensor->name(), ": ", declaredType(node.tensor), " of %", node.source->name(),
                  " {axis = ", node.axis, ", index = ", index(node.index), node.wraps ? ", wraps}" : "}");
  }
  std::string operator()(const hir::HirAliasShard& node) const {
    return concat("shard %", node.tensor->name(), ": ", declaredType(node.tensor), " of %", node.source->name(),
                  " {axis = ", node.axis, ", part = ", node.part, ", parts = ", node.parts, "}");
  }
  std::string operator()(const hir::EvaluateScalars& node) const {
    std::vector<const Val*> results;
    for (const Expr* expr : node.exprs) results.insert(results.end(), expr->outputs().begin(), expr->outputs().end());
    return concat("evaluate ", names(results));
  }
  std::string operator()(const hir::LaunchKernel& node) const { return "launch " + arguments(node); }
  std::string operator()(const hir::RunSegment& node) const {
    return concat("run cache ", node.cache, "(", names(node.inputs), ") -> (", names(node.outputs), ")");
  }
  std::string operator()(const hir::StandaloneOp& node) const {
    std::string text = concat(node.preallocated ? "compute into (" : "compute (", names(node.outputs), ") from (",
                              operands(node.inputs), ") as ", computed(node));
    if (node.withoutAxis) text += concat(" {without_axis = ", *node.withoutAxis, "}");
    if (node.part) text += concat(" {axis = ", node.part->axis, ", parts = ", node.part->parts, "}");
    if (node.launch.kernel >= 0) text += " by " + arguments(node.launch);
    return text;
  }
  std::string operator()(const hir::GetCurrentStream& node) const { return concat("get stream ", stream(node.stream)); }
  std::string operator()(const hir::SetCurrentStream& node) const { return concat("set stream ", stream(node.stream)); }
  std::string operator()(const hir::Synchronize& node) const { return concat("synchronize ", stream(node.stream)); }
  std::string operator()(const hir::Communication& node) const {
    const auto tensor = [](const TensorView* val) { return val ? concat("%", val->name()) : std::string("none"); };
    std::string text = concat(collectiveName(node.kind), " ", tensor(node.send), " -> ", tensor(node.receive),
                              " {team = ", ranksText(node.team));
    if (hasRoot(node.kind)) text += concat(", root = ", node.root);
    if (reduces(node.kind)) text += concat(", reduction = ", reductionName(node.reduction));
    return text + "}";
  }
  // The number of a communication in the program.
  std::string operator()(const hir::Wait& node) const {
    const auto place = std::find(communications_.begin(), communications_.end(), node.communication);
    return concat("wait for communication ", place - communications_.begin());
  }
  std::string operator()(const hir::Segment& node) const {
    return concat("segment ", node.index, " ", schedulerTypeName(node.scheduler), " (", names(node.inputs), ") -> (",
                  names(node.outputs), ")");
  }
  std::string operator()(const hir::ForLoop& node) const {
    return concat("for ", index(node.index), node.overStreams ? " in streams of %" : " in %", node.tensor->name(),
                  " {axis = ", node.axis, "}");
  }
  std::string operator()(const hir::IfThenElse& node) const { return concat("if %", node.condition->name()); }

 private:
  // What the standalone op computes: one expression, by its first result, or several, by results and operands.
  static std::string computed(const hir::StandaloneOp& node) {
    if (node.exprs.empty()) return "set";
    if (node.exprs.size() == 1) return concat("%", node.exprs.front()->output()->name());
    return concat("(", names(node.results), ") of (", operands(node.operands), ")");
  }

  // A literal belongs to the expression and prints as "_".
  static std::string operands(const std::vector<const Val*>& vals) {
    std::string text;
    for (const Val* val : vals) {
      const bool literal = val->isScalar() && val->as<Scalar>()->isConstant();
      text += concat(text.empty() ? "" : ", ", literal ? "_" : concat("%", val->name()));
    }
    return text;
  }

  // Declares the tensors that the bodies name, in order of first occurrence, and the kernels.
  std::string declarations() const {
    const auto values = valuesByName(program_.fusion());
    std::set<std::string_view> seen;
    std::string text;
    const auto isNameByte = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
    for (size_t at = text_.find('%'); at != std::string::npos; at = text_.find('%', at + 1)) {
      size_t end = at + 1;
      while (end < text_.size() && isNameByte(text_[end])) ++end;
      const std::string_view name = std::string_view(text_).substr(at + 1, end - at - 1);
      const auto found = values.find(name);
      if (found == values.end() || !found->second->isTensor() || !seen.insert(name).second) continue;
      const std::string declaration = declarationOf(found->second->as<TensorView>());
      if (!declaration.empty()) text += concat("  tensor ", declaration, "\n");
    }
    for (const Kernel* kernel : program_.kernels) text += concat("  kernel ", kernel->name, "\n");
    return text;
  }

  // "  device 1 of [0, 1] (%x.l0, none) -> (%y.l2)": the device, the fusion's mesh, the device's inputs and outputs.
  std::string deviceText() const {
    if (!program_.device) return "";
    const DeviceMesh& mesh = program_.fusion().mesh();
    return concat("  device ", program_.device->number, mesh.empty() ? "" : " of " + toString(mesh), " (",
                  names(program_.device->inputs), ") -> (", names(program_.device->outputs), ")\n");
  }

  void printBody(const hir::Body& body, const std::string& indentation) {
    for (const hir::HostExpr* expr : body) {
      text_ += indentation + std::visit(*this, expr->node);
      if (hir::bodyCount(expr->node) == 0) {
        text_ += '\n';
        continue;
      }
      text_ += " {\n";
      printBody(program_.body(expr), indentation + "  ");
      if (std::holds_alternative<hir::IfThenElse>(expr->node)) {
        text_ += indentation + "} else {\n";
        printBody(program_.body(expr, 1), indentation + "  ");
      }
      text_ += indentation + "}\n";
    }
  }

  std::string index(IntExpr index) const {
    const auto place = std::find(indices_.begin(), indices_.end(), index);
    return concat("index", place - indices_.begin());
  }

  std::string stream(const hir::Stream* stream) const {
    if (stream->index) return concat("by ", index(stream->index));
    const auto place = std::find(saved_.begin(), saved_.end(), stream);
    return concat("saved", place - saved_.begin());
  }

  std::string arguments(const hir::LaunchKernel& node) const {
    const Kernel& kernel = *program_.kernels.at(static_cast<size_t>(node.kernel));
    std::string ints;
    for (size_t i = 0; i < node.ints.size(); ++i) {
      const IntParam& param = kernel.intParams[i];
      if (i) ints += ", ";
      ints += node.ints[i] ? extentToString(program_.fusion(), node.ints[i])
                           : concat("stride(%", node.tensors.at(static_cast<size_t>(param.tensor))->name(), ", ",
                                    param.axis, ")");
    }
    return concat(kernel.name, "(", names(node.tensors), "; ", ints, "; ", names(node.scalars), ")",
                  workspacesText(kernel));
  }

  const HostIrContainer& program_;
  std::vector<IntExpr> indices_;                // of the loops, in order
  std::vector<const hir::Stream*> saved_;       // what GetCurrentStream fills, in order
  std::vector<hir::HostExpr*> communications_;  // in order
  std::string text_;
};

}  // namespace

std::string toString(const HostIrContainer& program) { return Printer(program).print(); }

}  // namespace fuser
