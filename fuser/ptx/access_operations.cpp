// Loads, stores and atomics as operations.

#include <algorithm>

#include "fuser/ptx/operation_builder.h"
#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

// Words of accesses, besides those of their operations and types. A hint for caches means nothing here.
bool hasKnownWords(const OpcodeWords& words) {
  OpcodeWords rest = words;
  const bool isAtomic = words.first() == "atom" || words.first() == "red";
  if (typeFrom(words.last())) rest.dropLast();
  if (isAtomic)
    return rest.hasOnly({"global", "shared", "relaxed", "acquire", "release", "acq_rel", "cta",  "gpu", "sys", "noftz",
                         "add",    "min",    "max",     "and",     "or",      "xor",     "exch", "cas", "inc", "dec"});
  return rest.hasOnly({"global", "shared", "local", "param", "const", "volatile", "relaxed", "acquire", "release",
                       "weak",   "mmio",   "cta",   "gpu",   "sys",   "nc",       "ca",      "cg",      "cs",
                       "lu",     "cv",     "wb",    "wt",    "v2",    "v4",       "v8"});
}

// What an opcode says of its access.
AccessOf accessOf(const OperationBuilder& to, const Instruction& at, const OpcodeWords& words) {
  if (!hasKnownWords(words)) to.failUnknown(at);
  AccessOf access;
  access.isVolatile = words.has("volatile") || words.has("relaxed") || words.has("acquire") || words.has("release") ||
                      words.has("mmio");
  const std::optional<Type> type = typeFrom(words.last());
  if (!type || bitsOf(*type) < 8 || bitsOf(*type) > 64 || words.has("shared::cluster")) to.failUnknown(at);
  access.type = *type;
  access.count = words.has("v2") ? 2 : words.has("v4") ? 4 : words.has("v8") ? 8 : 1;
  access.isGeneric =
      !words.has("global") && !words.has("shared") && !words.has("local") && !words.has("param") && !words.has("const");
  access.space = words.has("shared") ? Space::Shared : words.has("local") ? Space::Local : Space::Global;
  // In global memory it would be no atomic for another block.
  if (access.space == Space::Global && words.has("cta")) to.failUnknown(at);
  return access;
}

// Fences of .release before an access, and of .acquire behind it.
void addOrder(OperationBuilder& to, const Instruction& at, const OpcodeWords& words, std::string_view order) {
  if (words.has(order) || words.has("acq_rel")) addFenceOf(to, at, fenceScopeOf(words));
}

// A policy of caches may be the last operand.
void needOperands(const OperationBuilder& to, const Instruction& at, const OpcodeWords& words, size_t count) {
  to.needOperands(at, count + words.has("L2::cache_hint"));
}

bool isPair(Type type) { return type == Type::F16x2 || type == Type::BF16x2; }

// The base of an address, extended to 64 bits; `offset`: what is added to it.
Place baseOf(OperationBuilder& to, const Frame& frame, const Instruction& at, const Operand& address, int64_t& offset) {
  if (address.kind != Operand::Kind::Address) to.fail(at, concat("'", at.opcode, "' at no address"));
  offset = address.offset;
  if (address.base == Operand::Base::Variable) offset += to.addressOf(frame, address);
  if (address.base != Operand::Base::Register) return to.constant(8, 0);
  const Place base = to.registerPlace(frame, address);
  const int bits = bitsOf(to.registerType(frame, address));
  if (bits == 64) return base;
  if (bits != 32) to.fail(at, "an address has 32 or 64 bits");
  const Place wide = to.temporary(Type::U64);
  to.addRow(at, "cvt.u64.u32", wide, {base});
  return wide;
}

Operation& addAccess(OperationBuilder& to, const Frame& frame, const Instruction& at, Operation::Kind kind,
                     const Operand& address, const AccessOf& access) {
  int64_t offset = 0;
  const Place base = baseOf(to, frame, at, address, offset);
  Operation& added = to.add(at, kind);
  added.access = access;
  added.offset = offset;
  added.operands[0] = base;
  Program& program = to.program();
  program.hasVolatile = program.hasVolatile || access.isVolatile;
  if (access.isGeneric || access.space == Space::Shared) {
    const size_t smallest = access.isGeneric ? 1 : static_cast<size_t>(bytesOf(access.type));
    program.smallestSharedAccess = std::min(program.smallestSharedAccess, smallest);
  }
  return added;
}

std::vector<const Operand*> elementsOf(const Operand& operand) {
  std::vector<const Operand*> elements;
  if (operand.kind != Operand::Kind::Vector) return {&operand};
  for (const Operand& part : operand.parts) elements.push_back(&part);
  return elements;
}

