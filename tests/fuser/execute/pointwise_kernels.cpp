#include "tests/fuser/execute/pointwise_kernels.h"

#include "fuser/kernel/text.h"

namespace fuser {
namespace {

std::unique_ptr<Kernel> elementwise(const std::string& name, const std::vector<DataType>& operands, DataType result,
                                    const std::string& operation) {
  std::string text = "kernel " + name + " {\n";
  std::string list;
  for (size_t i = 0; i < operands.size(); ++i) {
    text += concat("  tensor ", "abc"[i], " : ", operands[i], " rank 1 argument ", i, "\n");
    list += concat(i ? ", " : "", "abc"[i], "[((blockIdx.x * 64) + threadIdx.x)]");
  }
  text += concat("  tensor y : ", result, " rank 1 argument ", operands.size(), " written\n");
  text += concat("  int n in [0, 1099511627776]\n  block 64, 1, 1\n  grid ((n + 63) // 64), 1, 1\n\n",
                 "  if (((blockIdx.x * 64) + threadIdx.x) < n) {\n",
                 "    y[((blockIdx.x * 64) + threadIdx.x)] = ", operation, " (", list, ")\n  }\n}\n");
  return parseKernel(text);
}

}  // namespace

std::vector<PointwiseCase> pointwiseCases() {
  std::vector<PointwiseCase> cases;
  for (OpKind op : kAllOps) {
    if (!isPointwise(op)) continue;
    for (DataType dtype : kAllDataTypes) {
      if (!acceptsDtype(op, dtype)) continue;
      std::vector<DataType> operands(operandCount(op), dtype);
      if (takesCondition(op, 0)) operands[0] = DataType::Bool;
      const DataType result = opInfo(op).result == Result::Bool ? DataType::Bool : dtype;
      const std::string name = concat(opName(op), "_", dtype);
      const std::string operation = concat(opName(op), " ", computeType(dtype));
      cases.push_back({op, dtype, operands, result, elementwise(name, operands, result, operation)});
    }
  }
  return cases;
}

std::unique_ptr<Kernel> castKernel(DataType from, DataType to) {
  return elementwise(concat("cast_", from, "_", to), {from}, to, concat("Cast ", to));
}

std::vector<const Kernel*> kernelsOf(const std::vector<PointwiseCase>& cases) {
  std::vector<const Kernel*> kernels;
  for (const PointwiseCase& c : cases) kernels.push_back(c.kernel.get());
  return kernels;
}

}  // namespace fuser
