#pragma once
// NodeWriter: what a function that writes a node as .fusion lines needs: the node's arguments in checked form, names,
// sizes as text, and the lines themselves.

#include <functional>
#include <string>
#include <vector>

#include "fuser/support/check.h"
#include "fuzz/import/graph.h"

namespace fuser::fuzz {

// A node that the language cannot say; the message is the reason: "argument 'generator' has no place".
class OutsideTheLanguage : public UserError {
 public:
  using UserError::UserError;
};

// How values and sizes are written.
struct Spelling {
  std::function<std::string(size_t id)> value;  // "%x0"
  std::function<std::string(int64_t)> size;     // "i0", or the number itself
};

class NodeWriter {
 public:
  NodeWriter(const Graph& graph, const GraphNode& node, const Spelling& spelling)
      : graph_(graph), node_(node), spelling_(spelling) {}

  const GraphNode& node() const { return node_; }
  std::string packet() const;  // "add" of "aten.add.Tensor"
  template <class... Text>
  [[noreturn]] void refuse(const Text&... text) const {
    throw OutsideTheLanguage(concat(text...));
  }

  // Arguments. An absent one has its schema's default, as one that is null.
  bool has(const std::string& name) const;
  const Arguments& argument(const std::string& name) const;  // refuses if it is absent
  static bool isValue(const Arguments& argument) { return argument.is_object() && argument.contains("value"); }
  std::string operandOf(const Arguments& argument) const;  // "%x0", or a literal
  std::string operand(const std::string& name) const { return operandOf(argument(name)); }
  int64_t numberOf(const Arguments& argument) const;
  int64_t number(const std::string& name, int64_t ifAbsent) const;
  Numbers numbers(const Arguments& argument) const;           // one number is a list of one
  const GraphTensor& tensorOf(const Arguments& value) const;  // refuses a value that is no tensor of the language
  const GraphTensor& tensor(const std::string& name) const { return tensorOf(argument(name)); }
  // Refuses arguments other than these.
  void takesOnly(const std::vector<std::string>& names) const;

  // An axis from 0 on.
  int64_t axis(const std::string& name, int64_t ifAbsent, size_t rank) const;

  const GraphTensor& result(size_t i = 0) const;
  bool isUsed(size_t i) const { return graph_.values[node_.results.at(i)].isUsed; }
  std::string resultName(size_t i = 0) const { return spelling_.value(node_.results.at(i)); }
  std::string size(int64_t size) const { return spelling_.size(size); }
  std::string sizes(const Numbers& sizes) const;  // "[i0, 3]"

  // Writes `NAME = call`, for a new value that is not in the graph, or for result i.
  std::string between(const std::string& call);
  void write(const std::string& call, size_t i = 0) { line(concat(resultName(i), " = ", call)); }
  void line(const std::string& text) { lines_.push_back(text); }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  const Graph& graph_;
  const GraphNode& node_;
  const Spelling& spelling_;
  std::vector<std::string> lines_;
  int between_ = 0;
};

// "add.Tensor" and "add" of "aten.add.Tensor"; empty where it is no operator of ATen.
struct AtenName {
  std::string full, packet;
};
AtenName atenName(const std::string& op);

// "[1, 2]"
std::string listText(const Numbers& numbers);

}  // namespace fuser::fuzz
