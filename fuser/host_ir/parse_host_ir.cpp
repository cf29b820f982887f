// Parses the full text form of a host program: header, declarations and bodies. parse_statement.cpp parses the single
// statements.

#include <algorithm>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/host_ir/parse_statement.h"

namespace fuser {
namespace {

class Parser {
 public:
  Parser(std::string_view text, Fusion& fusion, std::span<const Kernel* const> kernels)
      : text_(text), fusion_(fusion), program_(fusion), names_(program_) {
    program_.kernels.assign(kernels.begin(), kernels.end());
  }

  HostIrContainer parse() {
    HostIrLine header = next();
    header.expect("host ");
    header.expect(fusion_.name());
    header.expect("(");  // the inputs follow from the fusion
    while (parseDeclaration()) {
    }
    if (declaredKernels_ != program_.kernels.size()) {
      next().fail(concat("kernel ", program_.kernels[declaredKernels_]->name, " is not declared"));
    }
    parseDevice();
    parseBody(nullptr, 0, "return ");  // so do the outputs
    HostIrLine footer = next();
    footer.expect("}");
    footer.end();
    return std::move(program_);
  }

 private:
  // Parses "tensor %t.s0: f32[i1] {…}" or "kernel k0_pointwise". Returns false, without reading, for any other line.
  bool parseDeclaration() {
    const std::string_view text = text_;
    const size_t number = line_;
    HostIrLine line = next();
    if (line.accept("tensor ")) {
      names_.declareTensor(line);
      return true;
    }
    if (line.accept("kernel ")) {
      const std::string name = line.word();
      line.end();
      if (declaredKernels_ == program_.kernels.size() || program_.kernels[declaredKernels_]->name != name) {
        line.fail(concat("kernel ", declaredKernels_, " is not ", name));
      }
      ++declaredKernels_;
      return true;
    }
    text_ = text;
    line_ = number;
    return false;
  }

  HostIrLine next() {
    if (text_.empty()) HostIrLine("", line_ + 1).fail("the text ends too early");
    const size_t end = std::min(text_.find('\n'), text_.size());
    const HostIrLine line(text_.substr(0, end), ++line_);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return line;
  }

  // Parses "device 1 of [0, 1] (%x.l0, none) -> (%y.l2)" if it comes next.
  void parseDevice() {
    const std::string_view text = text_;
    HostIrLine line = next();
    if (!line.accept("device ")) {
      text_ = text;
      --line_;
      return;
    }
    HostIrContainer::Device device;
    device.number = line.integer();
    const DeviceMesh& mesh = fusion_.mesh();
    if (!mesh.empty() && !line.accept(concat("of ", toString(mesh))))
      line.fail(concat("'of ", toString(mesh), "' expected, the devices of the fusion"));
    line.expect("(");
    device.inputs = names_.list(line, ")", &HostIrNames::valueOrNone);
    line.expect("->");
    line.expect("(");
    device.outputs = names_.list(line, ")", &HostIrNames::valueOrNone);
    line.end();
    program_.device = std::move(device);
  }

  // --- bodies ---

  // Parses statements up to the line that starts with `close`.
  void parseBody(hir::HostExpr* parent, size_t branch, std::string_view close) {
    if (++depth_ > kMaxDepth) HostIrLine("", line_).fail(concat("more than ", kMaxDepth, " bodies in each other"));
    for (HostIrLine line = next(); !line.accept(close); line = next()) parseNode(line, parent, branch);
    --depth_;
  }

  void parseNode(HostIrLine& line, hir::HostExpr* parent, size_t branch) {
    if (line.accept("segment ")) {
      hir::HostExpr* segment = open(line, parseSegment(line), parent, branch);
      parseBody(segment, 0, "}");
      describe(segment);
    } else if (line.accept("for ")) {
      parseBody(open(line, parseFor(line), parent, branch), 0, "}");
    } else if (line.accept("if ")) {
      hir::HostExpr* hostExpr = open(line, hir::IfThenElse{names_.scalar(line)}, parent, branch);
      parseBody(hostExpr, 0, "} else {");
      parseBody(hostExpr, 1, "}");
    } else {
      hir::Node node = parseStatement(line, names_);
      line.end();
      const std::string problem = program_.whyNoAlias(node);
      if (!problem.empty()) line.fail(problem);
      hir::HostExpr* expr = program_.append(std::move(node), parent, branch);
      if (std::holds_alternative<hir::Communication>(expr->node)) names_.addCommunication(expr);
    }
  }
  hir::HostExpr* open(HostIrLine& line, hir::Node node, hir::HostExpr* parent, size_t branch) {
    line.expect("{");
    line.end();
    return program_.append(std::move(node), parent, branch);
  }

  hir::Node parseSegment(HostIrLine& line) {
    hir::Segment segment;
    segment.index = line.integer();
    const std::string type = line.word();
    const std::optional<SchedulerType> scheduler = schedulerTypeFromName(type);
    if (!scheduler) line.fail(concat("no scheduler is called ", type));
    segment.scheduler = *scheduler;
    line.expect("(");
    segment.inputs = names_.list(line, ")", &HostIrNames::value);
    line.expect("->");
    line.expect("(");
    segment.outputs = names_.list(line, ")", &HostIrNames::value);
    return segment;
  }
  void describe(hir::HostExpr* expr) {
    hir::Segment& segment = std::get<hir::Segment>(expr->node);
    for (const hir::HostExpr* inner : program_.body(expr)) {
      if (const auto* launch = std::get_if<hir::LaunchKernel>(&inner->node)) segment.kernel = launch->kernel;
      if (const auto* run = std::get_if<hir::RunSegment>(&inner->node)) segment.cache = run->cache;
    }
  }

  hir::Node parseFor(HostIrLine& line) {
    const std::string name = line.word();
    hir::ForLoop loop;
    loop.index = names_.newIndex(line, name);
    line.expect("in ");
    loop.overStreams = line.accept("streams of ");
    loop.tensor = names_.tensor(line);
    loop.axis = names_.axis(line, loop.tensor);
    line.expect("}");
    return loop;
  }

  static constexpr size_t kMaxDepth = 64;

  std::string_view text_;
  size_t line_ = 0;
  size_t depth_ = 0;
  size_t declaredKernels_ = 0;
  Fusion& fusion_;
  HostIrContainer program_;
  HostIrNames names_;
};

}  // namespace

HostIrContainer parseHostIr(std::string_view text, Fusion& fusion, std::span<const Kernel* const> kernels) {
  return Parser(text, fusion, kernels).parse();
}

}  // namespace fuser
