#pragma once
// Names made of other ops: a text may have them, and is printed with what they are made of. A new one is a function in
// expansions.cpp (of several steps, in a file of its own), and a line of a table there: of new names, or of ops' own
// names with attributes that the op does not have.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser::text {

// The attributes that a text gives to such a name, each by itself.
class NamedAttributes {
 public:
  void set(AttributeName name, Attributes value) { values_[name] = std::move(value); }
  bool has(AttributeName name) const { return values_.count(name) != 0; }
  // Those that are required are there.
  int64_t axis(AttributeName name) const { return values_.at(name).axis(name); }
  int64_t axisOr(AttributeName name, int64_t otherwise) const { return has(name) ? axis(name) : otherwise; }
  const std::vector<int64_t>& axes(AttributeName name) const { return values_.at(name).axes(name); }
  const std::vector<IntExpr>& integers(AttributeName name) const { return values_.at(name).integers(name); }
  IntExpr bound(AttributeName name) const { return values_.at(name).bound(name); }
  DataType dtype(AttributeName name) const { return values_.at(name).dtypeOf(name); }
  DataType dtypeOr(AttributeName name, DataType otherwise) const { return has(name) ? dtype(name) : otherwise; }
  // Of a list of counts, whether it is one number without brackets.
  void setFlag(AttributeName name, bool value) { flags_[name] = value; }
  bool flagOr(AttributeName name, bool otherwise) const {
    return flags_.count(name) != 0 ? flags_.at(name) : otherwise;
  }
  int64_t number(AttributeName name) const { return values_.at(name).number(name); }
  void setWord(AttributeName name, std::string_view word) { words_[name] = word; }
  std::string_view wordOr(AttributeName name, std::string_view otherwise) const {
    return words_.count(name) != 0 ? words_.at(name) : otherwise;
  }
  void setOperand(AttributeName name, Val* value) { operands_[name] = value; }
  bool hasOperand(AttributeName name) const { return operands_.count(name) != 0; }
  Val* operand(AttributeName name) const { return operands_.at(name); }
  void forEachOperand(const std::function<void(Val*&)>& edit) {
    for (auto& [name, value] : operands_) edit(value);
  }

 private:
  std::map<AttributeName, Attributes> values_;
  std::map<AttributeName, Val*> operands_;
  std::map<AttributeName, bool> flags_;
  std::map<AttributeName, std::string> words_;
};

// What stands in the braces behind a name, before they are read: a tensor, a number with a point, something else.
enum class Given : uint8_t { Tensor, Real, Other };
using GivenAttributes = std::map<std::string_view, Given>;
// Among them where what stands first in the parentheses is a tensor of u8.
inline constexpr std::string_view kFirstIsBytes = "(u8)";

// It takes a seed and an offset: those of the run, and its place among such names, where the text gives none.
inline constexpr unsigned kIsRandom = 1;
// Its indices count from the end where they are negative, and are made to count from the start.
inline constexpr unsigned kCountsFromEnd = 2;
// It is built of the memory that its operand views, from the attribute storage_offset on.
inline constexpr unsigned kReadsMemory = 4;

struct Expansion {
  std::string_view name;
  OpKind operands;              // it takes the operands of this op
  std::string_view attributes;  // and these attributes in braces, written as in families.def
  // `name` is the result's. A UserError where one of the ops would have one.
  TensorView* (*build)(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                       const std::string& name);
  // Of a name with two results, the second one.
  TensorView* (*second)(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                        const std::string& name) = nullptr;
  // Of what PyTorch makes a view of its operand, and we a copy (copied_views.h): the operand with what the second
  // operand has in place of the elements that the view shows, of the same attributes.
  TensorView* (*scatter)(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                         const std::string& name) = nullptr;
  unsigned traits = 0;  // of those above
  // In place of `build`: of a name with as many results as the text asks for. A UserError where it has others.
  std::vector<TensorView*> (*several)(Fusion& fusion, const std::vector<Val*>& operands,
                                      const NamedAttributes& attributes,
                                      const std::vector<std::string>& names) = nullptr;
};

// Null where the table has no such name, or has it for other attributes than those ahead. `ahead` is called for such
// names alone. Of a name that has one result or two, that with so many.
const Expansion* findExpansion(std::string_view name, size_t results = 1,
                               const std::function<GivenAttributes()>& ahead = {});
std::vector<std::string_view> expansionNames();
// All of them, ops' own names with other attributes behind the others.
std::vector<const Expansion*> allExpansions();

using ExpansionFunction = TensorView*(Fusion& fusion, const std::vector<Val*>& operands,
                                      const NamedAttributes& attributes, const std::string& name);

