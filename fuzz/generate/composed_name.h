#pragma once
// What all names have that the generator draws and the text makes of other ops (fuser/text/expansions.h).

#include <string_view>

#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {

struct ComposedName {
  std::string_view name;
  // Statements that have it, of the tensors of kSampleOperands: what they are made of is what the name is made of.
  std::string_view sample;
  bool isExact;  // of small whole numbers
};

// Whether the policy allows all ops that it is made of, and its results are exact where data are to be.
bool mayDraw(const Workspace& work, const ComposedName& drawn);

// --- draws that several names have ---
// Neither wild nor too large for its dtype, with elements in each run, and not stored alone.
bool isPlain(const TensorValue& value);
Sizes sizesAlong(const TensorValue& value, size_t axis);
AxisPlan axisOf(const Sizes& sizes);
// All axes of a value.
std::vector<AxisPlan> axesOf(const TensorValue& value);
// A new input of small whole numbers, or, of floats, of any numbers as often. Returns its index; the policy must have
// inputs, and the shape must be affordable.
size_t newNumbers(Workspace& work, DataType dtype, const std::vector<AxisPlan>& shape);
// A new input of numbers from `low` to `high`; whole ones of integers and of exact data.
size_t newNumbersWithin(Workspace& work, DataType dtype, const std::vector<AxisPlan>& shape, double low, double high);

// --- windows.cpp, layers.cpp, searches.cpp, complex_draws.cpp ---
// Each adds a name of its own list. False where nothing fits.
bool drawWindows(Workspace& work);
bool drawLayer(Workspace& work);
bool drawSearch(Workspace& work);
bool drawComplex(Workspace& work);

}  // namespace fuser::fuzz
