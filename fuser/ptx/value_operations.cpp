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

namespace {

// What a comparison says: CMP[.BOOL][.ftz]…TYPE.
struct Comparison {
  std::string_view compares, joins;  // "lt", "and" or ""
  bool flushes = false;
  Type type = Type::B32;  // of each operand
  int count = 1;          // of comparisons: a pair of numbers of 16 bits has two

  std::string opcode() const { return concat("setp.", compares, ".", typeInfo(type).text); }
};

// `types`: how many words behind the others are types.
Comparison comparisonOf(const OperationBuilder& to, const Instruction& at, const OpcodeWords& words, size_t types) {
  Comparison comparison;
  comparison.compares = words.at(1);
  for (std::string_view word : {"and", "or", "xor"}) {
    if (words.has(word)) comparison.joins = word;
  }
  comparison.flushes = words.has("ftz");
  const size_t known = 2 + types + !comparison.joins.empty() + comparison.flushes;
  const std::optional<Type> type = typeFrom(words.last());
  if (!type || words.size() != known) to.failUnknown(at);
  const bool isPacked = *type == Type::F16x2 || *type == Type::BF16x2;
  comparison.type = *type == Type::F16x2 ? Type::F16 : *type == Type::BF16x2 ? Type::BF16 : *type;
  comparison.count = isPacked ? 2 : 1;
  if (!rowOf(comparison.opcode())) to.failUnknown(at);
  return comparison;
}

// The results of a comparison of the operands 1 and 2, joined to operand 3 where it says so; `opposite`: of the
// comparison that fails.
std::array<Place, 2> addComparison(OperationBuilder& to, const Frame& frame, const Instruction& at,
                                   const Comparison& comparison, Place* opposite) {
  to.needOperands(at, comparison.joins.empty() ? 3 : 4);
  const bool isPacked = comparison.count == 2;
  std::array<std::array<Place, 2>, 2> compared{};  // by operand and half
  for (size_t i = 0; i < 2; ++i) {
    const Place whole = to.read(frame, at, at.operands[1 + i], isPacked ? Type::B32 : comparison.type);
    for (size_t half = 0; half < static_cast<size_t>(comparison.count); ++half) {
      Place& place = compared[i][half] = whole;
      if (isPacked) {
        place = to.temporary(Type::B16);
        to.addRow(at, "unpack.b16.b32", place, {whole, to.constant(4, half)});
      }
      if (!comparison.flushes) continue;
      const Place unflushed = place;
      place = to.temporary(comparison.type);
      to.addRow(at, concat("flush.", typeInfo(comparison.type).text), place, {unflushed});
    }
  }
  const Place with = comparison.joins.empty() ? kNoPlace : to.read(frame, at, at.operands[3], Type::Pred);
  std::array<Place, 2> results{};
  for (size_t half = 0; half < static_cast<size_t>(comparison.count); ++half) {
    results[half] = to.temporary(Type::Pred);
    to.addRow(at, comparison.opcode(), results[half], {compared[0][half], compared[1][half]});
    if (opposite) to.addRow(at, "not.pred", *opposite, {results[half]});
    if (with == kNoPlace) continue;
    for (Place place : {results[half], opposite ? *opposite : kNoPlace}) {
      if (place != kNoPlace) to.addRow(at, concat(comparison.joins, ".pred"), place, {place, with});
    }
  }
  return results;
}

}  // namespace

// setp.CMP[.BOOL][.ftz].TYPE p[|q], a, b[, c]: p = (a CMP b) BOOL c, q = !(a CMP b) BOOL c; of a pair of numbers of 16
// bits p is of the lower ones and q of the upper.
void addCompare(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  const Comparison comparison = comparisonOf(to, at, words, 1);
  const bool isPair = at.operands.at(0).kind == Operand::Kind::Pair, isPacked = comparison.count == 2;
  if (isPacked && !isPair) to.fail(at, concat("'", at.opcode, "' gives two predicates"));
  Place opposite = to.temporary(Type::Pred);
  std::array<Place, 2> results = addComparison(to, frame, at, comparison, isPair && !isPacked ? &opposite : nullptr);
  if (!isPacked) results[1] = opposite;
  for (size_t i = 0; i < (isPair ? 2u : 1u); ++i) {
    const Operand& written = isPair ? at.operands[0].parts[i] : at.operands[0];
    if (written.kind == Operand::Kind::Nothing) continue;
    const Place result = to.resultOf(frame, at, written, Type::Pred).computed;
    if (result == to.guard() && isPair) to.fail(at, "a comparison that writes its own guard");
    to.addRow(at, "and.pred", result, {results[i], results[i]});
  }
}

