// Arithmetic with factors, scalars and dtypes that PyTorch has as arguments, and tensors that are filled.

#include "fuzz/import/structural.h"

namespace fuser::fuzz::structural {
namespace {

// first + alpha * second, or first - alpha * second
void combined(NodeWriter& node, const std::string& mnemonic, const std::string& first, const std::string& second) {
  node.takesOnly({"self", "other", "alpha"});
  std::string scaled = node.operand(second);
  if (node.has("alpha")) scaled = node.between(concat("mul(", scaled, ", ", node.operand("alpha"), ")"));
  node.write(concat(mnemonic, "(", node.operand(first), ", ", scaled, ")"));
}

// self + value * (tensor1 op tensor2)
void addedOf(NodeWriter& node, const std::string& mnemonic) {
  node.takesOnly({"self", "tensor1", "tensor2", "value"});
  std::string first = node.operand("tensor1");
  if (node.has("value")) first = node.between(concat("mul(", first, ", ", node.operand("value"), ")"));
  node.write(concat(mnemonic, "(", node.operand("self"), ", ", first, ", ", node.operand("tensor2"), ")"));
}

std::string reducedAxes(const NodeWriter& node) {
  std::string text;
  if (node.has("dim")) {
    const Numbers axes = node.numbers(node.argument("dim"));
    if (!axes.empty()) text = concat("dims = ", listText(axes));
  }
  if (node.has("keepdim")) text += concat(text.empty() ? "" : ", ", "keepdim = ", node.operand("keepdim"));
  return text.empty() ? "" : concat(" {", text, "}");
}

void fill(NodeWriter& node, const std::string& value) {
  node.takesOnly({"self", "size", "fill_value", "value", "s", "dtype", "memory_format"});
  const GraphTensor& result = node.result();
  node.write(
      concat("full() {shape = ", node.sizes(result.shape), ", fill_value = ", value, ", dtype = ", result.dtype, "}"));
}

}  // namespace

void added(NodeWriter& node) { combined(node, "add", "self", "other"); }
void subtracted(NodeWriter& node) { combined(node, "sub", "self", "other"); }
void subtractedFrom(NodeWriter& node) { combined(node, "sub", "other", "self"); }

void addedProduct(NodeWriter& node) { addedOf(node, "addcmul"); }
void addedQuotient(NodeWriter& node) { addedOf(node, "addcdiv"); }

void floorDivided(NodeWriter& node) {
  node.takesOnly({"self", "other"});
  node.write(concat("div(", node.operand("self"), ", ", node.operand("other"), ") {rounding_mode = floor}"));
}

void clamped(NodeWriter& node) {
  node.takesOnly({"self", "min", "max"});
  const bool low = node.has("min"), high = node.has("max");
  if (!low && !high) node.refuse("has neither end");
  const std::string mnemonic = low && high ? "clamp" : low ? "clamp_min" : "clamp_max";
  std::string ends = low ? concat("min = ", node.operand("min")) : "";
  if (high) ends += concat(low ? ", " : "", "max = ", node.operand("max"));
  node.write(concat(mnemonic, "(", node.operand("self"), ") {", ends, "}"));
}

void clampedByTensors(NodeWriter& node) {
  node.takesOnly({"self", "min", "max"});
  const bool low = node.has("min"), high = node.has("max");
  std::string value = node.operand("self");
  if (!low && !high) node.refuse("has neither end");
  if (low) {
    const std::string call = concat("maximum(", value, ", ", node.operand("min"), ")");
    if (!high) return node.write(call);
    value = node.between(call);
  }
  node.write(concat("minimum(", value, ", ", node.operand("max"), ")"));
}

void maskedFill(NodeWriter& node) {
  node.takesOnly({"self", "mask", "value"});
  node.write(concat("where(", node.operand("mask"), ", ", node.operand("value"), ", ", node.operand("self"), ")"));
}

void deviation(NodeWriter& node) {
  node.takesOnly({"self", "dim", "correction", "keepdim"});
  std::string axes = reducedAxes(node);
  if (node.has("correction")) {
    axes = concat(" {correction = ", node.numberOf(node.argument("correction")), axes.empty() ? "" : ", ",
                  axes.empty() ? "}" : axes.substr(2));
  }
  node.write(concat("sqrt(", node.between(concat("var(", node.operand("self"), ")", axes)), ")"));
}

// With a dtype the operand is converted first.
void reduced(NodeWriter& node) {
  node.takesOnly({"self", "dim", "keepdim", "dtype"});
  const std::string mnemonic = node.packet();
  std::string operand = node.operand("self");
  if (node.has("dtype")) operand = node.between(concat("cast(", operand, ") {dtype = ", node.result().dtype, "}"));
  node.write(concat(mnemonic, "(", operand, ")", reducedAxes(node)));
}

void extremeIndex(NodeWriter& node) {
  node.takesOnly({"self", "dim", "keepdim"});
  std::string text;
  if (node.has("dim")) text = concat("dims = [", node.axis("dim", 0, node.tensor("self").shape.size()), "]");
  if (node.has("keepdim")) text += concat(text.empty() ? "" : ", ", "keepdim = ", node.operand("keepdim"));
  node.write(concat(node.packet(), "(", node.operand("self"), ")", text.empty() ? "" : concat(" {", text, "}")));
}

// Where memory lies is the language's matter: a copy in another memory format is a copy.
void converted(NodeWriter& node) {
  node.takesOnly({"self", "dtype", "memory_format"});
  const DataType dtype = node.result().dtype;
  const std::string self = node.operand("self");
  node.write(dtype == node.tensor("self").dtype ? concat("set(", self, ")")
                                                : concat("cast(", self, ") {dtype = ", dtype, "}"));
}

// src with the dtype and the sizes of self.
void copied(NodeWriter& node) {
  node.takesOnly({"self", "src"});
  std::string value = node.operand("src");
  const GraphTensor &from = node.tensor("src"), &to = node.tensor("self");
  const bool isCast = from.dtype != to.dtype, isExpanded = from.shape != to.shape;
  if (isCast) {
    const std::string call = concat("cast(", value, ") {dtype = ", to.dtype, "}");
    if (!isExpanded) return node.write(call);
    value = node.between(call);
  }
  node.write(isExpanded ? concat("expand(", value, ") {shape = ", node.sizes(to.shape), "}")
                        : concat("set(", value, ")"));
}

void filled(NodeWriter& node) {
  for (const char* name : {"fill_value", "value", "s"}) {
    if (!node.has(name)) continue;
    if (NodeWriter::isValue(node.argument(name))) node.refuse("is filled with a tensor's element");
    return fill(node, node.operand(name));
  }
  node.refuse("has no value to be filled with");
}

void filledWithZeros(NodeWriter& node) { fill(node, "0"); }
void filledWithOnes(NodeWriter& node) { fill(node, "1"); }

// Its second result is what the gradient reads on some devices.
void logSigmoid(NodeWriter& node) {
  node.takesOnly({"self"});
  if (node.isUsed(1)) node.refuse("its second result is read");
  node.write(concat("logsigmoid(", node.operand("self"), ")"));
}

}  // namespace fuser::fuzz::structural
