// Names that make a tensor of one value, made of a `full`.
#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"
#include "fuser/text/expansions.h"

namespace fuser::text {
namespace {

TensorView* filled(Fusion& fusion, std::string_view op, const std::vector<IntExpr>& shape, Val* value, DataType dtype,
                   const std::string& name) {
  return build::full(fusion, shape, filling(op, fusion, value, dtype, name + ".value"), dtype, name);
}

TensorView* filledShape(Fusion& fusion, std::string_view op, const NamedAttributes& attributes, int64_t value,
                        const std::string& name) {
  return filled(fusion, op, attributes.integers(AttributeName::shape), fusion.newConstant(ScalarValue(value)),
                attributes.dtypeOr(AttributeName::dtype, DataType::Float), name);
}

TensorView* filledLike(Fusion& fusion, std::string_view op, const Val* tensor, const NamedAttributes& attributes,
                       Val* value, const std::string& name) {
  return filled(fusion, op, sizesOf(tensor->as<TensorView>()), value,
                attributes.dtypeOr(AttributeName::dtype, tensor->dtype()), name);
}

}  // namespace

TensorView* zeros(Fusion& fusion, const std::vector<Val*>&, const NamedAttributes& attributes,
                  const std::string& name) {
  return filledShape(fusion, "zeros", attributes, 0, name);
}

TensorView* ones(Fusion& fusion, const std::vector<Val*>&, const NamedAttributes& attributes, const std::string& name) {
  return filledShape(fusion, "ones", attributes, 1, name);
}

TensorView* zerosLike(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  return filledLike(fusion, "zeros_like", operands[0], attributes, fusion.newConstant(ScalarValue(int64_t{0})), name);
}

TensorView* onesLike(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                     const std::string& name) {
  return filledLike(fusion, "ones_like", operands[0], attributes, fusion.newConstant(ScalarValue(int64_t{1})), name);
}

TensorView* fullLike(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                     const std::string& name) {
  return filledLike(fusion, "full_like", operands[0], attributes, attributes.operand(AttributeName::fill_value), name);
}

}  // namespace fuser::text
