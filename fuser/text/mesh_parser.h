#pragma once
// The parser of `mesh` and `shard`: which devices hold what. Not for use outside of this folder.

#include <functional>

#include "fuser/ir/fusion.h"
#include "fuser/tokens/token_reader.h"

namespace fuser::text {

// Reads the name of a value of the fusion.
using ReadValue = std::function<Val*(std::string_view what)>;

// mesh {devices = [0, 1]}: of the fusion; mesh %x {devices = [1]}: of one tensor
void readMesh(TokenReader& reader, Fusion& fusion, const ReadValue& readValue);
// shard %x {dim = 0, type = DIDx}
void readShard(TokenReader& reader, Fusion& fusion, const ReadValue& readValue);

}  // namespace fuser::text
