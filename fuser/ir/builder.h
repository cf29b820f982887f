#pragma once
// Builders: PyTorch's ops with PyTorch's type and shape inference. They make explicit what PyTorch does implicitly:
// promotion inserts casts, broadcasting inserts unsqueezes, keepdim is a reduction followed by an unsqueeze.
// An invalid program is a UserError whose message names the op, the operand types and the rule that they break.

#include <span>
#include <string>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser::build {

using Operands = std::span<Val* const>;

// Any pointwise op. The result is a scalar if all operands are scalars. `name` is the result's; inserted values are
// named after their operand ("x.c1" for casts, "x.b1" for broadcasts).
Val* pointwise(Fusion& fusion, OpKind op, Operands operands, const std::string& name = "");
Val* unary(Fusion& fusion, OpKind op, Val* a, const std::string& name = "");
Val* binary(Fusion& fusion, OpKind op, Val* a, Val* b, const std::string& name = "");
Val* where(Fusion& fusion, Val* condition, Val* a, Val* b, const std::string& name = "");

// Any other op of the table. Attributes are as in the text: a negative axis counts from the end, and one with a default
// in families.def may be unset. Operands are those in parentheses, then all of those in braces. keepdim is for
// reductions. `names` are the results' names, or empty. A new family needs no function of its own below:
// build::structural(fusion, OpKind::Squeeze, {x}, Attributes().dims({-1}), {"y"}).
std::vector<Val*> structural(Fusion& fusion, OpKind op, std::vector<Val*> operands, Attributes attributes,
                             const std::vector<std::string>& names = {}, bool keepdim = false);
// The same for an op with one tensor result.
TensorView* structuralTensor(Fusion& fusion, OpKind op, std::vector<Val*> operands, Attributes attributes,
                             const std::string& name = "");

// Casts a tensor to any dtype, or a scalar to f64, i64 or bool.
Val* cast(Fusion& fusion, Val* a, DataType dtype, const std::string& name = "");

// A reduction such as sum or amax over `dims`. A negative dim counts from the end; empty means all, as in PyTorch.
TensorView* reduction(Fusion& fusion, OpKind op, TensorView* a, std::vector<int64_t> dims, bool keepdim,
                      const std::string& name = "");

// var (one result) or var_mean (variance, mean) over `dims`, as for reduction(). The divisor is max(0, count -
// correction). `names` are the results' names, or empty.
std::vector<TensorView*> welford(Fusion& fusion, OpKind op, TensorView* a, std::vector<int64_t> dims,
                                 int64_t correction, bool keepdim, const std::vector<std::string>& names = {});

TensorView* set(Fusion& fusion, TensorView* a, const std::string& name = "");
TensorView* segmentSet(Fusion& fusion, TensorView* a, const std::string& name = "");
TensorView* unsqueeze(Fusion& fusion, TensorView* a, std::vector<int64_t> dims, const std::string& name = "");
// Each of `dims` must be a broadcast axis that is not expanded.
TensorView* squeeze(Fusion& fusion, TensorView* a, std::vector<int64_t> dims, const std::string& name = "");
TensorView* permute(Fusion& fusion, TensorView* a, std::vector<int64_t> dims, const std::string& name = "");
// An entry of constant(-1), or the size of the axis, keeps the axis; a broadcast axis takes any size; extra leading
// sizes add axes in front.
TensorView* expand(Fusion& fusion, TensorView* a, std::vector<IntExpr> shape, const std::string& name = "");
// A tensor filled with a scalar. A constant size of 1 makes a broadcast axis.
TensorView* full(Fusion& fusion, std::vector<IntExpr> shape, Val* fillValue, DataType dtype,
                 const std::string& name = "");
// torch.arange over integers, converted to the dtype. `end` is exclusive; `step` is a constant other than 0.
TensorView* arange(Fusion& fusion, IntExpr start, IntExpr end, IntExpr step, DataType dtype,
                   const std::string& name = "");
Scalar* size(Fusion& fusion, TensorView* a, int64_t dim, const std::string& name = "");  // Tensor.size(dim): i64
// Tensor.item() of a rank-0 tensor on the host: f64, i64 or bool, by the category of its dtype.
Scalar* item(Fusion& fusion, TensorView* a, const std::string& name = "");

// a[start:end:step] along `dim`: a negative bound counts from the end, both are clamped. A null start, end or step
// stands for 0, the axis' size or 1.
TensorView* slice(Fusion& fusion, TensorView* a, int64_t dim, IntExpr start, IntExpr end, IntExpr step,
                  const std::string& name = "");
// torch.nn.functional.pad: `pads` has the number of elements to add before and after the last axis, then the axis
// before it, …; a negative number removes elements. `value` is a scalar.
TensorView* pad(Fusion& fusion, TensorView* a, std::vector<IntExpr> pads, Val* value, const std::string& name = "");
// torch.cat, with its dtype promotion. Axes do not broadcast.
TensorView* cat(Fusion& fusion, Operands tensors, int64_t dim, const std::string& name = "");
// torch.reshape: one entry may be constant(-1), which is inferred.
TensorView* reshape(Fusion& fusion, TensorView* a, std::vector<IntExpr> shape, const std::string& name = "");
// Tensor.repeat: a count per axis; extra leading counts add axes in front.
TensorView* repeat(Fusion& fusion, TensorView* a, std::vector<IntExpr> repeats, const std::string& name = "");

// Either of two tensors with one dtype and the same sizes (fuser/ir/branches.h). `condition`: a bool scalar.
TensorView* cond(Fusion& fusion, TensorView* a, TensorView* b, Val* condition, const std::string& name = "");

// What an update of `target` writes there: the source, converted to its dtype and broadcast to its sizes.
TensorView* asWritten(Fusion& fusion, TensorView* target, TensorView* source);
// `update %target = %source` (fuser/ir/updates.h), as PyTorch's copy_: the source is converted and broadcast.
Expr* update(Fusion& fusion, TensorView* target, TensorView* source);

// A row-major, contiguous input tensor; the constant size 1 makes a broadcast axis. For expanded axes and other layouts
// create the domain with Fusion::newTensor and call Fusion::addInput.
TensorView* input(Fusion& fusion, DataType dtype, const std::vector<IntExpr>& sizes, const std::string& name);
// An input tensor of rank 0 in host memory, like nvFuser's CPU scalar tensors.
TensorView* hostInput(Fusion& fusion, DataType dtype, const std::string& name);


}  // namespace fuser::build
