#pragma once
// .fusion text -> plain data, read a second time (fuser/text/grammar.md) by code that shares nothing with fuser/text.
// Only what decides results is kept: the program and its runs. Settings are skipped. The text is one that fuser reads;
// what this reader does not understand is a std::runtime_error with the line.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace second_reader {

struct Token {
  std::string text;  // "%x", "12", "1e-5", "f32", "//"
  int line = 0;
};

// Tokens of one statement part, for whoever knows what they mean: a dim, a list, a literal.
using Tokens = std::vector<Token>;
using Literal = std::variant<double, int64_t, bool>;
using Operand = std::variant<std::string, Literal>;  // the name of a value, without '%', or a literal

struct Type {
  std::string dtype;
  bool isTensor = false;
  std::vector<Tokens> axes;  // "i0", "1", "1*i0", "(i0 + 1)"
};

struct Parameter {
  std::string name;
  Type type;
};

struct Line;

// One side of an `if`.
struct Side {
  std::vector<Line> lines;
  std::vector<Operand> yields;
};

// One op: %results = op(operands) {attributes} : types. Or `if`, with its condition as the operand.
struct Line {
  std::vector<std::string> results;
  std::string op;
  std::vector<Operand> operands;
  std::map<std::string, Tokens> attributes;
  std::vector<Type> types;  // none where the text names none
  int line = 0;
  std::vector<Side> sides;  // of an `if`: two
};

struct GivenTensor {
  std::string dtype;
  std::vector<int64_t> sizes;
  std::vector<Literal> values;  // of `values [ … ]`
  bool isPlain = false;         // `values`, and no strides
};

struct Run {
  std::map<std::string, std::variant<Literal, GivenTensor>> inputs;
  std::string expectation = "agrees";  // "agrees", "rejected", "agrees or rejected"
};

struct Program {
  std::vector<Parameter> parameters;
  std::vector<Line> lines;
  std::vector<Operand> outputs;
  std::vector<Run> runs;
};

Program readProgram(std::string_view text);

Operand operandOf(const Tokens& tokens);

// The entries of a list "[a, b]".
std::vector<Tokens> entriesOf(const Tokens& tokens);

}  // namespace second_reader
