#pragma once
// The parser of `mesh` and `shard`, which place tensors on devices. Private to this folder.

#include <functional>

#include "fuser/ir/fusion.h"
#include "fuser/tokens/token_reader.h"

namespace fuser::text {

// Reads the name of a value of the fusion.
using ReadValue = std::function<Val*(std::string_view what)>;

// Reads `mesh {devices = [0, 1]}`, the fusion's mesh, or `mesh %x {devices = [1]}`, the mesh of one tensor.
void readMesh(TokenReader& reader, Fusion& fusion, const ReadValue& readValue);
// Reads `shard %x {dim = 0, type = DIDx}`.
void readShard(TokenReader& reader, Fusion& fusion, const ReadValue& readValue);

}  // namespace fuser::text
