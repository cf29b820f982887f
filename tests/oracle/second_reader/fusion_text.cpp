#include "tests/oracle/second_reader/fusion_text.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace second_reader {
namespace {

bool isName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

size_t endOfNumber(std::string_view text, size_t at) {
  while (at < text.size() && (isDigit(text[at]) || text[at] == '.')) ++at;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    while (at < text.size() && isDigit(text[at])) ++at;
  }
  return at;
}

size_t endOfToken(std::string_view text, size_t at) {
  if (isDigit(text[at])) return endOfNumber(text, at);
  if (text[at] == '"') {
    for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\';
    return at + 1;
  }
  if (text.substr(at, 2) == "//" || text.substr(at, 2) == "->") return at + 2;
  const bool named = isName(text[at]) || text[at] == '%';
  ++at;
  while (named && at < text.size() && isName(text[at])) ++at;
  return at;
}

// Comments and "#:" lines are dropped alike.
Tokens tokensOf(std::string_view text) {
  Tokens tokens;
  int line = 1;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (std::isspace(static_cast<unsigned char>(text[at]))) {
      line += text[at++] == '\n';
    } else {
      const size_t end = endOfToken(text, at);
      tokens.push_back({std::string(text.substr(at, end - at)), line});
      at = end;
    }
  }
  tokens.push_back({"", line});
  return tokens;
}

bool opens(const std::string& text) { return text == "(" || text == "[" || text == "{"; }
bool closes(const std::string& text) { return text == ")" || text == "]" || text == "}"; }

class ProgramReader {
 public:
  explicit ProgramReader(std::string_view text) : tokens_(tokensOf(text)) {}

  Program read() {
    expect("fusion");
    if (!at("(")) next();
    readFusion();
    size_t judged = 0;
    while (!at("")) {
      if (accept("run")) {
        readRun();
      } else if (accept("expect")) {
        const std::string expectation = readExpectation();
        for (; judged < program_.runs.size(); ++judged) program_.runs[judged].expectation = expectation;
      } else {
        skipSetting();
      }
    }
    return std::move(program_);
  }

 private:
  const std::string& peek() const { return tokens_[next_].text; }
  bool at(const char* text) const { return peek() == text; }
  Token next() { return at("") ? fail("the text ends") : tokens_[next_++]; }
  bool accept(const char* text) {
    if (!at(text)) return false;
    ++next_;
    return true;
  }
  void expect(const char* text) {
    if (!accept(text)) fail(std::string("expected ") + text);
  }
  Token fail(const std::string& what) const {
    throw std::runtime_error("second reader, line " + std::to_string(tokens_[next_].line) + ": " + what + " before '" +
                             peek() + "'");
  }
  bool atValue() const { return peek().starts_with("%"); }
  std::string value() { return atValue() ? next().text.substr(1) : fail("expected a value").text; }

  // Everything up to a comma or a closing bracket of the level around, or to one of the words.
  Tokens until(std::initializer_list<const char*> words) {
    Tokens tokens;
    for (int depth = 0;;) {
      const std::string& text = peek();
      bool ends = depth == 0 && closes(text);
      for (const char* word : words) ends |= depth == 0 && text == word;
      if (ends) return tokens;
      depth += opens(text) - closes(text);
      tokens.push_back(next());
    }
  }

  std::vector<Tokens> list(const char* open, const char* close) {
    std::vector<Tokens> entries;
    expect(open);
    while (!accept(close)) {
      entries.push_back(until({","}));
      accept(",");
    }
    return entries;
  }

  void skipBraces() {
    if (accept("{")) {
      for (int depth = 1; depth > 0;) {
        const Token token = next();
        depth += opens(token.text) - closes(token.text);
      }
    }
  }

  Type type() {
    Type type{next().text, at("["), {}};
    if (type.isTensor) type.axes = list("[", "]");
    skipBraces();  // a layout decides no value
    return type;
  }

  void readFusion() {
    expect("(");
    while (!accept(")")) {
      const std::string name = value();
      expect(":");
      program_.parameters.push_back({name, type()});
      accept(",");
    }
    expect("{");
    while (!accept("return")) program_.lines.push_back(readLine());
    while (!accept("}")) {
      program_.outputs.push_back(operandOf(until({","})));
      accept(",");
    }
  }

