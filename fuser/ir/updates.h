#pragma once
// Updates: `update %v = %u` writes %u to the memory that %v views, as PyTorch's %v.copy_(%u) does. An update is an
// expression of the fusion (family Update) whose result nobody reads. Of a fusion with updates, the order of exprs() is
// that of its statements: a statement reads what memory holds when its turn comes.
//
// Which values share memory is PyTorch's: slice, select, permute, unsqueeze, squeeze and expand give views of their
// operand's memory, and so does a reshape where strides allow it; all other ops, set, flip and casts among them, give
// memory of their own, which is row-major. (PyTorch keeps the strides of operands in pointwise ops; a reshape of such a
// result may copy there.)

#include <string>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

bool hasUpdates(const Fusion& fusion);

// Whether some update writes to memory of this tensor's.
bool isUpdated(const Fusion& fusion, const TensorView* storage);

enum class Memory : uint8_t {
  Own,        // the result has memory of its own
  OfOperand,  // the result is a view of its operand's memory
  Depends,    // sizes and strides of a run decide: a reshape of an input with gaps, of a slice, …
};
Memory memoryOf(const Expr* expr);

// The tensor whose memory this one views: the first of the chain of views, an input or what an op computes.
const TensorView* storageOf(const TensorView* tensor);

// The expressions from the storage to the tensor, first to last, all views; empty for the storage itself.
std::vector<Expr*> viewsTo(const TensorView* tensor);

// The place of a view's first element in the memory that it views, in elements; null where sizes of a run decide
// strides.
IntExpr offsetOf(const TensorView* tensor);

// Why `update` can never write to this tensor; "" when it can.
std::string whyNoUpdate(const TensorView* tensor);

}  // namespace fuser
