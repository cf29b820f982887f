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
  if (expr->family() == Family::LoadStore || familyInfo(expr->family()).coordinates == Coordinates::AxisMap)
    return Scales::Alike;
  switch (expr->op()) {
    case OpKind::Mul: return Scales::Product;
    case OpKind::Neg:
    case OpKind::Abs:
    case OpKind::Relu:
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::Sum:
    case OpKind::Mean:
    case OpKind::Amax:
    case OpKind::Amin: return Scales::Alike;
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
    for (TensorView* output : computedOutputs(fusion_)) {
      if (power(output) != 0) returnInstead(fusion_, output, times(output, -exponent_ * power(output)));
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
    const bool takesFactor = isFloating(input->dtype()) && acceptsDtype(OpKind::Mul, input->dtype());
    const bool read = input->isTensor() && takesFactor && !input->uses().empty();
    if (read && !input->as<TensorView>()->isCpuScalar()) places.push_back(input->as<TensorView>());
  }
  if (places.empty()) return false;
  constexpr int kExponents[] = {-3, -1, 1, 4};
  Scaling(fusion, kExponents[draw >> 32 & 3]).scale(places[draw % places.size()]);
  return true;
}

}  // namespace fuser::fuzz
