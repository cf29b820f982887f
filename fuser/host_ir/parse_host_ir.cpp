// The full text of a host program -> the program.

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "fuser/host_ir/declarations.h"
#include "fuser/host_ir/host_ir_container.h"
#include "fuser/host_ir/standalone_op.h"

namespace fuser {
namespace {

// One line, read from left to right.
class Line {
 public:
  Line(std::string_view text, size_t number) : rest_(text), number_(number) { skipSpace(); }

  bool atEnd() const { return rest_.empty(); }
  bool accept(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    skipSpace();
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text)) fail(concat("'", text, "' expected"));
  }
  // Letters, digits, '_' and '.'.
  std::string word() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(),
                                      [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; });
    std::string text(rest_.begin(), end);
    if (text.empty()) fail("a name expected");
    rest_.remove_prefix(text.size());
    skipSpace();
    return text;
  }
  int integer() {
    const std::string text = word();
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) fail(concat("'", text, "' is no integer"));
    return value;
  }
  // What stands before the text, which is dropped with it.
  std::string until(std::string_view text) {
    const size_t place = rest_.find(text);
    if (place == std::string_view::npos) fail(concat("'", text, "' expected"));
    const std::string before(rest_.substr(0, place));
    rest_.remove_prefix(place + text.size());
    skipSpace();
    return before;
  }
  std::string_view rest() const { return rest_; }
  void end() const {
    if (!atEnd()) fail(concat("'", rest_, "' is too much"));
  }
  [[noreturn]] void fail(const std::string& message) const {
    throwUserError(concat("host program, line ", number_, ": ", message));
  }

 private:
  void skipSpace() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\r')) rest_.remove_prefix(1);
  }
  std::string_view rest_;
  size_t number_;
};

class Parser {
 public:
  Parser(std::string_view text, Fusion& fusion, std::span<const Kernel* const> kernels)
      : text_(text), fusion_(fusion), program_(fusion), values_(valuesByName(fusion)) {
    program_.kernels.assign(kernels.begin(), kernels.end());
    for (const IntSymbol& symbol : fusion.ints().symbols()) {
      const Val* scalar = fusion.scalarOf(symbol.expr);
      symbols_.emplace(scalar ? "%" + scalar->name() : symbol.name, symbol.expr);
    }
  }

  HostIrContainer parse() {
    Line header = next();
    header.expect("host ");
    header.expect(fusion_.name());
    header.expect("(");  // the inputs follow from the fusion
    while (parseDeclaration()) {
    }
    if (declaredKernels_ != program_.kernels.size()) next().fail(concat("kernel ", program_.kernels[declaredKernels_]->name, " is not declared"));
    parseDevice();
    parseBody(nullptr, 0, "return ");  // so do the outputs
    Line footer = next();
    footer.expect("}");
    footer.end();
    return std::move(program_);
  }

