// Moves, comparisons and carries as rows of other names.

#include "fuser/ptx/operation_builder.h"
#include "fuser/support/check.h"

namespace fuser::ptx {

// mov.b32 {%rs1, %rs2}, %r1 and its reverse; a part `_` is dropped.
void addPacked(OperationBuilder& to, Frame& frame, const Instruction& at, Type whole) {
  const bool unpacks = at.operands[0].kind == Operand::Kind::Vector;
  const std::vector<Operand>& parts = at.operands[unpacks ? 0 : 1].parts;
  const int bits = parts.empty() ? 0 : bitsOf(whole) / static_cast<int>(parts.size());
  const Type part = bits == 8 ? Type::B8 : bits == 16 ? Type::B16 : Type::B32;
  if (unpacks) {
    const Place from = to.read(frame, at, at.operands[1], whole);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].kind == Operand::Kind::Nothing) continue;
      const OperationBuilder::Result result = to.resultOf(frame, at, parts[i], part);
      to.addRow(at, concat("unpack.b", bits, ".b", bitsOf(whole)), result.computed, {from, to.constant(4, i)});
      to.finish(at, result);
    }
    return;
  }
  std::vector<Place> places;
  for (const Operand& operand : parts) places.push_back(to.read(frame, at, operand, part));
  Type type = part;
  while (places.size() > 1) {
    const Type twice = bitsOf(type) == 8 ? Type::B16 : bitsOf(type) == 16 ? Type::B32 : Type::B64;
    std::vector<Place> pairs;
    for (size_t i = 0; i + 1 < places.size(); i += 2) {
      pairs.push_back(to.temporary(twice));
      to.addRow(at, concat("pack.b", bitsOf(twice), ".b", bitsOf(type)), pairs.back(), {places[i], places[i + 1]});
    }
    places = std::move(pairs);
    type = twice;
  }
  if (type != whole) to.fail(at, concat("'", at.opcode, "' of ", parts.size(), " parts"));
  const OperationBuilder::Result result = to.resultOf(frame, at, at.operands[0], whole);
  to.addRow(at, concat("mov.b", bitsOf(whole)), result.computed, {places.at(0)});
  to.finish(at, result);
}

void addMove(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 2);
  if (words.last() != "pred") to.failUnknown(at);
  const Place from = at.operands[1].kind == Operand::Kind::Integer ? to.constant(1, at.operands[1].bits != 0)
                                                                   : to.read(frame, at, at.operands[1], Type::Pred);
  to.addRow(at, "and.pred", to.resultOf(frame, at, at.operands[0], Type::Pred).computed, {from, from});
}

// setp.CMP[.BOOL][.ftz].TYPE p[|q], a, b[, c]: p = (a CMP b) BOOL c, q = !(a CMP b) BOOL c.
void addCompare(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  if (at.operands.size() < 3) to.fail(at, concat("'", at.opcode, "' takes 3 operands"));
  const std::string opcode = concat("setp.", words.at(1), ".", words.last());
  const std::string_view joins = words.has("and") ? "and" : words.has("or") ? "or" : words.has("xor") ? "xor" : "";
  const Row* row = rowOf(opcode);
  const bool isKnown = words.size() == (joins.empty() ? 3u : 4u);
  if (!row || !isKnown) to.failUnknown(at);
  to.needOperands(at, joins.empty() ? 3 : 4);
  const Place a = to.read(frame, at, at.operands[1], row->operands[0]);
  const Place b = to.read(frame, at, at.operands[2], row->operands[1]);
  const Place with = joins.empty() ? kNoPlace : to.read(frame, at, at.operands[3], Type::Pred);
  const Place compared = to.temporary(Type::Pred), opposite = to.temporary(Type::Pred);
  to.addRow(at, opcode, compared, {a, b});
  to.addRow(at, "not.pred", opposite, {compared});
  const bool isPair = at.operands[0].kind == Operand::Kind::Pair;
  for (size_t i = 0; i < (isPair ? 2u : 1u); ++i) {
    const Operand& written = isPair ? at.operands[0].parts[i] : at.operands[0];
    if (written.kind == Operand::Kind::Nothing) continue;
    const Place result = to.resultOf(frame, at, written, Type::Pred).computed;
    if (result == to.guard() && isPair) to.fail(at, "a comparison that writes its own guard");
    const Place value = i == 0 ? compared : opposite;
    to.addRow(at, joins.empty() ? "and.pred" : concat(joins, ".pred"), result, {value, joins.empty() ? value : with});
  }
}

// cvta[.to].SPACE.u64: the windows of generic addresses.
void addAddress(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 2);
  const bool toSpace = words.has("to");
  const uint64_t window = words.has("shared") ? kSharedWindow : words.has("local") ? kLocalWindow : 0;
  const Place from = to.read(frame, at, at.operands[1], Type::U64);
  const Place result = to.resultOf(frame, at, at.operands[0], Type::U64).computed;
  to.addRow(at, toSpace ? "sub.u64" : "add.u64", result, {from, to.constant(8, window)});
}

void addCarry(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  const bool isKnown = words.has("cc") || words.first().size() == 4;
  if (!isKnown) to.failUnknown(at);
  const int bits = words.last().ends_with("64") ? 64 : 32;
  const Type type = bits == 64 ? Type::U64 : Type::U32;
  const bool isMad = words.first().starts_with("mad"), isSub = words.first().starts_with("sub");
  const bool takes = words.first().ends_with("c"), gives = words.has("cc");
  to.needOperands(at, isMad ? 4 : 3);
  Place a = to.read(frame, at, at.operands[1], type), b = to.read(frame, at, at.operands[2], type);
  const std::string suffix = concat(".u", bits);
  if (isMad) {
    const Place product = to.temporary(type);
    const bool isHigh = words.has("hi");
    to.addRow(at, concat(isHigh ? "mul.hi" : "mul.lo", isHigh && words.last()[0] == 's' ? concat(".s", bits) : suffix),
              product, {a, b});
    a = product;
    b = to.read(frame, at, at.operands[3], type);
  }
  if (isSub) {
    const Place complement = to.temporary(type);
    to.addRow(at, concat("not.b", bits), complement, {b});
    b = complement;
  }
  // A difference is a + ~b + 1, with the borrow as a carry of 0.
  const Place carried = takes ? to.carry() : to.constant(4, isSub);
  const Place sum = to.temporary(type);
  to.addRow(at, concat("sum.addc", suffix), sum, {a, b, carried});
  if (gives) to.addRow(at, concat("carry.addc", suffix), to.carry(), {a, b, carried});
  const OperationBuilder::Result result = to.resultOf(frame, at, at.operands[0], type);
  to.addRow(at, concat("mov", suffix), result.computed, {sum});
  to.finish(at, result);
}

}  // namespace fuser::ptx
