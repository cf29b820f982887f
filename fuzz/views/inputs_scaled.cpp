// Inputs scaled by a power of 2, and what is linear in them scaled back where something reads it that is not, or
// returns it. Without overflow and underflow the numbers between are the same up to their exponents.

#include <algorithm>
#include <cmath>

#include "fuser/ir/builder.h"
#include "fuzz/views/rewrites.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {
namespace {

// How an op carries a factor of its operands to its result.
enum class Scales : uint8_t {
  Never,    // its operands have to be scaled back
  Alike,    // where all of its tensors carry the same factor, the result does
  Product,  // the factors of its operands multiply
};

Scales scalesOf(const Expr* expr) {
  const OpKind op = expr->op();
  switch (expr->family()) {
    case Family::LoadStore:
    case Family::Broadcast:
    case Family::Squeeze:
    case Family::Expand:
    case Family::Permute:
    case Family::Slice:
    case Family::Cat:
    case Family::Reshape:
    case Family::Repeat:
    case Family::Flip: return Scales::Alike;
    case Family::Unary:
      return op == OpKind::Neg || op == OpKind::Abs || op == OpKind::Relu ? Scales::Alike : Scales::Never;
    case Family::Binary:
      if (op == OpKind::Mul) return Scales::Product;
      return op == OpKind::Add || op == OpKind::Sub || op == OpKind::Maximum || op == OpKind::Minimum ? Scales::Alike
                                                                                                      : Scales::Never;
    case Family::Reduction:
      return op == OpKind::Sum || op == OpKind::Mean || op == OpKind::Amax || op == OpKind::Amin ? Scales::Alike
                                                                                                 : Scales::Never;
    default: return Scales::Never;
  }
}

class Scaling {
 public:
  Scaling(Fusion& fusion, int exponent) : fusion_(fusion), exponent_(exponent), powers_(fusion.valCount(), 0) {}

  void scale(TensorView* input) {
    const std::vector<Expr*> exprs = fusion_.exprs();
    TensorView* scaled = times(input, exponent_);
    readInstead(fusion_, exprs, input, scaled);
    setPower(scaled, 1);
    for (Expr* expr : exprs) carry(expr);
    const std::vector<Val*> outputs = fusion_.outputs();
    for (Val* output : outputs) {
      // What was an output twice is replaced at once.
      const std::vector<Val*>& now = fusion_.outputs();
      if (power(output) == 0 || !output->definition() || std::find(now.begin(), now.end(), output) == now.end())
        continue;
      auto* tensor = output->as<TensorView>();
      returnInstead(fusion_, tensor, times(tensor, -exponent_ * power(tensor)));
    }
  }

 private:
  int power(const Val* val) const { return val->id() < powers_.size() ? powers_[val->id()] : 0; }
  void setPower(const Val* val, int power) {
    if (powers_.size() <= val->id()) powers_.resize(val->id() + 1, 0);
    powers_[val->id()] = power;
  }

  TensorView* times(TensorView* tensor, int exponent) {
    Val* factor = fusion_.newConstant(std::ldexp(1.0, exponent));
    return build::binary(fusion_, OpKind::Mul, tensor, factor)->as<TensorView>();
  }

  void carry(Expr* expr) {
    constexpr int kHighestPower = 2;
    const std::vector<Val*> operands = expr->inputs();
    if (std::all_of(operands.begin(), operands.end(), [&](const Val* operand) { return power(operand) == 0; })) return;
    int result = 0;
    bool carries = std::all_of(operands.begin(), operands.end(), [](const Val* v) { return v->isTensor(); });
    if (scalesOf(expr) == Scales::Product) {
      for (const Val* operand : operands) result += power(operand);
      carries = result <= kHighestPower;
    } else {
      result = power(operands[0]);
      carries &=
          scalesOf(expr) == Scales::Alike &&
          std::all_of(operands.begin(), operands.end(), [&](const Val* operand) { return power(operand) == result; });
    }
    if (!carries) {
      for (Val* operand : operands) {
        if (power(operand) == 0) continue;
        readInstead(fusion_, {expr}, operand, times(operand->as<TensorView>(), -exponent_ * power(operand)));
      }
      return;
    }
    for (const Val* output : expr->outputs()) setPower(output, result);
  }

  Fusion& fusion_;
  const int exponent_;
  std::vector<int> powers_;  // by id: of the factor that the value carries
};

}  // namespace

bool inputsScaled(Case& testCase, uint64_t draw) {
  Fusion& fusion = *testCase.fusion;
  if (!mayRewrite(testCase)) return false;
  std::vector<TensorView*> places;
  for (Val* input : fusion.inputs()) {
    const bool read = input->isTensor() && isFloating(input->dtype()) && !input->uses().empty();
    if (read && !input->as<TensorView>()->isCpuScalar()) places.push_back(input->as<TensorView>());
  }
  if (places.empty()) return false;
  constexpr int kExponents[] = {-3, -1, 1, 4};
  Scaling(fusion, kExponents[draw >> 32 & 3]).scale(places[draw % places.size()]);
  return true;
}

}  // namespace fuser::fuzz
