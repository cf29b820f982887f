// Views: axes that go, come or change places, parts of a tensor, and parts that are put back.

#include <algorithm>
#include <limits>
#include <numeric>

#include "fuzz/import/structural.h"

namespace fuser::fuzz::structural {
namespace {

// value[start:end:step] along the axis, without what is 0, the end or 1.
std::string sliceCall(const std::string& value, int64_t axis, int64_t start, int64_t end, int64_t size,
                      int64_t step = 1) {
  std::string text = concat("slice(", value, ") {dim = ", axis);
  if (start != 0) text += concat(", start = ", start);
  if (end < size) text += concat(", end = ", end);
  if (step != 1) text += concat(", step = ", step);
  return text + "}";
}

// A bound from 0 to the size.
int64_t place(int64_t bound, int64_t size) { return std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size); }

struct Part {
  int64_t axis, start, end, size, step;
};

// The part that the arguments dim, start, end and step name, of a tensor of this shape.
Part partOf(const NodeWriter& node, const Numbers& shape) {
  const int64_t axis = node.axis("dim", 0, shape.size()), size = shape[static_cast<size_t>(axis)];
  const int64_t end = place(node.number("end", std::numeric_limits<int64_t>::max()), size);
  return {axis, place(node.number("start", 0), size), end, size, node.number("step", 1)};
}

// The part that the arguments dim and index name.
Part placeOf(const NodeWriter& node, const Numbers& shape) {
  const int64_t axis = node.axis("dim", 0, shape.size()), size = shape[static_cast<size_t>(axis)];
  const int64_t index = node.number("index", 0), start = index < 0 ? index + size : index;
  return {axis, start, start + 1, size, 1};
}

// Zeros around the value, along the axis of the part.
std::string paddedCall(const std::string& value, const Part& part, size_t rank) {
  Numbers pad(2 * (rank - static_cast<size_t>(part.axis)), 0);
  pad[pad.size() - 2] = part.start;
  pad[pad.size() - 1] = part.size - part.end;
  return concat("pad(", value, ") {pad = ", listText(pad), "}");
}

// `self` with the value in place of the part.
void writeReplaced(NodeWriter& node, const std::string& self, const std::string& value, const Part& part) {
  std::string parts;
  if (part.start > 0) parts = concat(node.between(sliceCall(self, part.axis, 0, part.start, part.size)), ", ");
  parts += value;
  if (part.end < part.size) {
    parts += concat(", ", node.between(sliceCall(self, part.axis, part.end, part.size, part.size)));
  }
  node.write(concat("cat(", parts, ") {dim = ", part.axis, "}"));
}

// The sizes of `to`, each axis that joins several of `from` as their product: it stays one where sizes change.
std::string joinedSizes(const NodeWriter& node, const Numbers& from, const Numbers& to) {
  std::string text;
  size_t i = 0, j = 0;
  while (j < to.size()) {
    // The fewest axes of both with as many elements.
    const size_t firstFrom = i, firstTo = j;
    int64_t elements = i < from.size() ? from[i++] : 1, wanted = to[j++];
    while (elements != wanted) {
      if (elements < wanted && i < from.size()) {
        elements *= from[i++];
      } else if (elements > wanted && j < to.size()) {
        wanted *= to[j++];
      } else {
        break;
      }
    }
    std::string product;
    for (size_t k = firstFrom; k < i; ++k) {
      if (from[k] != 1) product += concat(product.empty() ? "" : " * ", node.size(from[k]));
    }
    const bool joins =
        std::count_if(to.begin() + firstTo, to.begin() + j, [](int64_t size) { return size != 1; }) == 1 &&
        elements == wanted && product.find('*') != product.npos;
    for (size_t k = firstTo; k < j; ++k) {
      text += concat(text.empty() ? "[" : ", ", joins && to[k] != 1 ? concat("(", product, ")") : node.size(to[k]));
    }
  }
  return text.empty() ? "[]" : text + "]";
}

}  // namespace

void viewedAs(NodeWriter& node) {
  node.takesOnly({"self", "dtype"});
  node.write(concat("view(", node.operand("self"), ") {dtype = ", node.result().dtype, "}"));
}

void reshaped(NodeWriter& node) {
  node.takesOnly({"self", "size", "shape"});
  const Numbers& shape = node.result().shape;
  node.write(concat("reshape(", node.operand("self"),
                    ") {shape = ", joinedSizes(node, node.tensor("self").shape, shape), "}"));
}

// Of the axes named, or of all, those of one element go.
void squeezed(NodeWriter& node) {
  node.takesOnly({"self", "dim"});
  const Numbers& shape = node.tensor("self").shape;
  const int64_t rank = static_cast<int64_t>(shape.size());
  Numbers named(shape.size());
  std::iota(named.begin(), named.end(), 0);
  if (node.has("dim")) named = node.numbers(node.argument("dim"));
  Numbers gone;
  for (int64_t axis : named) {
    if (axis < 0) axis += rank;
    if (axis < rank && shape[static_cast<size_t>(axis)] == 1) gone.push_back(axis);
  }
  const std::string self = node.operand("self");
  node.write(gone.empty() ? concat("set(", self, ")") : concat("squeeze(", self, ") {dims = ", listText(gone), "}"));
}

void transposed(NodeWriter& node) {
  node.takesOnly({"self", "dim0", "dim1"});
  const size_t rank = node.tensor("self").shape.size();
  Numbers order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (rank > 1) {
    std::swap(order[static_cast<size_t>(node.axis("dim0", 0, rank))],
              order[static_cast<size_t>(node.axis("dim1", 1, rank))]);
  }
  node.write(concat("permute(", node.operand("self"), ") {dims = ", listText(order), "}"));
}

