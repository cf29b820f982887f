#pragma once
// The nodes that differ in structure from an op of the language, by the names of import.def.

#include <optional>

#include "fuser/ops/family.h"
#include "fuzz/import/node_writer.h"

namespace fuser::fuzz {

// Writes the node as the op with this mnemonic, or as the name that is made of ops, with arguments of its own names
// (translate.cpp).
void writeCall(NodeWriter& node, const std::string& mnemonic);

// As a name that is made of other ops (fuser/text/expansions.h): tensors are operands, in their order, and the other
// arguments attributes (expansion_call.cpp).
void writeExpansion(NodeWriter& node, const std::string& name);

// What stands behind "attribute = "; nothing where the argument says what the text does not need. (translate.cpp)
std::optional<std::string> attributeValue(const NodeWriter& node, const FamilyAttribute& attribute,
                                          const Arguments& argument);
// The attribute of these that takes the argument; null: none does. (translate.cpp)
const FamilyAttribute* attributeFor(const std::vector<FamilyAttribute>& attributes, std::string_view argument);

namespace structural {
void added(NodeWriter& node);
void subtracted(NodeWriter& node);
void subtractedFrom(NodeWriter& node);
void addedProduct(NodeWriter& node);
void addedQuotient(NodeWriter& node);
void floorDivided(NodeWriter& node);
void clamped(NodeWriter& node);
void clampedByTensors(NodeWriter& node);
void maskedFill(NodeWriter& node);
void deviation(NodeWriter& node);
void reduced(NodeWriter& node);
void converted(NodeWriter& node);
void copied(NodeWriter& node);
void squeezed(NodeWriter& node);
void transposed(NodeWriter& node);
void selected(NodeWriter& node);
void pieces(NodeWriter& node);
void unbound(NodeWriter& node);
void stacked(NodeWriter& node);
void reshaped(NodeWriter& node);
void viewedAs(NodeWriter& node);
void placedSlice(NodeWriter& node);
void placedSelection(NodeWriter& node);
void replacedSlice(NodeWriter& node);
void replacedSelection(NodeWriter& node);
void gathered(NodeWriter& node);
void scattered(NodeWriter& node);
void extremeIndex(NodeWriter& node);
void slicesAtIndices(NodeWriter& node);
void embedded(NodeWriter& node);
void product(NodeWriter& node);
void putAtIndices(NodeWriter& node);
void indexed(NodeWriter& node);
void madeOfOps(NodeWriter& node);
void randomLikeSelf(NodeWriter& node);
void droppedOut(NodeWriter& node);
void filled(NodeWriter& node);
void filledWithZeros(NodeWriter& node);
void filledWithOnes(NodeWriter& node);
void logSigmoid(NodeWriter& node);
}  // namespace structural
}  // namespace fuser::fuzz