// A load of what every thread is given.
void addParameter(OperationBuilder& to, const Frame& frame, const Instruction& at, const AccessOf& access,
                  const std::vector<const Operand*>& elements) {
  const int64_t first = to.addressOf(frame, at.operands[1]) + at.operands[1].offset;
  for (size_t i = 0; i < elements.size(); ++i) {
    const OperationBuilder::Result result = to.resultOf(frame, at, *elements[i], access.type);
    Operation& parameter = to.add(at, Operation::Kind::Parameter);
    parameter.access = access;
    parameter.result = result.computed;
    parameter.offset = first + static_cast<int64_t>(i) * bytesOf(access.type);
    if (parameter.offset < 0 || parameter.offset + bytesOf(access.type) > to.program().parameters.back())
      to.fail(at, "a load outside of the parameters");
    to.finish(at, result);
  }
}

}  // namespace

void addLoad(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  needOperands(to, at, words, 2);
  AccessOf access = accessOf(to, at, words);
  const std::vector<const Operand*> elements = elementsOf(at.operands[0]);
  if (elements.size() != access.count) to.fail(at, concat("'", at.opcode, "' loads ", int{access.count}, " registers"));
  if (words.has("param")) {
    const bool isOfEntry = frame.function.isEntry && at.operands[1].base == Operand::Base::Variable &&
                           at.operands[1].at < frame.function.parameters;
    if (isOfEntry) return addParameter(to, frame, at, access, elements);
    access.space = Space::Local;
    access.isOfCall = true;
  }
  std::vector<Place> places;
  for (const Operand* element : elements) {
    if (element->kind == Operand::Kind::Nothing) {
      places.push_back(kNoPlace);
      continue;
    }
    if (!isRegister(*element) || bitsOf(to.registerType(frame, *element)) < bitsOf(access.type))
      to.fail(at, concat("'", at.opcode, "' loads no register of its width"));
    places.push_back(to.registerPlace(frame, *element));
    access.registerBytes = static_cast<uint8_t>(laneBytes(to.registerType(frame, *element)));
  }
  Operation& load = addAccess(to, frame, at, Operation::Kind::Load, at.operands[1], access);
  std::copy(places.begin(), places.end(), load.operands.begin() + 1);
  addOrder(to, at, words, "acquire");
}

void addStore(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  needOperands(to, at, words, 2);
  AccessOf access = accessOf(to, at, words);
  if (words.has("param")) {
    access.space = Space::Local;
    access.isOfCall = true;
  }
  if (words.has("const")) to.fail(at, "a store into .const");
  const std::vector<const Operand*> elements = elementsOf(at.operands[1]);
  if (elements.size() != access.count)
    to.fail(at, concat("'", at.opcode, "' stores ", int{access.count}, " registers"));
  access.registerBytes = static_cast<uint8_t>(bytesOf(access.type));
  std::vector<Place> places;
  for (const Operand* element : elements) places.push_back(to.read(frame, at, *element, access.type));
  addOrder(to, at, words, "release");
  Operation& store = addAccess(to, frame, at, Operation::Kind::Store, at.operands[0], access);
  std::copy(places.begin(), places.end(), store.operands.begin() + 1);
}

// atom.SPACE.OP.TYPE d, [a], b[, c]; red is the same without d.
void addAtomic(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  const bool isReduction = words.first() == "red";
  const std::optional<AtomicKind> kind = atomicOf(words);
  if (!kind) to.failUnknown(at);
  AccessOf access = accessOf(to, at, words);
  const bool isOfFloat = isFloat(access.type) || isPair(access.type), isNarrow = bitsOf(access.type) == 16;
  const bool hasValue = bitsOf(access.type) >= 32 || isOfFloat || (isNarrow && *kind == AtomicKind::CompareAndSwap);
  const bool isOfHalves = isPair(access.type) || (isNarrow && isOfFloat);
  const bool isKnown = !isOfFloat || *kind == AtomicKind::Add || (*kind == AtomicKind::Exchange && !isOfHalves);
  if (!hasValue || !isKnown || access.count != 1 || isOfHalves != words.has("noftz")) to.failUnknown(at);
  access.isVolatile = true;
  access.registerBytes = static_cast<uint8_t>(bytesOf(access.type));
  const size_t first = isReduction ? 0 : 1, values = *kind == AtomicKind::CompareAndSwap ? 2 : 1;
  needOperands(to, at, words, first + 1 + values);
  std::array<Place, 2> places{kNoPlace, kNoPlace};
  for (size_t i = 0; i < values; ++i) places[i] = to.read(frame, at, at.operands[first + 1 + i], access.type);
  const bool hasResult = !isReduction && at.operands[0].kind != Operand::Kind::Nothing;
  const Place result = hasResult ? to.resultOf(frame, at, at.operands[0], access.type).computed : kNoPlace;
  addOrder(to, at, words, "release");
  Operation& atomic = addAccess(to, frame, at, Operation::Kind::Atomic, at.operands[first], access);
  atomic.atomic = *kind;
  atomic.result = result;
  atomic.operands[1] = places[0];
  atomic.operands[2] = places[1];
  addOrder(to, at, words, "acquire");
}