void selected(NodeWriter& node) {
  node.takesOnly({"self", "dim", "index"});
  const auto [axis, start, end, size, step] = placeOf(node, node.tensor("self").shape);
  const std::string one = node.between(sliceCall(node.operand("self"), axis, start, end, size, step));
  node.write(concat("reshape(", one, ") {shape = ", node.sizes(node.result().shape), "}"));
}

// A slice for each part that is read.
void pieces(NodeWriter& node) {
  node.takesOnly({"self", "split_size", "split_sizes", "dim"});
  const Numbers& shape = node.tensor("self").shape;
  const int64_t axis = node.axis("dim", 0, shape.size());
  int64_t start = 0;
  for (size_t i = 0; i < node.node().results.size(); ++i) {
    const int64_t end = start + node.result(i).shape[static_cast<size_t>(axis)];
    if (node.isUsed(i)) {
      node.write(sliceCall(node.operand("self"), axis, start, end, shape[static_cast<size_t>(axis)]), i);
    }
    start = end;
  }
}

// A selection for each place that is read.
void unbound(NodeWriter& node) {
  node.takesOnly({"self", "dim"});
  const Numbers& shape = node.tensor("self").shape;
  const int64_t axis = node.axis("dim", 0, shape.size()), size = shape[static_cast<size_t>(axis)];
  for (size_t i = 0; i < node.node().results.size(); ++i) {
    if (!node.isUsed(i)) continue;
    const int64_t start = static_cast<int64_t>(i);
    const std::string one = node.between(sliceCall(node.operand("self"), axis, start, start + 1, size));
    node.write(concat("reshape(", one, ") {shape = ", node.sizes(node.result(i).shape), "}"), i);
  }
}

void stacked(NodeWriter& node) {
  node.takesOnly({"tensors", "dim"});
  const int64_t axis = node.axis("dim", 0, node.result().shape.size());
  std::string parts;
  for (const Arguments& tensor : node.argument("tensors")) {
    const std::string part = node.between(concat("unsqueeze(", node.operandOf(tensor), ") {dims = [", axis, "]}"));
    parts += concat(parts.empty() ? "" : ", ", part);
  }
  node.write(concat("cat(", parts, ") {dim = ", axis, "}"));
}

void placedSlice(NodeWriter& node) {
  node.takesOnly({"grad_output", "input_sizes", "dim", "start", "end", "step"});
  const Numbers shape = node.numbers(node.argument("input_sizes"));
  const Part part = partOf(node, shape);
  if (part.step != 1) node.refuse("has the step ", part.step);
  node.write(paddedCall(node.operand("grad_output"), part, shape.size()));
}

void placedSelection(NodeWriter& node) {
  node.takesOnly({"grad_output", "input_sizes", "dim", "index"});
  const Numbers shape = node.numbers(node.argument("input_sizes"));
  const Part part = placeOf(node, shape);
  const std::string one =
      node.between(concat("unsqueeze(", node.operand("grad_output"), ") {dims = [", part.axis, "]}"));
  node.write(paddedCall(one, part, shape.size()));
}

void replacedSlice(NodeWriter& node) {
  node.takesOnly({"self", "src", "dim", "start", "end", "step"});
  const Part part = partOf(node, node.tensor("self").shape);
  if (part.step != 1) node.refuse("has the step ", part.step);
  if (node.tensor("src").dtype != node.tensor("self").dtype) node.refuse("a part has another dtype");
  writeReplaced(node, node.operand("self"), node.operand("src"), part);
}

void replacedSelection(NodeWriter& node) {
  node.takesOnly({"self", "src", "dim", "index"});
  const Part part = placeOf(node, node.tensor("self").shape);
  if (node.tensor("src").dtype != node.tensor("self").dtype) node.refuse("a part has another dtype");
  const std::string one = node.between(concat("unsqueeze(", node.operand("src"), ") {dims = [", part.axis, "]}"));
  writeReplaced(node, node.operand("self"), one, part);
}

void gathered(NodeWriter& node) {
  node.takesOnly({"self", "dim", "index", "sparse_grad"});
  const int64_t axis = node.axis("dim", 0, node.tensor("self").shape.size());
  node.write(concat(node.packet(), "(", node.operand("self"), ", ", node.operand("index"), ") {dim = ", axis, "}"));
}

void scattered(NodeWriter& node) {
  node.takesOnly({"self", "dim", "index", "src"});
  const int64_t axis = node.axis("dim", 0, node.tensor("self").shape.size());
  node.write(concat(node.packet(), "(", node.operand("self"), ", ", node.operand("index"), ", ", node.operand("src"),
                    ") {dim = ", axis, "}"));
}

void slicesAtIndices(NodeWriter& node) {
  node.takesOnly({"self", "dim", "index", "source", "alpha"});
  const int64_t axis = node.axis("dim", 0, node.tensor("self").shape.size());
  std::string source = node.operand("source");
  if (node.has("alpha")) source = node.between(concat("mul(", source, ", ", node.operand("alpha"), ")"));
  node.write(concat(node.packet(), "(", node.operand("self"), ", ", node.operand("index"), ", ", source,
                    ") {dim = ", axis, "}"));
}

// What gradients do is no matter here.
void embedded(NodeWriter& node) {
  node.takesOnly({"weight", "indices", "padding_idx", "scale_grad_by_freq", "sparse"});
  node.write(concat("embedding(", node.operand("weight"), ", ", node.operand("indices"), ")"));
}

}  // namespace fuser::fuzz::structural
