#pragma once
// What all names have that the generator draws and the text makes of other ops (fuser/text/expansions.h).

#include <span>
#include <string_view>

#include "fuser/text/expansions.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {

struct ComposedName {
  std::string_view name;
  // Statements that have it, of the tensors of kSampleOperands: what they are made of is what the name is made of.
  std::string_view sample;
  bool isExact;  // of small whole numbers
};

// A name, and what draws it: false where nothing fits.
struct DrawnName : ComposedName {
  bool (*draw)(Workspace& work, std::string_view name);
};

// Whether the policy allows all ops that it is made of, and its results are exact where data are to be.
bool mayDraw(const Workspace& work, const ComposedName& drawn);
// Draws one of these, of those that may be drawn.
bool drawOneOf(Workspace& work, std::span<const DrawnName> names);
// Builds the name of these operands, and keeps its result; counted as drawn.
void keepNamed(Workspace& work, std::string_view name, const std::vector<Val*>& operands,
               const text::NamedAttributes& attributes, const Estimate& estimate);

// The names that were drawn, each once: "softmax, complex mul".
std::string namesOf(const Workspace& work);

// --- draws that several names have ---
// Neither wild nor too large for its dtype, with elements in each run, and not stored alone.
bool isPlain(const TensorValue& value);
// Whether its axes have these very extents: two names of one size would be checked against each other, as no program
// does that knows them equal.
bool hasSizes(const TensorValue& value, const std::vector<IntExpr>& sizes);
Sizes sizesAlong(const TensorValue& value, size_t axis);
AxisPlan axisOf(const Sizes& sizes);
// All axes of a value.
std::vector<AxisPlan> axesOf(const TensorValue& value);
// A constant operand among the attributes.
void setNumber(Workspace& work, text::NamedAttributes& attributes, AttributeName name, double number);
// An axis of an attribute, by its number.
void setAxis(text::NamedAttributes& attributes, AttributeName name, size_t axis);
Estimate withinMagnitude(double magnitude);
// A new input of small whole numbers, or, of floats, of any numbers as often. Returns its index; the policy must have
// inputs, and the shape must be affordable.
size_t newNumbers(Workspace& work, DataType dtype, const std::vector<AxisPlan>& shape);
// A new input of numbers from `low` to `high`; whole ones of integers and of exact data.
size_t newNumbersWithin(Workspace& work, DataType dtype, const std::vector<AxisPlan>& shape, double low, double high);

// --- windows.cpp, layers.cpp, searches.cpp, complex_draws.cpp, at_indices.cpp, reshapings.cpp, forms.cpp ---
// Each adds a name of its own list. False where nothing fits.
bool drawWindows(Workspace& work);
bool drawLayer(Workspace& work);
bool drawSearch(Workspace& work);
bool drawComplex(Workspace& work);
bool drawAtIndices(Workspace& work);
bool drawReshaping(Workspace& work);
bool drawForm(Workspace& work);

}  // namespace fuser::fuzz
