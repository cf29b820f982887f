// Text form and verifier of host programs.

#include "fuser/host_ir/host_program.h"

#include <algorithm>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/ir/infer.h"

namespace fuser {
namespace {

// "%a, %b"
template <class Vals>
std::string names(const Vals& vals) {
  std::string text;
  for (const Val* val : vals) text += concat(text.empty() ? "%" : ", %", val->name());
  return text;
}

std::string typedNames(const std::vector<Val*>& vals) {
  std::string text;
  for (const Val* val : vals) text += concat(text.empty() ? "%" : ", %", val->name(), ": ", typeText(val));
  return text;
}

class Printer {
 public:
  explicit Printer(const HostProgram& program) : program_(program) {}

  std::string operator()(const hir::Allocate& node) const {
    return concat("allocate %", node.tensor->name(), ": ", typeText(node.tensor));
  }
  std::string operator()(const hir::Deallocate& node) const { return concat("free %", node.tensor->name()); }
  std::string operator()(const hir::View& node) const {
    return concat("view %", node.tensor->name(), " of %", node.source->name());
  }
  std::string operator()(const hir::Reuse& node) const {
    return concat("reuse %", node.input->name(), " for %", node.tensor->name());
  }
  std::string operator()(const hir::Copy& node) const {
    return concat("copy %", node.tensor->name(), " to %", node.input->name());
  }
  std::string operator()(const hir::EvaluateScalars& node) const {
    std::vector<const Val*> results;
    for (const Expr* expr : node.exprs) results.insert(results.end(), expr->outputs().begin(), expr->outputs().end());
    return concat("evaluate ", names(results));
  }
  std::string operator()(const hir::LaunchKernel& node) const {
    const Kernel& kernel = *program_.kernels.at(static_cast<size_t>(node.kernel));
    std::string ints;
    for (size_t i = 0; i < node.ints.size(); ++i) {
      const IntParam& param = kernel.intParams[i];
      if (i) ints += ", ";
      ints += node.ints[i] ? extentToString(*program_.fusion, node.ints[i])
                           : concat("stride(%", node.tensors.at(static_cast<size_t>(param.tensor))->name(), ", ",
                                    param.axis, ")");
    }
    return concat("launch ", kernel.name, "(", names(node.tensors), "; ", ints, "; ", names(node.scalars), ")");
  }

 private:
  const HostProgram& program_;
};

// Which values exist at a point of the program.
class Verifier {
 public:
  explicit Verifier(const HostProgram& program)
      : program_(program), there_(program.fusion->valCount(), false), reusedBy_(program.fusion->valCount(), nullptr) {
    for (const Val* input : program.fusion->inputs()) there_[input->id()] = true;
  }

  void operator()(const hir::Allocate& node) {
    FUSER_CHECK(!there_.at(node.tensor->id()), "%", node.tensor->name(), " is allocated twice");
    there_[node.tensor->id()] = true;
  }
  void operator()(const hir::Deallocate& node) {
    expect(node.tensor);
    FUSER_CHECK(!node.tensor->isFusionInput() && !node.tensor->isFusionOutput(), "%", node.tensor->name(),
                " is the caller's and must not be freed");
    there_[node.tensor->id()] = false;
  }
  void operator()(const hir::View& node) {
    expect(node.source);
    FUSER_CHECK(!there_.at(node.tensor->id()), "%", node.tensor->name(), " is there already");
    there_[node.tensor->id()] = true;
  }
  void operator()(const hir::Reuse& node) {
    expect(node.input);
    FUSER_CHECK(!there_.at(node.tensor->id()), "%", node.tensor->name(), " is there already");
    FUSER_CHECK(node.tensor->isFusionOutput() && node.input->isFusionInput(), "only an output reuses an input's memory");
    there_[node.tensor->id()] = true;
    reusedBy_[node.tensor->id()] = node.input;
  }
  void operator()(const hir::Copy& node) {
    expect(node.tensor);
    expect(node.input);
    FUSER_CHECK(node.input->isFusionInput(), "%", node.input->name(), " is no input");
    there_[node.input->id()] = false;
  }
  void operator()(const hir::EvaluateScalars& node) {
    for (const Expr* expr : node.exprs) {
      FUSER_CHECK(expr->isScalarExpr(), "%", expr->output()->name(), " is no scalar");
      for (const Val* operand : expr->inputs()) {
        if (operand->isScalar()) expect(operand);  // of a tensor, size reads the extents alone
      }
      for (const Val* output : expr->outputs()) {
        FUSER_CHECK(!there_.at(output->id()), "%", output->name(), " is evaluated twice");
        there_[output->id()] = true;
      }
    }
  }
  void operator()(const hir::LaunchKernel& node) {
    const Kernel& kernel = *program_.kernels.at(static_cast<size_t>(node.kernel));
    FUSER_CHECK(kernel.tensors.size() == node.tensors.size() && kernel.intParams.size() == node.ints.size() &&
                    kernel.scalars.size() == node.scalars.size(),
                kernel.name, " is launched with another number of arguments");
    for (const Val* tensor : node.tensors) expect(tensor);
    for (const Val* scalar : node.scalars) expect(scalar);
    for (size_t i = 0; i < node.tensors.size(); ++i) {
      const Val* input = kernel.tensors[i].written ? reusedBy_.at(node.tensors[i]->id()) : nullptr;
      if (input) there_[input->id()] = false;
    }
  }
  void expect(const Val* val) const {
    const bool literal = val->isScalar() && val->as<Scalar>()->isConstant();
    FUSER_CHECK(literal || there_.at(val->id()), "%", val->name(), " is read where it does not exist");
  }

 private:
  const HostProgram& program_;
  std::vector<bool> there_;            // by id; an input that is overwritten is gone
  std::vector<const Val*> reusedBy_;  // by an output's id: the input whose memory it is written to
};

}  // namespace

std::string toString(const HostProgram& program) {
  std::string text = concat("host ", program.fusion->name(), "(", typedNames(program.fusion->inputs()), ") {\n");
  size_t next = 0;
  const auto printUpTo = [&](size_t end, const char* indentation) {
    for (; next < end; ++next) text += concat(indentation, std::visit(Printer(program), program.nodes[next]), "\n");
  };
  for (const hir::Segment& segment : program.segments) {
    printUpTo(segment.firstNode, "  ");
    text += concat("  segment ", segment.index, " ", schedulerTypeName(segment.scheduler), " (", names(segment.inputs),
                   ") -> (", names(segment.outputs), ") {\n");
    printUpTo(segment.lastNode, "    ");
    text += "  }\n";
  }
  printUpTo(program.nodes.size(), "  ");
  return text + concat("  return ", names(program.fusion->outputs()), "\n}\n");
}

void verifyHostProgram(const HostProgram& program) {
  Verifier verifier(program);
  for (const hir::Node& node : program.nodes) std::visit(verifier, node);
  for (const Val* output : program.fusion->outputs()) verifier.expect(output);
}

}  // namespace fuser
