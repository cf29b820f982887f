#pragma once
// The nodes that differ in structure from an op of the language, by the names of import.def.

#include "fuzz/import/node_writer.h"

namespace fuser::fuzz {

// Writes the node as the op with this mnemonic, with arguments of its own names (translate.cpp).
void writeCall(NodeWriter& node, const std::string& mnemonic);

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
void filled(NodeWriter& node);
void filledWithZeros(NodeWriter& node);
void filledWithOnes(NodeWriter& node);
void logSigmoid(NodeWriter& node);
}  // namespace structural
}  // namespace fuser::fuzz
