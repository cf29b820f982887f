// The places and operations of a program that is being made.
#include "fuser/ptx/operation_builder.h"

#include <algorithm>

#include "fuser/support/check.h"
#include "fuser/support/diagnostic.h"

namespace fuser::ptx {
namespace {

constexpr int64_t kRegisterAlignment = 32;  // of places, in bytes
constexpr size_t kMostOperations = size_t{1} << 20;

int64_t roundedUp(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

}  // namespace

void OperationBuilder::fail(const Instruction& at, const std::string& message) const {
  throw LocatedError(*program_.module->text, name_,
                     static_cast<size_t>(at.opcode.data() - program_.module->text->data()), message);
}

void OperationBuilder::failUnknown(const Instruction& at) const {
  fail(at, concat("no instruction '", at.opcode, "'"));
}

void OperationBuilder::needOperands(const Instruction& at, size_t count) const {
  if (at.operands.size() != count) fail(at, concat("'", at.opcode, "' takes ", count, " operands"));
}

Place OperationBuilder::carry() {
  if (carry_ == kNoPlace) carry_ = newPlace(Type::U32);
  return carry_;
}

Place OperationBuilder::sums() {
  if (sums_ != kNoPlace) return sums_;
  sums_ = newPlace(Type::B32);
  for (int i = 1; i < 4; ++i) newPlace(Type::B32);
  return sums_;
}

void OperationBuilder::finish() { program_.localBytes = static_cast<size_t>(roundedUp(localEnd_, 16)); }

Place OperationBuilder::makePlace(Type type, bool isRegister) {
  const Place place = places_.empty() ? 0 : places_.back().place + static_cast<Place>(places_.back().bytes);
  const int64_t bytes = roundedUp(int64_t{kLanes} * laneBytes(type), kRegisterAlignment);
  places_.push_back({place, static_cast<size_t>(bytes), isRegister});
  return place;
}

Place OperationBuilder::temporary(Type type) {
  std::vector<Place>& pool = temporaries_[static_cast<size_t>(laneBytes(type))];
  size_t& used = used_[static_cast<size_t>(laneBytes(type))];
  if (used == pool.size()) pool.push_back(newPlace(type));
  return pool[used++];
}

Place OperationBuilder::constant(int bytes, uint64_t value) {
  if (bytes < 8) value &= (uint64_t{1} << (8 * bytes)) - 1;
  const auto [found, isNew] = constants_.emplace(std::pair(bytes, value), 0);
  if (!isNew) return found->second;
  found->second = ~static_cast<Place>(program_.constants.size());
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int byte = 0; byte < bytes; ++byte) program_.constants.push_back(static_cast<std::byte>(value >> (8 * byte)));
  }
  while (program_.constants.size() % static_cast<size_t>(kRegisterAlignment) != 0) program_.constants.push_back({});
  return found->second;
}

Place OperationBuilder::special(const Instruction& at, std::string_view name) {
  for (const SpecialPlace& known : program_.specials) {
    if (known.name == name) return known.place;
  }
  if (!isSpecialRegister(name)) fail(at, concat("there is no special register '", name, "'"));
  program_.specials.push_back({name, newPlace(Type::B32)});
  return program_.specials.back().place;
}

void OperationBuilder::placeModuleVariables() {
  for (const Variable& variable : program_.module->variables) {
    if (variable.space == Space::Shared) {
      moduleAddresses_.push_back(sharedAddress(variable));
      continue;
    }
    auto& bytes = program_.moduleBytes;
    bytes.resize(static_cast<size_t>(roundedUp(static_cast<int64_t>(bytes.size()), variable.alignment)));
    moduleAddresses_.push_back(static_cast<int64_t>(kModuleRegion << kRegionShift | bytes.size()));
    const size_t start = bytes.size();
    bytes.resize(start + static_cast<size_t>(variable.bytes));
    program_.writesModule = program_.writesModule || variable.initial.empty();
    std::copy(variable.initial.begin(), variable.initial.end(), bytes.begin() + static_cast<ptrdiff_t>(start));
  }
}

int64_t OperationBuilder::sharedAddress(const Variable& variable) {
  const int64_t at = roundedUp(static_cast<int64_t>(program_.sharedBytes), variable.alignment);
  program_.sharedBytes = static_cast<size_t>(at + variable.bytes);
  return at;
}

int64_t OperationBuilder::localAddress(const Variable& variable) {
  localEnd_ = roundedUp(localEnd_, std::max<int64_t>(variable.alignment, 8));
  const int64_t at = localEnd_;
  localEnd_ += variable.bytes;
  return at;
}