 private:
  // "tensor %t.s0: f32[i1] {…}", "kernel k0_pointwise". False, and nothing is read, where the line is none.
  bool parseDeclaration() {
    const std::string_view text = text_;
    const size_t number = line_;
    Line line = next();
    if (line.accept("tensor ")) {
      declare(fusion_, line.rest(), values_, [&](const std::string& message) { line.fail(message); });
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

  Line next() {
    if (text_.empty()) Line("", line_ + 1).fail("the text ends too early");
    const size_t end = std::min(text_.find('\n'), text_.size());
    const Line line(text_.substr(0, end), ++line_);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return line;
  }

  // "device 1 (%x.l0, none) -> (%y.l2)", where that stands next
  void parseDevice() {
    const std::string_view text = text_;
    Line line = next();
    if (!line.accept("device ")) {
      text_ = text;
      --line_;
      return;
    }
    HostIrContainer::Device device;
    device.number = line.integer();
    line.expect("(");
    device.inputs = list(line, ")", &Parser::valueOrNone);
    line.expect("->");
    line.expect("(");
    device.outputs = list(line, ")", &Parser::valueOrNone);
    line.end();
    program_.device = std::move(device);
  }

  // --- names ---

  const Val* valueOrNone(Line& line) { return line.accept("none") ? nullptr : value(line); }
  const TensorView* tensorOrNone(Line& line) { return line.accept("none") ? nullptr : tensor(line); }
  const Val* value(Line& line) {
    line.expect("%");
    const std::string name = line.word();
    const auto found = values_.find(name);
    if (found == values_.end()) line.fail(concat("the fusion has no %", name));
    return found->second;
  }
  // Null for "_", a literal.
  const Val* operand(Line& line) { return line.accept("_") ? nullptr : value(line); }
  const TensorView* tensor(Line& line) {
    const Val* val = value(line);
    if (!val->isTensor()) line.fail(concat("%", val->name(), " is no tensor"));
    return val->as<TensorView>();
  }
  const Val* scalar(Line& line) {
    const Val* val = value(line);
    if (!val->isScalar()) line.fail(concat("%", val->name(), " is no scalar"));
    return val;
  }
  // "%a, %b" up to the closing text.
  template <class T>
  std::vector<T> list(Line& line, std::string_view close, T (Parser::*entry)(Line&)) {
    std::vector<T> entries;
    while (!line.accept(close)) {
      if (!entries.empty()) line.expect(",");
      entries.push_back((this->*entry)(line));
    }
    return entries;
  }
  IntExpr index(Line& line) {
    const std::string name = line.word();
    const auto found = indices_.find(name);
    if (found == indices_.end()) line.fail(concat("no loop's index is called ", name));
    return found->second;
  }
  // "{axis = 0"
  size_t axis(Line& line, const TensorView* tensor, std::string_view key = "axis") {
    line.expect("{");
    line.expect(concat(key, " = "));
    const int axis = line.integer();
    if (axis < 0 || static_cast<size_t>(axis) >= tensor->rank()) line.fail(concat("%", tensor->name(), " has no axis ", axis));
    return static_cast<size_t>(axis);
  }
  // "saved0", or "by index0"
  const hir::Stream* stream(Line& line) {
    const std::string name = line.accept("by ") ? "by " + line.word() : line.word();
    const hir::Stream*& known = streams_[name];
    if (!known && name.starts_with("by ")) {
      const auto found = indices_.find(name.substr(3));
      if (found == indices_.end()) line.fail(concat("no loop's index is called ", name.substr(3)));
      known = program_.newStream(found->second);
    }
    if (!known) known = program_.newStream();
    return known;
  }

  // --- bodies ---

  // Up to the line that starts with `close`.
  void parseBody(hir::HostExpr* parent, size_t branch, std::string_view close) {
    if (++depth_ > kMaxDepth) Line("", line_).fail(concat("more than ", kMaxDepth, " bodies in each other"));
    for (Line line = next(); !line.accept(close); line = next()) parseNode(line, parent, branch);
    --depth_;
  }

  void parseNode(Line& line, hir::HostExpr* parent, size_t branch) {
    if (line.accept("segment ")) {
      hir::HostExpr* segment = open(line, parseSegment(line), parent, branch);
      parseBody(segment, 0, "}");
      describe(segment);
    } else if (line.accept("for ")) {
      parseBody(open(line, parseFor(line), parent, branch), 0, "}");
    } else if (line.accept("if ")) {
      hir::HostExpr* made = open(line, hir::IfThenElse{scalar(line)}, parent, branch);
      parseBody(made, 0, "} else {");
      parseBody(made, 1, "}");
    } else {
      hir::Node node = parseLeaf(line);
      line.end();
      const std::string problem = program_.whyNoAlias(node);
      if (!problem.empty()) line.fail(problem);
      hir::HostExpr* expr = program_.append(std::move(node), parent, branch);
      if (std::holds_alternative<hir::Communication>(expr->node)) communications_.push_back(expr);
    }
  }
  hir::HostExpr* open(Line& line, hir::Node node, hir::HostExpr* parent, size_t branch) {
    line.expect("{");
    line.end();
    return program_.append(std::move(node), parent, branch);
  }

  hir::Node parseSegment(Line& line) {
    hir::Segment segment;
    segment.index = line.integer();
    const std::string type = line.word();
    const std::optional<SchedulerType> scheduler = schedulerTypeFromName(type);
    if (!scheduler) line.fail(concat("no scheduler is called ", type));
    segment.scheduler = *scheduler;
    line.expect("(");
    segment.inputs = list(line, ")", &Parser::value);
    line.expect("->");
    line.expect("(");
    segment.outputs = list(line, ")", &Parser::value);
    return segment;
  }
  void describe(hir::HostExpr* expr) {
    hir::Segment& segment = std::get<hir::Segment>(expr->node);
    for (const hir::HostExpr* inner : program_.body(expr)) {
      if (const auto* launch = std::get_if<hir::LaunchKernel>(&inner->node)) segment.kernel = launch->kernel;
      if (const auto* run = std::get_if<hir::RunSegment>(&inner->node)) segment.cache = run->cache;
    }
  }

  hir::Node parseFor(Line& line) {
    const std::string name = line.word();
    hir::ForLoop loop;
    if (indices_.count(name) != 0) line.fail(concat("another loop's index is called ", name));
    loop.index = indices_[name] = fusion_.ints().symbol("StreamIdx");
    line.expect("in ");
    loop.overStreams = line.accept("streams of ");
    loop.tensor = tensor(line);
    loop.axis = axis(line, loop.tensor);
    line.expect("}");
    return loop;
  }

  // --- nodes without a body ---

  hir::Node parseLeaf(Line& line) {
    if (line.accept("allocate ")) {
      hir::Allocate node{tensor(line), std::nullopt};
      line.expect(":");
      line.expect(declaredType(node.tensor));
      if (line.atEnd()) return node;
      node.slicedAxis = axis(line, node.tensor, "sliced_axis");
      line.expect("}");
      return node;
    }
    if (line.accept("free ")) return hir::Deallocate{tensor(line)};
    if (line.accept("view ")) {
      const TensorView* seen = tensor(line);
      line.expect("of");
      return hir::View{seen, tensor(line)};
    }
    if (line.accept("reuse ")) {
      const TensorView* input = tensor(line);
      line.expect("for");
      return hir::Reuse{tensor(line), input};
    }
    if (line.accept("copy ")) {
      const TensorView* from = tensor(line);
      line.expect("to");
      if (line.accept("output ")) return hir::CopyToOutput{from, output(line)};
      return hir::Copy{from, tensor(line)};
    }
    if (line.accept("take output ")) {
      const size_t number = output(line);
      line.expect("for");
      return hir::TakeOutput{tensor(line), number};
    }
    if (line.accept("select ")) return parseSelect(line);
    if (line.accept("shard ")) return parseShard(line);
    if (line.accept("wait for communication ")) return parseWait(line);
    for (CollectiveKind kind : kAllCollectiveKinds) {
      if (line.accept(concat(collectiveName(kind), " "))) return parseCommunication(line, kind);
    }
    if (line.accept("get stream ")) return hir::GetCurrentStream{stream(line)};
    if (line.accept("set stream ")) return hir::SetCurrentStream{stream(line)};
    if (line.accept("synchronize ")) return hir::Synchronize{stream(line)};
    if (line.accept("evaluate ")) return parseEvaluate(line);
    if (line.accept("run cache ")) return parseRun(line);
    if (line.accept("compute ")) return parseCompute(line);
    line.expect("launch ");
    return parseLaunch(line);
  }

  size_t output(Line& line) const {
    const int number = line.integer();
    if (number < 0 || static_cast<size_t>(number) >= fusion_.outputs().size()) line.fail(concat("there is no output ", number));
    return static_cast<size_t>(number);
  }

  // "%s: f32[i1] of %t {axis = 0, index = index0}"
  hir::Node parseSelect(Line& line) {
    const Seen seen = seenTensor(line);
    const TensorView* source = tensor(line);
    hir::HirAliasSelect node{nullptr, source, axis(line, source), nullptr, false};
    line.expect(", index = ");
    node.index = index(line);
    node.wraps = line.accept(", wraps");
    line.expect("}");
    node.tensor = seenAs(line, seen, [&] { return newSlice(fusion_, source, node.axis, seen.name); });
    return node;
  }

  // "%s: f32[(i0 // 2)] of %t {axis = 0, part = 1, parts = 2}"
  hir::Node parseShard(Line& line) {
    const Seen seen = seenTensor(line);
    const TensorView* source = tensor(line);
    hir::HirAliasShard node{nullptr, source, axis(line, source), 0, 1};
    line.expect(", part = ");
    node.part = line.integer();
    line.expect(", parts = ");
    node.parts = line.integer();
    line.expect("}");
    if (node.part < 0 || node.part >= node.parts) line.fail(concat("there is no part ", node.part, " of ", node.parts));
    node.tensor = seenAs(line, seen,
                         [&] { return newPart(fusion_, source, node.axis, node.parts, PartMemory::InSource, seen.name); });
    return node;
  }

  // "%s: f32[i1] of"
  struct Seen {
    std::string name, type;
  };
  Seen seenTensor(Line& line) {
    line.expect("%");
    const std::string name = line.word();
    line.expect(":");
    return {name, line.until(" of ")};
  }
  // The tensor of that name, made where the fusion has none.
  template <class Make>
  const TensorView* seenAs(Line& line, const Seen& seen, Make&& make) {
    const Val*& known = values_[seen.name];
    if (known && !known->isTensor()) line.fail(concat("%", seen.name, " is no tensor"));
    if (!known) known = make();
    if (declaredType(known) != seen.type) line.fail(concat("'", declaredType(known), "' expected"));
    return known->as<TensorView>();
  }

  // "%a -> none {team = [0, 1], root = 0, reduction = sum}"
  hir::Node parseCommunication(Line& line, CollectiveKind kind) {
    hir::Communication node;
    node.kind = kind;
    node.send = tensorOrNone(line);
    line.expect("->");
    node.receive = tensorOrNone(line);
    line.expect("{");
    line.expect("team = ");
    line.expect("[");
    node.team = list(line, "]", &Parser::device);
    if (hasRoot(kind)) {
      line.expect(", root = ");
      node.root = line.integer();
    }
    if (reduces(kind)) {
      line.expect(", reduction = ");
      const std::string name = line.word();
      const auto found = std::find_if(std::begin(kAllReductions), std::end(kAllReductions),
                                      [&](Reduction reduction) { return reductionName(reduction) == name; });
      if (found == std::end(kAllReductions)) line.fail(concat("no reduction is called ", name));
      node.reduction = *found;
    }
    line.expect("}");
    return node;
  }
  int device(Line& line) { return line.integer(); }

  hir::Node parseWait(Line& line) {
    const int number = line.integer();
    if (number < 0 || static_cast<size_t>(number) >= communications_.size()) {
      line.fail(concat("no communication ", number, " stands before this"));
    }
    return hir::Wait{communications_[static_cast<size_t>(number)]};
  }

  hir::Node parseRun(Line& line) {
    hir::RunSegment node;
    node.cache = line.integer();
    line.expect("(");
    node.inputs = list(line, ")", &Parser::value);
    line.expect("->");
    line.expect("(");
    node.outputs = list(line, ")", &Parser::tensor);
    return node;
  }

  hir::Node parseEvaluate(Line& line) {
    hir::EvaluateScalars node;
    do {
      const Val* result = value(line);
      if (!result->isScalar() || !result->definition())
        line.fail(concat("%", result->name(), " is no computed scalar"));
      node.exprs.push_back(result->definition());
    } while (line.accept(","));
    return node;
  }

  hir::Node parseCompute(Line& line) {
    hir::StandaloneOp node;
    node.preallocated = line.accept("into ");
    line.expect("(");
    node.outputs = list(line, ")", &Parser::tensor);
    line.expect("from ");
    line.expect("(");
    node.inputs = list(line, ")", &Parser::operand);
    line.expect("as ");
    if (line.accept("set")) {
      if (line.accept("by ")) node.launch = parseLaunch(line);
      return node;
    }
    const TensorView* made = tensor(line);
    if (!made->definition()) line.fail(concat("%", made->name(), " is no result of an expression"));
    node.expr = made->definition();
    if (node.inputs.size() != node.expr->inputs().size()) line.fail(concat("%", made->name(), " has another number of operands"));
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!node.inputs[i]) node.inputs[i] = node.expr->input(i);
    }
    if (line.accept("{without_axis = ")) {
      node.withoutAxis = static_cast<size_t>(line.integer());
      line.expect("}");
    }
    if (line.accept("{")) {
      line.expect("axis = ");
      hir::StandaloneOp::Part part;
      part.axis = static_cast<size_t>(line.integer());
      line.expect(", parts = ");
      part.parts = line.integer();
      if (part.parts < 1) line.fail(concat("there are no ", part.parts, " parts"));
      line.expect("}");
      node.part = part;
    }
    if (line.accept("by ")) node.launch = parseLaunch(line);
    return node;
  }

