#pragma once
// ruleGroup(): which of the oracle's rules judges an op. The switch has no default: a new op does not compile until
// someone says here how it is judged.

#include <cstdint>

#include "fuser/ops/op_kind.h"
#include "fuser/support/check.h"

namespace oracle {

enum class RuleGroup : uint8_t {
  UnaryStep,       // one exact or correctly rounded step of one operand
  Function,        // a library function of one operand
  Arithmetic,      // sum, difference, product, quotient
  Extreme,         // maxima, minima, copysign
  WholeQuotient,   // truncating and floored quotients, and what they leave
  FunctionOfTwo,   // a library function of two operands, nextafter
  Bits,            // of integers alone
  Comparison,      // of two operands, a truth
  Connective,      // of truths
  Classification,  // a truth about one operand
  Selection,       // where, clamp, hardtanh
  Fused,           // a product and a sum, with one rounding
  Formula,         // the printed steps, one by one; of integers, the row's exact steps
  Structural,      // moves, sizes, casts, what is made of nothing: slice.cpp
  Reduction,       // sums, products, extremes, of all terms or of those so far: reduction.cpp
  Pick,            // extreme_index.cpp
  Variance,        // welford.cpp
};

constexpr RuleGroup ruleGroup(fuser::OpKind op) {
  using fuser::OpKind;
  switch (op) {
    case OpKind::Abs:
    case OpKind::BitwiseNot:
    case OpKind::Ceil:
    case OpKind::Floor:
    case OpKind::Frac:
    case OpKind::Neg:
    case OpKind::Reciprocal:
    case OpKind::Relu:
    case OpKind::Relu6:
    case OpKind::Round:
    case OpKind::Sign:
    case OpKind::Sqrt:
    case OpKind::Square:
    case OpKind::Trunc: return RuleGroup::UnaryStep;
    case OpKind::Acos:
    case OpKind::Acosh:
    case OpKind::Asin:
    case OpKind::Asinh:
    case OpKind::Atan:
    case OpKind::Atanh:
    case OpKind::Cos:
    case OpKind::Cosh:
    case OpKind::Erf:
    case OpKind::Erfc:
    case OpKind::Exp:
    case OpKind::Exp2:
    case OpKind::Expm1:
    case OpKind::Lgamma:
    case OpKind::Log:
    case OpKind::Log10:
    case OpKind::Log1p:
    case OpKind::Log2:
    case OpKind::Sin:
    case OpKind::Sinh:
    case OpKind::Tan:
    case OpKind::Tanh: return RuleGroup::Function;
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Div: return RuleGroup::Arithmetic;
    case OpKind::ClampMax:
    case OpKind::ClampMin:
    case OpKind::Copysign:
    case OpKind::Fmax:
    case OpKind::Fmin:
    case OpKind::Maximum:
    case OpKind::Minimum: return RuleGroup::Extreme;
    case OpKind::TruncDiv:
    case OpKind::FloorDiv:
    case OpKind::Fmod:
    case OpKind::Remainder: return RuleGroup::WholeQuotient;
    case OpKind::Atan2:
    case OpKind::Hypot:
    case OpKind::Nextafter:
    case OpKind::Pow: return RuleGroup::FunctionOfTwo;
    case OpKind::BitwiseAnd:
    case OpKind::BitwiseOr:
    case OpKind::BitwiseXor:
    case OpKind::Gcd:
    case OpKind::Lcm:
    case OpKind::Philox:
    case OpKind::LeftShift:
    case OpKind::RightShift: return RuleGroup::Bits;
    case OpKind::Eq:
    case OpKind::Ne:
    case OpKind::Lt:
    case OpKind::Le:
    case OpKind::Gt:
    case OpKind::Ge: return RuleGroup::Comparison;
    case OpKind::LogicalAnd:
    case OpKind::LogicalOr:
    case OpKind::LogicalXor: return RuleGroup::Connective;
    case OpKind::IsFinite:
    case OpKind::IsInf:
    case OpKind::IsNan:
    case OpKind::IsNegInf:
    case OpKind::IsPosInf:
    case OpKind::LogicalNot:
    case OpKind::Signbit: return RuleGroup::Classification;
    case OpKind::Where:
    case OpKind::Clamp:
    case OpKind::Hardtanh: return RuleGroup::Selection;
    case OpKind::Fma: return RuleGroup::Fused;
    case OpKind::Addcdiv:
    case OpKind::Addcmul:
    case OpKind::Celu:
    case OpKind::Deg2rad:
    case OpKind::Elu:
    case OpKind::Gelu:
    case OpKind::GeluTanh:
    case OpKind::Hardshrink:
    case OpKind::Hardsigmoid:
    case OpKind::Hardswish:
    case OpKind::LeakyRelu:
    case OpKind::Lerp:
    case OpKind::Logaddexp:
    case OpKind::Logaddexp2:
    case OpKind::Logit:
    case OpKind::LogSigmoid:
    case OpKind::Mish:
    case OpKind::Rad2deg:
    case OpKind::Rsqrt:
    case OpKind::Selu:
    case OpKind::Sigmoid:
    case OpKind::Silu:
    case OpKind::Sinc:
    case OpKind::Softplus:
    case OpKind::Softshrink:
    case OpKind::Softsign:
    case OpKind::Tanhshrink:
    case OpKind::Threshold:
    case OpKind::Xlogy: return RuleGroup::Formula;
    case OpKind::Arange:
    case OpKind::Bitcast:
    case OpKind::Cast:
    case OpKind::Cat:
    case OpKind::Expand:
    case OpKind::Eye:
    case OpKind::Flip:
    case OpKind::Select:
    case OpKind::Unfold:
    case OpKind::SliceScatter:
    case OpKind::Gather:
    case OpKind::Scatter:
    case OpKind::ScatterAdd:
    case OpKind::Cond:
    case OpKind::Update:
    case OpKind::Full:
    case OpKind::Item:
    case OpKind::Pad:
    case OpKind::Permute:
    case OpKind::Repeat:
    case OpKind::Reshape:
    case OpKind::SegmentSet:
    case OpKind::Set:
    case OpKind::Size:
    case OpKind::Slice:
    case OpKind::Squeeze:
    case OpKind::Unsqueeze: return RuleGroup::Structural;
    case OpKind::All:
    case OpKind::Amax:
    case OpKind::Amin:
    case OpKind::Any:
    case OpKind::Mean:
    case OpKind::Prod:
    case OpKind::Sum:
    case OpKind::Cumsum:
    case OpKind::Cumprod:
    case OpKind::Cummax:
    case OpKind::Cummin: return RuleGroup::Reduction;
    case OpKind::Argmax:
    case OpKind::Argmin: return RuleGroup::Pick;
    case OpKind::Var:
    case OpKind::VarMean: return RuleGroup::Variance;
  }
  FUSER_CHECK(false, "bad OpKind");
}

}  // namespace oracle