void OperationBuilder::placeVariables(Frame& frame, const Instruction* call) {
  const Function& function = frame.function;
  for (size_t i = 0; i < function.variables.size(); ++i) {
    const Variable& variable = function.variables[i];
    const bool isGiven = i < function.results + function.parameters;
    if (isGiven && function.isEntry) {
      frame.variables.push_back(program_.parameters[i]);
    } else if (isGiven) {
      frame.variables.push_back(given(frame, *call, i));
    } else if (variable.space == Space::Shared) {
      frame.variables.push_back(sharedAddress(variable));
    } else {
      frame.variables.push_back(localAddress(variable));
    }
  }
}

// The variable of the caller that a call passes as the function's i-th: results first.
int64_t OperationBuilder::given(const Frame& frame, const Instruction& call, size_t i) const {
  std::vector<const Operand*> passed;
  for (const Operand& operand : call.operands) {
    if (operand.kind != Operand::Kind::Arguments) continue;
    for (const Operand& part : operand.parts) passed.push_back(&part);
  }
  if (passed.size() != frame.function.results + frame.function.parameters) fail(call, "a call of other parameters");
  const Operand& operand = *passed[i];
  if (operand.kind != Operand::Kind::Variable || operand.isOfModule) fail(call, "a call passes .param variables");
  return frame.caller->variables[operand.at];
}

Place OperationBuilder::read(const Frame& frame, const Instruction& at, const Operand& operand, Type type) {
  switch (operand.kind) {
    case Operand::Kind::Register: break;
    case Operand::Kind::Integer:
    case Operand::Kind::Float: return constant(laneBytes(type), operand.bits);
    case Operand::Kind::Variable: return constant(laneBytes(type), static_cast<uint64_t>(addressOf(frame, operand)));
    case Operand::Kind::Special:
      if (bitsOf(type) != 32) fail(at, concat("'", operand.name, "' has 32 bits"));
      return special(at, operand.name);
    default: fail(at, concat("an operand of '", at.opcode, "' is neither a register nor a number"));
  }
  const Type own = registerType(frame, operand);
  const Place place = registerPlace(frame, operand);
  if (operand.isNegated) {
    const Place negated = temporary(Type::Pred);
    addRow(at, "not.pred", negated, {place});
    return negated;
  }
  if (bitsOf(own) == bitsOf(type)) return place;
  if (bitsOf(own) < bitsOf(type) || own == Type::Pred || type == Type::Pred)
    fail(at, concat("'", at.opcode, "' reads ", bitsOf(type), " bits of a register of ", bitsOf(own)));
  const Place cut = temporary(type);
  addRow(at, concat("cvt.u", bitsOf(type), ".u", bitsOf(own)), cut, {place});
  return cut;
}

Operation& OperationBuilder::add(const Instruction& at, Operation::Kind kind) {
  if (program_.operations.size() >= kMostOperations) fail(at, "a program of more than a million operations");
  Operation operation;
  operation.kind = kind;
  operation.source = &at;
  operation.guard = guard_;
  operation.guardNegated = guardNegated_;
  program_.operations.push_back(operation);
  return program_.operations.back();
}

void OperationBuilder::addRow(const Instruction& at, std::string_view opcode, Place result,
                              std::initializer_list<Place> operands) {
  const Row* row = rowOf(opcode);
  if (!row) fail(at, concat("no instruction '", opcode, "'"));
  Operation& operation = add(at, Operation::Kind::Row);
  operation.row = row;
  operation.result = result;
  for (Place place : operands) operation.operands[operation.count++] = place;
  FUSER_CHECK(operation.count == row->count, opcode, " takes ", row->count, " operands");
}

OperationBuilder::Result OperationBuilder::resultOf(const Frame& frame, const Instruction& at, const Operand& operand,
                                                    Type type) {
  if (!isRegister(operand)) fail(at, concat("the result of '", at.opcode, "' is no register"));
  const Type own = registerType(frame, operand);
  const Place place = registerPlace(frame, operand);
  if (bitsOf(own) == bitsOf(type)) return {place, place, type, own};
  if (bitsOf(own) < bitsOf(type) || own == Type::Pred || type == Type::Pred)
    fail(at, concat("'", at.opcode, "' gives ", bitsOf(type), " bits to a register of ", bitsOf(own)));
  return {temporary(type), place, type, own};
}
void OperationBuilder::finish(const Instruction& at, const Result& result) {
  if (result.computed == result.own) return;
  const char* kind = typeInfo(result.computedType).reading == Reading::Signed ? "s" : "u";
  addRow(at, concat("cvt.", kind, bitsOf(result.ownType), ".", kind, bitsOf(result.computedType)), result.own,
         {result.computed});
}

}  // namespace fuser::ptx