  Side readSide() {
    Side side;
    expect("{");
    while (!at("}")) {
      if (!accept("yield")) {
        side.lines.push_back(readLine());
        continue;
      }
      do side.yields.push_back(operandOf({next()}));
      while (accept(","));
    }
    next();
    return side;
  }

  Line readLine() {
    Line line;
    line.line = tokens_[next_].line;
    do line.results.push_back(value());
    while (accept(","));
    expect("=");
    line.op = next().text;
    if (line.op == "if") {
      line.operands = {operandOf({next()})};
      line.sides = {readSide()};
      expect("else");
      line.sides.push_back(readSide());
      return line;
    }
    for (const Tokens& operand : list("(", ")")) line.operands.push_back(operandOf(operand));
    if (accept("{")) {
      while (!accept("}")) {
        const std::string name = next().text;
        expect("=");
        line.attributes[name] = until({","});
        accept(",");
      }
    }
    if (accept(":")) {
      do line.types.push_back(type());
      while (accept(","));
    }
    return line;
  }

  void readRun() {
    Run run;
    expect("{");
    while (!accept("}")) {
      const std::string name = value();
      expect("=");
      run.inputs[name] = given();
    }
    program_.runs.push_back(std::move(run));
  }

  std::variant<Literal, GivenTensor> given() {
    const bool literal = isDigit(peek()[0]) || at("-") || at("inf") || at("nan") || at("true") || at("false");
    if (literal) {
      Tokens tokens = {next()};
      if (tokens[0].text == "-") tokens.push_back(next());
      return std::get<Literal>(operandOf(tokens));
    }
    GivenTensor tensor;
    if (accept("values")) {
      for (const Tokens& entry : list("[", "]")) tensor.values.push_back(std::get<Literal>(operandOf(entry)));
      tensor.isPlain = true;
      if (!at(":")) return tensor.values.at(0);  // of a scalar
    } else {
      until({":"});
    }
    expect(":");
    tensor.dtype = next().text;
    for (const Tokens& size : list("[", "]")) tensor.sizes.push_back(std::stoll(size.at(0).text));
    tensor.isPlain &= !at("{");
    skipBraces();
    return tensor;
  }

  std::string readExpectation() {
    if (accept("rejected")) return "rejected";
    expect("agrees");
    if (!accept("or")) return "agrees";
    expect("rejected");
    return "agrees or rejected";
  }

  // Up to the next statement. No setting has these words outside of brackets.
  void skipSetting() {
    next();
    for (int depth = 0; depth > 0 || !(at("") || at("run") || at("expect"));) {
      const Token token = next();
      depth += opens(token.text) - closes(token.text);
    }
  }

  Tokens tokens_;
  size_t next_ = 0;
  Program program_;
};

Literal literalOf(const Tokens& tokens) {
  const bool minus = tokens.at(0).text == "-";
  const std::string& word = tokens.at(minus ? 1 : 0).text;
  const double sign = minus ? -1 : 1;
  if (word == "true" || word == "false") return word == "true";
  if (word == "inf") return sign * std::numeric_limits<double>::infinity();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (!isDigit(word[0])) throw std::runtime_error("second reader: no literal: " + word);
  const std::string text = (minus ? "-" : "") + word;
  if (word.find_first_of(".eE") != std::string::npos) return std::strtod(text.c_str(), nullptr);
  return int64_t{std::strtoll(text.c_str(), nullptr, 10)};
}

}  // namespace

Program readProgram(std::string_view text) { return ProgramReader(text).read(); }

Operand operandOf(const Tokens& tokens) {
  if (tokens.at(0).text.starts_with("%")) return tokens[0].text.substr(1);
  return literalOf(tokens);
}

std::vector<Tokens> entriesOf(const Tokens& tokens) {
  std::vector<Tokens> entries;
  Tokens entry;
  int depth = 0;
  for (const Token& token : tokens) {
    depth -= closes(token.text);
    const bool ends = (depth == 0 && closes(token.text)) || (depth == 1 && token.text == ",");
    if (ends && !entry.empty()) entries.push_back(std::move(entry));
    if (ends) entry.clear();
    if (!ends && depth > 0) entry.push_back(token);
    depth += opens(token.text);
  }
  return entries;
}

}  // namespace second_reader