namespace {

// cp.async.{ca, cg}.shared.global [to], [from], bytes[, what is read | whether nothing is][, policy]
void addCopy(OperationBuilder& to, const Frame& frame, const Instruction& at, const OpcodeWords& words) {
  const bool isWhole = words.at(2) == "cg";
  const bool isKnown =
      (isWhole || words.at(2) == "ca") && words.at(3) == "shared" && words.at(4) == "global" && at.operands.size() >= 3;
  if (!isKnown) to.failUnknown(at);
  const size_t count = at.operands.size() - words.has("L2::cache_hint");
  if (count != 3 && count != 4) to.needOperands(at, 3);
  const Operand& size = at.operands[2];
  const uint64_t bytes = size.kind == Operand::Kind::Integer ? size.bits : 0;
  if (bytes != 16 && (isWhole || (bytes != 4 && bytes != 8))) to.fail(at, "a copy of no 4, 8 or 16 bytes");
  int64_t offset = 0;
  Place from = baseOf(to, frame, at, at.operands[1], offset);
  if (offset != 0) {
    const Place base = from;
    from = to.temporary(Type::U64);
    to.addRow(at, "add.u64", from, {base, to.constant(8, static_cast<uint64_t>(offset))});
  }
  Place read = to.constant(4, bytes);
  if (count == 4) {
    const Operand& less = at.operands[3];
    const bool isPredicate = isRegister(less) && to.registerType(frame, less) == Type::Pred;
    const Place given = to.read(frame, at, less, isPredicate ? Type::Pred : Type::U32);
    if (isPredicate) {
      const Place all = read;
      read = to.temporary(Type::U32);
      to.addRow(at, "selp.u32", read, {to.constant(4, 0), all, given});
    } else {
      read = given;
    }
  }
  AccessOf access;
  access.space = Space::Shared;
  access.type = bytes == 4 ? Type::B32 : Type::B64;
  access.count = bytes == 16 ? 2 : 1;
  Operation& copy = addAccess(to, frame, at, Operation::Kind::CopyAsync, at.operands[0], access);
  copy.operands[1] = from;
  copy.operands[2] = read;
}

}  // namespace

// Copies, groups of them, and waits for those. Copies by TMA and those that mbarriers count are none of these.
void addCopyAsync(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  if (at.opcode == "cp.async.commit_group") {
    to.needOperands(at, 0);
    to.add(at, Operation::Kind::CommitCopies);
  } else if (at.opcode == "cp.async.wait_all") {
    to.needOperands(at, 0);
    to.add(at, Operation::Kind::WaitForCopies).offset = -1;
  } else if (at.opcode == "cp.async.wait_group") {
    to.needOperands(at, 1);
    if (at.operands[0].kind != Operand::Kind::Integer) to.fail(at, "a wait for no number of groups");
    to.add(at, Operation::Kind::WaitForCopies).offset = static_cast<int64_t>(at.operands[0].bits);
  } else if (words.at(1) == "async") {
    addCopy(to, frame, at, words);
  } else {
    to.failUnknown(at);
  }
}

// ldmatrix.sync.aligned.m8n8.{x1, x2, x4}[.trans].shared.b16 {registers}, [row]
void addLoadMatrix(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 2);
  const uint8_t count = words.has("x4") ? 4 : words.has("x2") ? 2 : 1;
  const bool transposes = words.has("trans");
  const std::string known = concat("ldmatrix.sync.aligned.m8n8.x", int{count}, transposes ? ".trans" : "", ".shared");
  const std::vector<const Operand*> elements = elementsOf(at.operands[0]);
  if ((at.opcode != known + ".b16" && at.opcode != known + "::cta.b16") || elements.size() != count) to.failUnknown(at);
  std::vector<Place> places;
  for (const Operand* element : elements) places.push_back(to.resultOf(frame, at, *element, Type::B32).computed);
  AccessOf access;
  access.space = Space::Shared;
  access.type = Type::B64;
  access.count = 2;
  Operation& load = addAccess(to, frame, at, Operation::Kind::LoadMatrix, at.operands[1], access);
  load.count = count;
  load.transposes = transposes;
  std::copy(places.begin(), places.end(), load.operands.begin() + 1);
}

}  // namespace fuser::ptx
