// ChangeAttribute: other axes of a reduction, a broadcast or a permutation, another dtype, an entry of a shape, by what
// kind of attribute it is.

#include <algorithm>

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

// What a line has in its braces, in the order of the text.
struct AttributePlace {
  enum class What { Variant, Braced, Attribute } what;
  size_t braced = 0;
  const FamilyAttribute* attribute = nullptr;
};

std::vector<AttributePlace> placesOf(const EditLine& line) {
  std::vector<AttributePlace> places;
  if (!opInfo(line.op).variant.empty()) places.push_back({AttributePlace::What::Variant});
  size_t braced = 0;
  while (braced < std::min(namedOperands(line.op).size(), line.braced.size())) {
    places.push_back({AttributePlace::What::Braced, braced++});
  }
  for (const FamilyAttribute& attribute : familyAttributes(opInfo(line.op).family)) {
    if (attribute.kind == AttributeKind::Operand && braced < line.braced.size()) {
      places.push_back({AttributePlace::What::Braced, braced++});
    } else if (line.attributes.has(attribute.name)) {
      places.push_back({AttributePlace::What::Attribute, 0, &attribute});
    }
  }
  return places;
}

// An entry becomes another number, one more comes or one goes, or all stand the other way round.
template <class Entry, class Make>
void changeList(std::vector<Entry>& entries, Choices& choices, Make make) {
  const auto place = [&] { return choices.index(std::max<size_t>(entries.size(), 1)); };
  switch (choices.index(4)) {
    case 0: {
      const Entry entry = make(choices.integer(-2, 5));
      const size_t at = place();
      if (entries.empty()) entries.resize(1);
      entries[at] = entry;
      break;
    }
    case 1: entries.push_back(make(choices.integer(0, 4))); break;
    case 2: {
      const size_t at = place();
      if (!entries.empty()) entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    }
    default: std::reverse(entries.begin(), entries.end()); break;
  }
}

bool changeAttribute(CaseEdit& edit, EditLine& line, const FamilyAttribute& attribute, Choices& choices) {
  Attributes& attributes = line.attributes;
  const auto number = [&] { return choices.integer(-2, 4); };
  switch (attribute.kind) {
    case AttributeKind::Axis: attributes.setAxis(attribute.name, number()); return true;
    case AttributeKind::Axes: {
      std::vector<int64_t> axes = attributes.axes(attribute.name);
      changeList(axes, choices, [](int64_t axis) { return axis; });
      attributes.setAxes(attribute.name, std::move(axes));
      return true;
    }
    case AttributeKind::Extents:
    case AttributeKind::Counts:
    case AttributeKind::Bounds: {
      std::vector<IntExpr> sizes = attributes.integers(attribute.name);
      changeList(sizes, choices, [&](int64_t size) { return edit.extents.constant(size); });
      attributes.setIntegers(attribute.name, std::move(sizes));
      return true;
    }
    case AttributeKind::Extent:
    case AttributeKind::Bound: attributes.setBound(attribute.name, edit.extents.constant(number())); return true;
    case AttributeKind::Number: attributes.setNumber(attribute.name, number()); return true;
    case AttributeKind::Dtype: attributes.setDtype(attribute.name, choices.pick(kAllDataTypes)); return true;
    case AttributeKind::Mark: attributes.setMark(attribute.name, !attributes.has(attribute.name)); return true;
    case AttributeKind::Word:
    case AttributeKind::Flag:
    case AttributeKind::Operand: return false;  // no part of an expression's attributes
  }
  return false;
}

}  // namespace

bool mutateChangeAttribute(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  std::vector<size_t> lines;
  for (size_t i = 0; i < edit.lines.size(); ++i) {
    if (!placesOf(edit.lines[i]).empty()) lines.push_back(i);
  }
  if (lines.empty()) return false;
  EditLine& line = edit.lines[choices.pick(lines)];
  const std::vector<AttributePlace> places = placesOf(line);
  const AttributePlace place = places[choices.index(places.size())];
  switch (place.what) {
    // No number is a variant; drawn all the same, so that what is drawn later keeps its place in the stream.
    case AttributePlace::What::Variant: choices.integer(-2, 4); return false;
    case AttributePlace::What::Braced: line.braced[place.braced] = ScalarValue(choices.integer(-2, 4)); return true;
    case AttributePlace::What::Attribute: return changeAttribute(edit, line, *place.attribute, choices);
  }
  return false;
}

}  // namespace fuser::fuzz