// set.CMP[.BOOL][.ftz].DTYPE.STYPE d, a, b[, c]: 1.0, or all bits of an integer, where the comparison holds; of a pair
// in each half.
void addSet(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  const Comparison comparison = comparisonOf(to, at, words, 2);
  const std::optional<Type> type = typeFrom(words.at(words.size() - 2));
  if (!type || bitsOf(*type) < 16 || bitsOf(*type) > 32) to.failUnknown(at);
  const bool isPacked = comparison.count == 2;
  if (isPacked && bitsOf(*type) != 32) to.failUnknown(at);
  const Type each = isPacked ? Type::B16 : *type;
  const bool isOfHalf = *type == Type::F16 || *type == Type::F16x2;
  const bool isOfBfloat = *type == Type::BF16 || *type == Type::BF16x2;
  const uint64_t one = isOfHalf ? 0x3c00 : isOfBfloat ? 0x3f80 : *type == Type::F32 ? 0x3f800000 : ~uint64_t{0};
  const std::array<Place, 2> results = addComparison(to, frame, at, comparison, nullptr);
  const OperationBuilder::Result result = to.resultOf(frame, at, at.operands[0], *type);
  const Place yes = to.constant(bytesOf(each), one), no = to.constant(bytesOf(each), 0);
  const std::string select = concat("selp.b", bitsOf(each));
  if (!isPacked) {
    to.addRow(at, select, result.computed, {yes, no, results[0]});
    return to.finish(at, result);
  }
  const Place lower = to.temporary(each), upper = to.temporary(each);
  to.addRow(at, select, lower, {yes, no, results[0]});
  to.addRow(at, select, upper, {yes, no, results[1]});
  to.addRow(at, "pack.b32.b16", result.computed, {lower, upper});
  to.finish(at, result);
}

// cvt.ROUNDING….{f16x2, bf16x2}.f32 d, a, b: a above, b below.
void addConvert(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  const std::string_view type = words.at(words.size() - 2);
  const std::string_view suffix = "x2.f32";
  if ((type != "f16x2" && type != "bf16x2") || !at.opcode.ends_with(suffix)) to.failUnknown(at);
  const std::string each = concat(at.opcode.substr(0, at.opcode.size() - suffix.size()), ".f32");
  if (!rowOf(each)) to.failUnknown(at);
  to.needOperands(at, 3);
  std::array<Place, 2> halves{};
  for (size_t i = 0; i < 2; ++i) {
    halves[i] = to.temporary(Type::B16);
    to.addRow(at, each, halves[i], {to.read(frame, at, at.operands[2 - i], Type::F32)});
  }
  const OperationBuilder::Result result = to.resultOf(frame, at, at.operands[0], Type::B32);
  to.addRow(at, "pack.b32.b16", result.computed, {halves[0], halves[1]});
  to.finish(at, result);
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

// lop3.{and, or}.b32 d|p, a, b, c, table, q: p = (d != 0) and/or q.
void addLogic(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 6);
  const bool isKnown = words.size() == 3 && (words.has("and") || words.has("or")) && words.last() == "b32";
  if (!isKnown || at.operands[0].kind != Operand::Kind::Pair) to.failUnknown(at);
  std::array<Place, 4> places{};
  for (size_t i = 0; i < 4; ++i) places[i] = to.read(frame, at, at.operands[1 + i], Type::B32);
  const Place with = to.read(frame, at, at.operands[5], Type::Pred);
  const Place combined = to.temporary(Type::B32), isSet = to.temporary(Type::Pred);
  to.addRow(at, "lop3.b32", combined, {places[0], places[1], places[2], places[3]});
  to.addRow(at, "setp.ne.b32", isSet, {combined, to.constant(4, 0)});
  to.addRow(at, concat(words.at(1), ".pred"), isSet, {isSet, with});
  const std::vector<Operand>& written = at.operands[0].parts;
  if (written[0].kind != Operand::Kind::Nothing)
    to.addRow(at, "mov.b32", to.resultOf(frame, at, written[0], Type::B32).computed, {combined});
  to.addRow(at, "and.pred", to.resultOf(frame, at, written[1], Type::Pred).computed, {isSet, isSet});
}

// isspacep.SPACE p, a: whether a generic address lies in the window.
void addIsInSpace(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  to.needOperands(at, 2);
  if (!words.has("shared") && !words.has("local") && !words.has("global")) to.failUnknown(at);
  const uint64_t window = words.has("shared") ? kSharedWindow : words.has("local") ? kLocalWindow : 0;
  const Place address = to.read(frame, at, at.operands[1], Type::B64), found = to.temporary(Type::B64);
  to.addRow(at, "and.b64", found, {address, to.constant(8, kWindowMask)});
  to.addRow(at, "setp.eq.b64", to.resultOf(frame, at, at.operands[0], Type::Pred).computed,
            {found, to.constant(8, window)});
}

// What hints at caches and schedulers: nothing that a program computes depends on it.
void addHint(OperationBuilder& to, Frame&, const Instruction& at, const OpcodeWords& words) {
  if (!words.hasOnly({"global", "local", "L1", "L2", "u32", "mask"})) to.failUnknown(at);
}

// createpolicy…b64 d, …: a value that only hints read.
void addPolicy(OperationBuilder& to, Frame& frame, const Instruction& at, const OpcodeWords& words) {
  if (at.operands.empty() || !words.hasOnly({"fractional", "range", "cvt", "global", "b64"})) to.failUnknown(at);
  to.addRow(at, "mov.b64", to.resultOf(frame, at, at.operands[0], Type::B64).computed, {to.constant(8, 0)});
}

}  // namespace fuser::ptx
