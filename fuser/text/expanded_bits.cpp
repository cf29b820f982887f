// view(%x) {dtype}: the bytes of a tensor as elements of another dtype, little-endian. Each element's bits are an
// integer (bitcast); one of more bytes is shifted apart along a new last axis, several of fewer are shifted together
// and added.

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"
#include "fuser/text/expansions.h"

namespace fuser::text {
namespace {

// A view as seen from its operand: the dtypes, and how many elements of one are one of the other.
class BitView {
 public:
  BitView(Fusion& fusion, std::string name) : fusion_(fusion), name_(std::move(name)) {}

  TensorView* build(TensorView* tensor, DataType to) {
    const DataType from = tensor->dtype();
    const size_t before = dtypeSize(from), after = dtypeSize(to);
    FUSER_USER_CHECK(to != DataType::Bool || from == DataType::Bool, "view of ", from,
                     " as bool: a byte that is neither 0 nor 1 is no bool");
    if (before == after && from == to) return build::set(fusion_, tensor, name_);
    if (before != after) {
      FUSER_USER_CHECK(tensor->rank() > 0, "view of %", tensor->name(), ", of no axes, as ", to,
                       ": the sizes of its elements differ");
    }
    const DataType word = std::max(before, after) == 8 ? DataType::Int64 : DataType::Int32;
    TensorView* bits = bitsOf(tensor, word);
    if (before > after)
      bits = shiftedApart(bits, static_cast<int64_t>(before / after), 8 * static_cast<int64_t>(after));
    if (before < after) bits = joined(bits, static_cast<int64_t>(after / before), 8 * static_cast<int64_t>(before));
    return numbersOf(bits, to);
  }

 private:
  std::string fresh(const char* ending) { return name_ + ending; }

  TensorView* cast(TensorView* tensor, DataType dtype, const std::string& name) {
    return tensor->dtype() == dtype ? tensor : build::cast(fusion_, tensor, dtype, name)->as<TensorView>();
  }

  TensorView* bitcast(TensorView* tensor, DataType dtype, const std::string& name) {
    return build::structuralTensor(fusion_, OpKind::Bitcast, {tensor}, Attributes().dtype(dtype), name);
  }

  // As integers of `word`, whose bits above those of an element are 0 where the word has more.
  TensorView* bitsOf(TensorView* tensor, DataType word) {
    const DataType dtype = tensor->dtype();
    TensorView* bits = isFloating(dtype) ? bitcast(tensor, *bitsDtype(dtype), fresh(".bits")) : tensor;
    bits = cast(bits, word, fresh(".word"));
    const size_t size = dtypeSize(dtype);
    const bool hasSign = isFloating(dtype) ? size == 4 : dtype != DataType::Bool && !isUnsigned(dtype);
    if (!hasSign || size >= dtypeSize(word)) return bits;
    Val* mask = fusion_.newConstant(ScalarValue((int64_t{1} << (8 * size)) - 1));
    return build::binary(fusion_, OpKind::BitwiseAnd, bits, mask, fresh(".low"))->as<TensorView>();
  }

  // 0, width, 2 width, … along the last axis, in the dtype of the words.
  TensorView* shifts(const TensorView* words, int64_t parts, int64_t width) {
    IntExprArena& ints = fusion_.ints();
    TensorView* line = build::arange(fusion_, ints.constant(0), ints.constant(parts * width), ints.constant(width),
                                     words->dtype(), fresh(".shifts"));
    std::vector<int64_t> added;
    for (size_t axis = 0; axis + 1 < words->rank(); ++axis) added.push_back(static_cast<int64_t>(axis));
    return added.empty() ? line : build::unsqueeze(fusion_, line, added, fresh(".places"));
  }

  TensorView* shiftedApart(TensorView* words, int64_t parts, int64_t width) {
    IntExprArena& ints = fusion_.ints();
    std::vector<IntExpr> sizes = sizesOf(words);
    sizes.back() = ints.mul(sizes.back(), ints.constant(parts));
    TensorView* wide = build::unsqueeze(fusion_, words, {static_cast<int64_t>(words->rank())}, fresh(".wide"));
    Val* apart = build::binary(fusion_, OpKind::RightShift, wide, shifts(wide, parts, width), fresh(".apart"));
    return build::reshape(fusion_, apart->as<TensorView>(), sizes, fresh(".parts"));
  }

  // Parts have no bit in common, so that their sum has all of them.
  TensorView* joined(TensorView* parts, int64_t count, int64_t width) {
    IntExprArena& ints = fusion_.ints();
    std::vector<IntExpr> sizes = sizesOf(parts);
    const IntExpr size = sizes.back();
    FUSER_USER_CHECK(!size->isConstant() || size->value % count == 0, "view: the last axis has ", size->value,
                     " elements, which is no multiple of ", count);
    sizes.back() = ints.floorDiv(sizes.back(), ints.constant(count));
    sizes.push_back(ints.constant(count));
    TensorView* grouped = build::reshape(fusion_, parts, sizes, fresh(".groups"));
    const DataType word = parts->dtype();
    Val* placed = build::binary(fusion_, OpKind::LeftShift, grouped, shifts(grouped, count, width), fresh(".placed"));
    const auto last = static_cast<int64_t>(sizes.size() - 1);
    TensorView* sum = build::reduction(fusion_, OpKind::Sum, placed->as<TensorView>(), {last}, false, fresh(".joined"));
    return cast(sum, word, fresh(".word.joined"));
  }

  TensorView* numbersOf(TensorView* words, DataType to) {
    if (!isFloating(to)) {
      TensorView* numbers = cast(words, to, name_);
      numbers->setName(name_);
      return numbers;
    }
    return bitcast(cast(words, *bitsDtype(to), fresh(".holds")), to, name_);
  }

  Fusion& fusion_;
  const std::string name_;
};

}  // namespace

// torch.Tensor.view(dtype).
TensorView* viewedAs(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                     const std::string& name) {
  return BitView(fusion, name).build(operands[0]->as<TensorView>(), attributes.dtype(AttributeName::dtype));
}

// What is written to such a view, as elements of the memory that it shows.
TensorView* viewedBack(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&,
                       const std::string& name) {
  auto* memory = operands[0]->as<TensorView>();
  TensorView* back = BitView(fusion, name + ".back").build(operands[1]->as<TensorView>(), memory->dtype());
  const std::vector<IntExpr> sizes = sizesOf(memory);
  return sizesOf(back) == sizes ? back : build::expand(fusion, back, sizes, name);
}

}  // namespace fuser::text
