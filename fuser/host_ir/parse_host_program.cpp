// Text of a host program -> the program.

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "fuser/host_ir/host_program.h"
#include "fuser/ir/infer.h"

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
  Parser(std::string_view text, const Fusion& fusion, std::span<const Kernel* const> kernels) : text_(text) {
    program_.fusion = &fusion;
    program_.kernels.assign(kernels.begin(), kernels.end());
    for (const Val* val : fusion.usedVals()) values_.emplace(val->name(), val);
    for (const IntSymbol& symbol : fusion.ints().symbols()) {
      if (!fusion.scalarOf(symbol.expr)) symbols_.emplace(symbol.name, symbol.expr);
      if (const Val* scalar = fusion.scalarOf(symbol.expr)) symbols_.emplace("%" + scalar->name(), symbol.expr);
    }
  }

  HostProgram parse() {
    Line header = next();
    header.expect("host ");
    header.expect(program_.fusion->name());
    header.expect("(");  // the inputs follow from the fusion
    for (;;) {
      Line line = next();
      if (line.accept("segment ")) {
        parseSegment(line);
      } else if (line.accept("return ")) {
        break;  // so do the outputs
      } else {
        program_.nodes.push_back(parseNode(line));
      }
    }
    Line footer = next();
    footer.expect("}");
    footer.end();
    return std::move(program_);
  }

 private:
  Line next() {
    if (text_.empty()) Line("", line_ + 1).fail("the text ends too early");
    const size_t end = std::min(text_.find('\n'), text_.size());
    const Line line(text_.substr(0, end), ++line_);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return line;
  }

  const Val* value(Line& line) {
    line.expect("%");
    const std::string name = line.word();
    const auto found = values_.find(name);
    if (found == values_.end()) line.fail(concat("the fusion has no %", name));
    return found->second;
  }
  const TensorView* tensor(Line& line) {
    const Val* val = value(line);
    if (!val->isTensor()) line.fail(concat("%", val->name(), " is no tensor"));
    return val->as<TensorView>();
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

  void parseSegment(Line& line) {
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
    line.expect("{");
    line.end();
    segment.firstNode = program_.nodes.size();
    for (Line inner = next(); !inner.accept("}"); inner = next()) {
      program_.nodes.push_back(parseNode(inner));
      const auto* launch = std::get_if<hir::LaunchKernel>(&program_.nodes.back());
      if (launch) segment.kernel = launch->kernel;
    }
    segment.lastNode = program_.nodes.size();
    program_.segments.push_back(std::move(segment));
  }

  hir::Node parseNode(Line& line) {
    if (line.accept("allocate ")) {
      const hir::Allocate node{tensor(line)};
      line.expect(":");
      line.expect(typeText(node.tensor));
      line.end();
      return node;
    }
    if (line.accept("free ")) {
      const hir::Deallocate node{tensor(line)};
      line.end();
      return node;
    }
    if (line.accept("view ")) {
      const TensorView* seen = tensor(line);
      line.expect("of");
      const hir::View node{seen, tensor(line)};
      line.end();
      return node;
    }
    if (line.accept("reuse ")) {
      const TensorView* input = tensor(line);
      line.expect("for");
      const hir::Reuse node{tensor(line), input};
      line.end();
      return node;
    }
    if (line.accept("copy ")) {
      const TensorView* from = tensor(line);
      line.expect("to");
      const hir::Copy node{from, tensor(line)};
      line.end();
      return node;
    }
    if (line.accept("evaluate ")) return parseEvaluate(line);
    line.expect("launch ");
    return parseLaunch(line);
  }

  hir::Node parseEvaluate(Line& line) {
    hir::EvaluateScalars node;
    do {
      const Val* result = value(line);
      if (!result->isScalar() || !result->definition())
        line.fail(concat("%", result->name(), " is no computed scalar"));
      node.exprs.push_back(result->definition());
    } while (line.accept(","));
    line.end();
    return node;
  }

  hir::Node parseLaunch(Line& line) {
    const std::string name = line.word();
    const auto kernel = std::find_if(program_.kernels.begin(), program_.kernels.end(),
                                     [&](const Kernel* candidate) { return candidate->name == name; });
    if (kernel == program_.kernels.end()) line.fail(concat("no kernel is called ", name));
    hir::LaunchKernel node;
    node.kernel = static_cast<int>(kernel - program_.kernels.begin());
    line.expect("(");
    node.tensors = list(line, ";", &Parser::tensor);
    node.ints = list(line, ";", &Parser::extent);
    node.scalars = list(line, ")", &Parser::value);
    line.end();
    return node;
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
    const std::string name = line.accept("%") ? "%" + line.word() : line.word();
    const auto found = symbols_.find(name);
    if (found == symbols_.end()) line.fail(concat("no extent is called ", name));
    return found->second;
  }

  std::string_view text_;
  size_t line_ = 0;
  HostProgram program_;
  std::unordered_map<std::string, const Val*> values_;
  std::unordered_map<std::string, IntExpr> symbols_;
};

}  // namespace

HostProgram parseHostProgram(std::string_view text, const Fusion& fusion, std::span<const Kernel* const> kernels) {
  return Parser(text, fusion, kernels).parse();
}

}  // namespace fuser
