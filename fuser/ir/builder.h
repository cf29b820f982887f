#pragma once
// Builders: PyTorch's ops, with PyTorch's type and shape inference. What PyTorch does implicitly becomes explicit here:
// promotion inserts casts, broadcasting inserts unsqueezes, keepdim is a reduction followed by an unsqueeze.
// A bad program is a UserError whose message names the op, the operands' types and the rule.

#include <span>
#include <string>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser::build {

using Operands = std::span<Val* const>;

// Any pointwise row; on scalars alone the result is a scalar. Names: of the result; inserted values are named after
// the operand ("x.c1" for casts, "x.b1" for broadcasts).
Val* pointwise(Fusion& fusion, OpKind op, Operands operands, const std::string& name = "");
Val* unary(Fusion& fusion, OpKind op, Val* a, const std::string& name = "");
Val* binary(Fusion& fusion, OpKind op, Val* a, Val* b, const std::string& name = "");
Val* where(Fusion& fusion, Val* condition, Val* a, Val* b, const std::string& name = "");

// Any other row of the op table, with attributes as a program gives them: negative axes count from the end, what the
// row of families.def lets one leave out may be unset. Operands: those in the parentheses, then those in the braces
// (all of them). keepdim: of a reduction. names: of the results, or empty. A family without a function of its own below
// needs none: build::structural(fusion, OpKind::Squeeze, {x}, Attributes().dims({-1}), {"y"}).
std::vector<Val*> structural(Fusion& fusion, OpKind op, std::vector<Val*> operands, Attributes attributes,
                             const std::vector<std::string>& names = {}, bool keepdim = false);
// Of an op with one result, a tensor.
TensorView* structuralTensor(Fusion& fusion, OpKind op, std::vector<Val*> operands, Attributes attributes,
                             const std::string& name = "");

// A tensor to any dtype; a scalar to f64, i64 or bool.
Val* cast(Fusion& fusion, Val* a, DataType dtype, const std::string& name = "");

// sum, prod, amax, amin over dims (negative count from the end; empty means all, as in PyTorch).
TensorView* reduction(Fusion& fusion, OpKind op, TensorView* a, std::vector<int64_t> dims, bool keepdim,
                      const std::string& name = "");

// var (one result) and var_mean (variance, mean) over dims, as reduction takes them; the divisor is the count less the
// correction, at least 0. names: of the results, or empty.
std::vector<TensorView*> welford(Fusion& fusion, OpKind op, TensorView* a, std::vector<int64_t> dims,
                                 int64_t correction, bool keepdim, const std::vector<std::string>& names = {});

TensorView* set(Fusion& fusion, TensorView* a, const std::string& name = "");
TensorView* segmentSet(Fusion& fusion, TensorView* a, const std::string& name = "");
TensorView* unsqueeze(Fusion& fusion, TensorView* a, std::vector<int64_t> dims, const std::string& name = "");
// Each axis must be a broadcast axis, not expanded.
TensorView* squeeze(Fusion& fusion, TensorView* a, std::vector<int64_t> dims, const std::string& name = "");
TensorView* permute(Fusion& fusion, TensorView* a, std::vector<int64_t> dims, const std::string& name = "");
// One entry an axis; constant(-1), or the axis' own size, keeps the axis; a broadcast axis may take any other size.
TensorView* expand(Fusion& fusion, TensorView* a, std::vector<IntExpr> shape, const std::string& name = "");
// A constant size 1 makes a broadcast axis.
TensorView* full(Fusion& fusion, std::vector<IntExpr> shape, Val* fillValue, DataType dtype,
                 const std::string& name = "");
// start, start + step, … before end; step is a constant other than 0. Integers, converted to the dtype.
TensorView* arange(Fusion& fusion, IntExpr start, IntExpr end, IntExpr step, DataType dtype,
                   const std::string& name = "");
Scalar* size(Fusion& fusion, TensorView* a, int64_t dim, const std::string& name = "");
// The element of a tensor on the host: f64, i64 or bool, by the category of its dtype.
Scalar* item(Fusion& fusion, TensorView* a, const std::string& name = "");

// PyTorch's bounds: negative ones count from the end, both are clamped. A null end is the axis' size.
TensorView* slice(Fusion& fusion, TensorView* a, int64_t dim, IntExpr start, IntExpr end, IntExpr step,
                  const std::string& name = "");
// pads: what is added before and behind the last axis, then the one before it, …; negative: removed. The value is a
// scalar.
TensorView* pad(Fusion& fusion, TensorView* a, std::vector<IntExpr> pads, Val* value, const std::string& name = "");
// Promotes the dtypes as torch.cat does. Axes do not broadcast.
TensorView* cat(Fusion& fusion, Operands tensors, int64_t dim, const std::string& name = "");
// One entry may be constant(-1).
TensorView* reshape(Fusion& fusion, TensorView* a, std::vector<IntExpr> shape, const std::string& name = "");
// Tensor.repeat: a number for each axis; more of them add axes in front.
TensorView* repeat(Fusion& fusion, TensorView* a, std::vector<IntExpr> repeats, const std::string& name = "");

// An input tensor, row-major and contiguous; constant 1 is a broadcast axis. For expanded axes and other layouts make
// the domain with Fusion::newTensor and call Fusion::addInput.
TensorView* input(Fusion& fusion, DataType dtype, const std::vector<IntExpr>& sizes, const std::string& name);
// An input of rank 0 that lies on the host.
TensorView* hostInput(Fusion& fusion, DataType dtype, const std::string& name);


}  // namespace fuser::build
