#pragma once
// Module: PTX text, parsed: variables, functions, and their instructions as they stand. It is syntax alone: what an
// instruction does, and whether there is one of that name, the table of instructions says
// (fuser/ptx/instructions.def).

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/ptx/types.h"

namespace fuser::ptx {

// A variable of a module or a function, in bytes.
struct Variable {
  std::string_view name;
  Space space = Space::Global;
  Type type = Type::B8;
  int64_t alignment = 1;
  int64_t bytes = 0;               // 0 of `.extern .shared .b8 name[]`: the launch says
  std::vector<uint8_t> initial{};  // as many as the text has, or none; the others are 0 if there is one
};

struct Register {
  std::string_view name;  // of `%r<5>` "%r": its place among those of the declaration is `number`
  int64_t number = -1;    // -1: the name is whole
  Type type = Type::B32;
};

struct Operand {
  enum class Kind : uint8_t {
    Register,   // %r1, or !%p1
    Integer,    // 12, -1, 0x7f
    Float,      // 0f3F800000, 0d3FF0000000000000: its bits
    Address,    // [%rd1+8], [name+4], [16]
    Variable,   // name: its address
    Special,    // %tid.x
    Label,      // of the function: `at` is the instruction behind it
    Function,   // of a call
    Vector,     // {%r1, %r2}; of brx.idx the labels of its list
    Arguments,  // (param0, param1), of a call
    Pair,       // %r1|%p1
    Nothing     // _
  };
  enum class Base : uint8_t { None, Register, Variable };
  Kind kind = Kind::Nothing;
  bool isNegated = false;   // of a register
  Base base = Base::None;   // of an Address
  bool isOfModule = false;  // of a Variable: `at` is among the module's, else among the function's
  uint32_t at = 0;          // the register, the variable, or the instruction behind the label
  Type type = Type::F32;    // of a Float: F32 or F64
  uint64_t bits = 0;        // Integer (two's complement), Float
  int64_t offset = 0;       // of an Address, in bytes
  std::string_view name{};  // Variable, Special, Label, Function
  std::vector<Operand> parts{};
};

struct Instruction {
  std::string_view opcode;  // with its modifiers and types: "ld.global.v2.f32"
  int64_t guard = -1;       // the predicate's register, or none
  bool guardNegated = false;
  std::vector<Operand> operands{};
  uint32_t line = 0;      // of the PTX text, from 1
  uint32_t cudaLine = 0;  // by the last .loc of the kernel's own file; 0: none
};

struct Function {
  std::string_view name;
  bool isEntry = false;
  std::vector<Variable> variables{};  // the results, the parameters, then those of its body
  size_t results = 0, parameters = 0;
  std::vector<Register> registers{};
  std::vector<Instruction> instructions{};
  std::array<int64_t, 3> mostThreads{};  // .maxntid or .reqntid; 0: not said
};

struct Module {
  std::unique_ptr<const std::string> text;  // names are parts of it
  std::string_view target;                  // "sm_90"
  std::vector<Variable> variables{};
  std::vector<Function> functions{};
  std::shared_ptr<const std::string> cuda{};  // the text that it was compiled from; null: not known

  const Function* function(std::string_view name) const;  // null if there is none
};

// A LocatedError of `name` where the text is no PTX that NVRTC 13 emits for a kernel.
Module parsePtx(std::string text, const std::string& name);

// A line of a text, from 1, without its indentation; "" behind the last one.
std::string lineOf(const std::string& text, uint32_t line);

// A line of the CUDA text, from 1, without its indentation: " `c = a;`"; "" where the text is not known.
std::string cudaLineText(const Module& module, uint32_t line);

std::string registerText(const Register& named);  // "%r12"
std::string instructionText(const Function& function, const Instruction& instruction);

}  // namespace fuser::ptx
