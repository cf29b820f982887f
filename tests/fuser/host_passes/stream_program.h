#pragma once
// A fusion of standalone ops, some of them with stream axes, and its host program after StreamParallelTypePass.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/ir/builder.h"

namespace fuser {

struct StreamProgram {
  // %x: f32[i0, i1]
  StreamProgram() {
    x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i1")}, "x");
  }

  TensorView* neg(TensorView* operand, const std::string& name, std::optional<size_t> streamAxis = std::nullopt) {
    return withStreamAxis(build::unary(fusion, OpKind::Neg, operand, name), streamAxis);
  }
  TensorView* add(TensorView* a, TensorView* b, const std::string& name,
                  std::optional<size_t> streamAxis = std::nullopt) {
    return withStreamAxis(build::binary(fusion, OpKind::Add, a, b, name)->as<TensorView>(), streamAxis);
  }
  TensorView* withStreamAxis(Val* val, std::optional<size_t> streamAxis) {
    auto* tensor = val->as<TensorView>();
    if (streamAxis) tensor->axes()[*streamAxis]->parallelize(ParallelType::Stream);
    return tensor;
  }

  HostIrContainer& lower() {
    std::vector<HostGroup> groups;
    for (Expr* expr : fusion.exprs()) {
      groups.push_back({static_cast<int>(groups.size()), SchedulerType::None, {expr}, expr->inputs(), expr->outputs()});
      groups.back().standalone = true;
    }
    program = HostIrLower(fusion).lower(groups);
    StreamParallelTypePass::runPass(*program);
    return *program;
  }
  // The lines between the declarations and "return".
  static std::string bodyOf(const HostIrContainer& program) {
    const std::string text = toString(program);
    size_t begin = text.find('\n') + 1;
    while (text.compare(begin, 9, "  tensor ") == 0) begin = text.find('\n', begin) + 1;
    return text.substr(begin, text.find("  return ") - begin);
  }
  // The program with this body.
  HostIrContainer parse(const std::string& body) {
    std::string outputs;
    for (const Val* output : fusion.outputs()) outputs += concat(outputs.empty() ? "%" : ", %", output->name());
    return parseHostIr(concat("host f(%x: f32[i0, i1]) {\n", body, "  return ", outputs, "\n}\n"), fusion, {});
  }

  Fusion fusion{"f"};
  TensorView* x;
  std::unique_ptr<HostIrContainer> program;
};

}  // namespace fuser
