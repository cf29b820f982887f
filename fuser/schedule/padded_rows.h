#pragma once
// Rows of a tile in shared memory, padded for a tile that is read along rows and across.

#include "fuser/schedule/facts.h"

namespace fuser {

// Pads a tile of `rows` rows of `row` elements of so many bytes, so that a warp meets each bank once, whether its
// threads lie along rows or across.
RowPadding paddingOf(int64_t row, int64_t rows, int64_t bytesOfElement);

// The bytes that a tile of so many elements takes, up to where another buffer may begin.
int64_t bytesOfTile(int64_t elements, const RowPadding& padding, int64_t bytesOfElement);

// Appends the steps that put the tile into shared memory.
void keepInShared(Schedule& schedule, const std::string& name, const RowPadding& padding);

}  // namespace fuser