  hir::LaunchKernel parseLaunch(Line& line) {
    const std::string name = line.word();
    const auto kernel = std::find_if(program_.kernels.begin(), program_.kernels.end(),
                                     [&](const Kernel* candidate) { return candidate->name == name; });
    if (kernel == program_.kernels.end()) line.fail(concat("no kernel is called ", name));
    hir::LaunchKernel node;
    node.kernel = static_cast<int>(kernel - program_.kernels.begin());
    line.expect("(");
    node.tensors = list(line, ";", &Parser::tensor);
    node.ints = list(line, ";", &Parser::extent);
    node.scalars = list(line, ")", &Parser::scalar);
    checkArguments(line, **kernel, node);
    return node;
  }

  // As many as the kernel takes, strides where it takes them: what they are is the verifier's to say.
  static void checkArguments(const Line& line, const Kernel& kernel, const hir::LaunchKernel& node) {
    bool fits = kernel.tensors.size() == node.tensors.size() && kernel.intParams.size() == node.ints.size() &&
                kernel.scalars.size() == node.scalars.size();
    for (size_t i = 0; fits && i < node.ints.size(); ++i) fits = (node.ints[i] == nullptr) == (kernel.intParams[i].tensor >= 0);
    if (fits) return;
    line.fail(concat(kernel.name, " takes ", kernel.tensors.size(), " tensors, ", kernel.intParams.size(), " integers and ",
                     kernel.scalars.size(), " scalars, and other ones are given"));
  }

