#pragma once
// Complex numbers of a text. The fusion has real tensors alone: a complex value is the pair of its parts, two tensors
// of one dtype and equal sizes, f32 (complex64) or f64 (complex128); in memory it is one real tensor with a last axis
// of 2 more, as torch.view_as_real gives it. A new name is a function in expanded_complex.cpp and a line of a table in
// complex_names.cpp.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/text/expansions.h"

namespace fuser::text {

struct ComplexValue {
  TensorView* real = nullptr;
  TensorView* imaginary = nullptr;
  bool isConjugate = false;  // the imaginary part is the negative of `imaginary`: the memory is that of another value
  TensorView* whole = nullptr;  // the parts in one tensor, where there is one
};

// The dtype of the parts: f32 of complex64 (c64), f64 of complex128 (c128). nullopt for another name.
std::optional<DataType> partOfComplex(std::string_view name);
// "complex64": of parts of this dtype.
std::string_view complexName(DataType part);
// "complex64[i0, i1]"
std::string typeText(const ComplexValue& value);

// The parts of what lies in a tensor whose last axis has the size 2.
ComplexValue partsOf(Fusion& fusion, TensorView* whole, const std::string& name);
// The imaginary part itself.
TensorView* imaginaryOf(Fusion& fusion, const ComplexValue& value, const std::string& name);
// Both parts in one new tensor, with a last axis of 2.
TensorView* joined(Fusion& fusion, const ComplexValue& value, const std::string& name);

// An operand: real, a tensor or a scalar, where it has no imaginary part.
struct ComplexOperand {
  Val* real = nullptr;
  TensorView* imaginary = nullptr;
  bool isComplex() const { return imaginary != nullptr; }
};

// The dtype of the parts of what the operands come to: that of torch.result_type, where complex64 stands for f32 and
// complex128 for f64. A UserError of `op` where it is complex32, which the language does not have.
DataType commonPart(std::string_view op, const std::vector<ComplexOperand>& operands);

// What a name gives: a complex value, or a real tensor alone.
struct ComplexResult {
  ComplexValue value;
  TensorView* real = nullptr;
};

// A name of complex values with a function of its own.
struct ComplexFunction {
  std::string_view name;
  size_t operands;
  std::string_view attributes;  // as in families.def
  ComplexResult (*build)(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes& attributes,
                         const std::string& name);
};
const ComplexFunction* findComplexFunction(std::string_view name);
std::vector<std::string_view> complexFunctionNames();

// Which operands of an op are numbers, that have parts, and no indices or conditions.
enum class Numbers : uint8_t {
  All,    // of any of them complex, the result is
  First,  // the others are indices, or give sizes
  FirstAndLast,
  FirstAndThird,
  Behind,  // all behind the first one, a condition
};
// A name that does the same with each part: it is read twice. Of the imaginary part real numbers are 0.
struct NameOfParts {
  std::string_view name;
  Numbers numbers = Numbers::First;
  // The name for the imaginary part, where it is another one.
  std::string_view imaginary = {};
  bool hasSizesAlone = false;  // of the operand behind: it may be complex or real
};
const NameOfParts* findNameOfParts(std::string_view name);
// A name that is linear in either of two complex operands: it is read four times.
bool isBilinear(std::string_view name);
// Names that the language has for complex values alone, and those that make one of real ones.
bool isOfComplexAlone(std::string_view name);
std::vector<std::string_view> namesOfComplexAlone();

// Names that PyTorch refuses for complex operands, which have no order.
bool needsOrder(std::string_view name);

using ComplexBuild = ComplexResult(Fusion& fusion, const std::vector<ComplexOperand>& operands,
                                   const NamedAttributes& attributes, const std::string& name);
// --- expanded_complex.cpp ---
ComplexBuild complexProduct, complexQuotient, complexReciprocal, complexSquare, complexSize, complexAngle,
    complexFromParts, complexFromPolar, complexEqual, complexUnequal, complexIsNan, complexIsInf, complexIsFinite;
// --- expanded_complex_prod.cpp ---
ComplexBuild complexProd;

}  // namespace fuser::text
