// Parses `mesh` and `shard`.

#include "fuser/text/mesh_parser.h"

#include "fuser/tokens/literals.h"

namespace fuser::text {
namespace {

// {devices = [0, 1]}
DeviceMesh readDevices(TokenReader& reader) {
  std::vector<int> devices;
  reader.expect("{");
  reader.expect("devices");
  reader.expect("=");
  const Token listAt = reader.peek();
  reader.list("[", "]", static_cast<size_t>(kMaxDevices), [&] {
    const Token at = reader.peek();
    const int64_t device = readInteger(reader);
    if (device < 0 || device >= kMaxDevices) reader.fail(at, "a device is a number from 0 to ", kMaxDevices - 1);
    if (DeviceMesh(devices).contains(static_cast<int>(device))) reader.fail(at, "device ", device, " is named twice");
    devices.push_back(static_cast<int>(device));
  });
  if (devices.empty()) reader.fail(listAt, "a mesh needs at least one device");
  reader.expect("}");
  return DeviceMesh(std::move(devices));
}

// Reads a tensor that may have a placement of its own.
TensorView* readPlacedTensor(TokenReader& reader, const Fusion& fusion, const ReadValue& readValue) {
  const Token at = reader.peek();
  Val* val = readValue("a tensor");
  if (!val->isTensor()) reader.fail(at, "%", at.text, " is not a tensor");
  if (val->as<TensorView>()->isCpuScalar())
    reader.fail(at, "%", at.text, " is a host tensor and cannot be placed on devices");
  if (!fusion.hasDevices()) reader.fail(at, "the fusion has no mesh yet: declare one, as mesh {devices = [0, 1]}");
  return val->as<TensorView>();
}

}  // namespace

void readMesh(TokenReader& reader, Fusion& fusion, const ReadValue& readValue) {
  const Token word = reader.expect("mesh");
  if (reader.at("{")) {
    if (fusion.hasDevices()) reader.fail(word, "the fusion has a mesh already");
    fusion.setMesh(readDevices(reader));
    return;
  }
  const Token at = reader.peek();
  TensorView* tensor = readPlacedTensor(reader, fusion, readValue);
  if (!tensor->domain().mesh.empty()) reader.fail(at, "%", at.text, " has a mesh already");
  const Token meshAt = reader.peek();
  tensor->domain().mesh = readDevices(reader);
  if (!fusion.mesh().containsAll(tensor->domain().mesh)) {
    reader.fail(meshAt, "the fusion's mesh has the devices ", toString(fusion.mesh()), " alone");
  }
}

void readShard(TokenReader& reader, Fusion& fusion, const ReadValue& readValue) {
  reader.expect("shard");
  const Token at = reader.peek();
  const TensorView* tensor = readPlacedTensor(reader, fusion, readValue);
  for (const IterDomain* axis : tensor->axes()) {
    if (axis->parallelType() == ParallelType::DIDx) reader.fail(at, "%", at.text, " has a sharded axis already");
  }
  reader.expect("{");
  reader.expect("dim");
  reader.expect("=");
  const Token dimAt = reader.peek();
  const int64_t written = readInteger(reader), rank = static_cast<int64_t>(tensor->rank());
  const int64_t dim = written < 0 ? written + rank : written;
  reader.expect(",");
  reader.expect("type");
  reader.expect("=");
  const Token typeAt = reader.expect(TokenKind::Identifier, "a type: DIDx");
  if (typeAt.text != parallelTypeName(ParallelType::DIDx)) reader.fail(typeAt, "an axis is sharded as DIDx");
  reader.expect("}");
  if (dim < 0 || dim >= rank) reader.fail(dimAt, "%", at.text, " has ", rank, " axes");
  IterDomain* axis = tensor->axes()[static_cast<size_t>(dim)];
  if (!axis->isIteration()) reader.fail(dimAt, "axis ", dim, " of %", at.text, " is a broadcast axis");
  if (axis->parallelType() == ParallelType::Stream) {
    reader.fail(dimAt, "axis ", dim, " of %", at.text, " runs on streams");
  }
  axis->parallelize(ParallelType::DIDx);
}

}  // namespace fuser::text