// --- expanded_views.cpp ---
ExpansionFunction rolled, diagonal, diagonalScatter, diagonalEmbedded;
// --- expanded_bits.cpp ---
ExpansionFunction viewedAs, viewedBack;
// --- expanded_strided.cpp ---
ExpansionFunction asStrided, asStridedScatter;
// --- expanded_scatters.cpp ---
ExpansionFunction indexAdded, indexCopied, indexPut, indexFilled, scatteredValue;
// --- expanded_products.cpp ---
ExpansionFunction matmul, mm, mv, dot, bmm, outer, linear, addmm, addmv, baddbmm;
// --- expanded_shapes.cpp ---
ExpansionFunction transposed, matrixTransposed, moved, flattened, unflattened, viewedShape, viewedLike, expandedLike,
    narrowed, stacked;
using SeveralFunction = std::vector<TensorView*>(Fusion& fusion, const std::vector<Val*>& operands,
                                                 const NamedAttributes& attributes,
                                                 const std::vector<std::string>& names);
SeveralFunction split, chunked;
// --- expanded_composites.cpp ---
ExpansionFunction softmax, logSoftmax, logSumExp, deviation, triu, tril, oneHot, countNonzero, glu, swiglu;
// --- expanded_norms.cpp ---
ExpansionFunction layerNorm, rmsNorm, groupNorm, batchNorm, instanceNorm, vectorNorm;
// --- expanded_losses.cpp ---
ExpansionFunction mseLoss, nllLoss, crossEntropy;
// --- expanded_attention.cpp ---
ExpansionFunction attention;
// --- expanded_scans.cpp ---
ExpansionFunction cumulativeSum, cumulativeProduct, logCumulativeSumExp;
SeveralFunction cumulativeMaximum, cumulativeMinimum;
// --- expanded_order.cpp ---
ExpansionFunction sortedIndices, medianOfAll, bucketized, searchSorted, isIn;
SeveralFunction sorted, topK, kthValue, medianAlong;
// --- expanded_windows.cpp ---
template <int kAxes>  // 0: as the operand has
std::vector<TensorView*> maxPool(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                                 const std::vector<std::string>& names);
template <int kAxes>
TensorView* averagePool(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                        const std::string& name);
ExpansionFunction reducedWindows, unfoldedToColumns;
// --- expanded_resizing.cpp ---
ExpansionFunction interpolated;
// --- expanded_fills.cpp ---
ExpansionFunction zeros, ones, zerosLike, onesLike, fullLike;
// --- expanded_attributes.cpp ---
ExpansionFunction slicedAlongAxes, roundedTo, logitWithin, bounded, variance, meanBeside;
template <OpKind kOp>  // Any, All
TensorView* truthOfBytes(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                         const std::string& name);
template <OpKind kOp>  // Add, Sub
TensorView* scaledBy(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                     const std::string& name);
template <OpKind kOp>  // Sum, Prod, Mean
TensorView* reducedIn(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name);
template <OpKind kOp>  // Addcmul, Addcdiv
TensorView* addedBy(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                    const std::string& name);
// --- expanded_random.cpp ---
ExpansionFunction rand, randn, randLike, randnLike, uniform, normal, bernoulli, dropout, randint;

inline TensorView* tensorAt(const std::vector<Val*>& operands, size_t i) { return operands.at(i)->as<TensorView>(); }
// Bits of a float's significand, the first one included.
int precisionOf(DataType dtype);
// The axis that a number names, of a tensor, from 0. A UserError where there is none; `op` is the name in it.
size_t axisOf(std::string_view op, const TensorView* tensor, int64_t written);
// The size of an axis: a number where it is known.
Val* sizeAsScalar(Fusion& fusion, TensorView* tensor, size_t axis, const std::string& name);
// start, start + 1, …, along one axis of a tensor of this rank, whose other axes have one element; i64.
TensorView* countsAlong(Fusion& fusion, int64_t start, IntExpr size, size_t axis, size_t rank, const std::string& name);
// A vector along this axis of a tensor of this rank, for broadcasting to it: axes of one element are put behind it.
TensorView* alongAxis(Fusion& fusion, TensorView* vector, size_t axis, size_t rank, const std::string& name);
// What is written in place of what a view of a tensor shows, in that one's dtype. A UserError of `op` where its sizes
// are others than those that are shown, 1 among them; what only a run knows is checked there.
TensorView* ofSizes(std::string_view op, Fusion& fusion, DataType dtype, TensorView* written,
                    const std::vector<IntExpr>& shown, const std::string& name);
// Indices of an axis of this size: negative ones count from its end.
TensorView* countedFromStart(Fusion& fusion, TensorView* indices, Val* size, const std::string& name);
// A vector of indices along an axis as indices of all of the tensor's places along the others.
TensorView* placesAlong(Fusion& fusion, TensorView* indices, const TensorView* tensor, size_t dim,
                        const std::string& name);
// A scalar as an element of this dtype, converted as PyTorch converts what fills a tensor. A UserError of `op` where a
// literal does not fit.
Val* filling(std::string_view op, Fusion& fusion, Val* scalar, DataType dtype, const std::string& name);
// The slices at a vector of indices along an axis: each index for all places along the others.
TensorView* indexSelected(Fusion& fusion, TensorView* tensor, TensorView* indices, size_t dim, const std::string& name);

}  // namespace fuser::text