  // A symbol, or null for "stride(%x, 0)": which one follows from the kernel.
  IntExpr extent(Line& line) {
    if (line.accept("stride(")) {
      tensor(line);
      line.expect(",");
      line.integer();
      line.expect(")");
      return nullptr;
    }
    const bool scalar = line.accept("%");
    const std::string name = scalar ? "%" + line.word() : line.word();
    const auto val = scalar ? values_.find(name.substr(1)) : values_.end();
    const bool integer = val != values_.end() && val->second->isScalar() && val->second->dtype() == DataType::Int64;
    if (integer && symbols_.count(name) == 0) {
      return fusion_.scalarSymbol(fusion_.allVals().at(val->second->id()).get());
    }
    const auto found = symbols_.find(name);
    if (found == symbols_.end()) line.fail(concat("no extent is called ", name));
    return found->second;
  }

  static constexpr size_t kMaxDepth = 64;

  std::string_view text_;
  size_t line_ = 0;
  size_t depth_ = 0;
  size_t declaredKernels_ = 0;
  Fusion& fusion_;
  HostIrContainer program_;
  std::map<std::string, const Val*, std::less<>> values_;
  std::unordered_map<std::string, IntExpr> symbols_;
  std::unordered_map<std::string, IntExpr> indices_;
  std::unordered_map<std::string, const hir::Stream*> streams_;
  std::vector<const hir::HostExpr*> communications_;  // so far
};

}  // namespace

HostIrContainer parseHostIr(std::string_view text, Fusion& fusion, std::span<const Kernel* const> kernels) {
  return Parser(text, fusion, kernels).parse();
}

}  // namespace fuser
