#include "fuser/ptx/content.h"

#include <algorithm>
#include <cstring>

#include "fuser/support/split_mix.h"

namespace fuser::ptx {
namespace {

class ContentHash {
 public:
  explicit ContentHash(const Module& module) : module_(module) {}

  void add(uint64_t number) { hash_ = splitMix64(hash_ ^ number); }
  void add(std::string_view text) { hash_ = hashOfBytes(text, hash_); }
  uint64_t value() const { return hash_; }

  void add(const Operand& operand) {
    add(static_cast<uint64_t>(operand.kind) << 32 | static_cast<uint64_t>(operand.type) << 16 |
        static_cast<uint64_t>(operand.base) << 8 | uint64_t{operand.isNegated} << 1 | uint64_t{operand.isOfModule});
    operand.isOfModule ? add(module_.variables[operand.at]) : add(uint64_t{operand.at});
    add(operand.bits);
    add(static_cast<uint64_t>(operand.offset));
    // These have names that mean the same in every module.
    if (operand.kind == Operand::Kind::Special || operand.kind == Operand::Kind::Function) add(operand.name);
    for (const Operand& part : operand.parts) add(part);
  }

  void add(const Variable& variable) {
    add(static_cast<uint64_t>(variable.space) << 32 | static_cast<uint64_t>(variable.type));
    add(static_cast<uint64_t>(variable.bytes));
    add(static_cast<uint64_t>(variable.alignment));
    add(std::string_view(reinterpret_cast<const char*>(variable.initial.data()), variable.initial.size()));
  }

 private:
  const Module& module_;
  uint64_t hash_ = 0;
};

}  // namespace

uint64_t hashOfBytes(std::string_view bytes, uint64_t state) {
  state = splitMix64(state ^ bytes.size());
  for (size_t i = 0; i < bytes.size(); i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
    state = splitMix64(state ^ word);
  }
  return state;
}

uint64_t contentOf(const Module& module, const Function& function) {
  ContentHash hash(module);
  for (const Variable& variable : function.variables) hash.add(variable);
  for (const Register& named : function.registers) hash.add(static_cast<uint64_t>(named.type));
  for (const Instruction& instruction : function.instructions) {
    hash.add(instruction.opcode);
    hash.add(static_cast<uint64_t>(instruction.guard) << 1 | uint64_t{instruction.guardNegated});
    for (const Operand& operand : instruction.operands) hash.add(operand);
  }
  return hash.value();
}

}  // namespace fuser::ptx
