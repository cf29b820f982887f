#pragma once
// Program: an entry of a module as a machine runs it: one list of operations, with the functions that it calls put in,
// each operand at its place, and for each branch the place where its sides meet again.

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "fuser/ptx/instruction_table.h"
#include "fuser/ptx/module.h"

namespace fuser::ptx {

// Addresses of 64 bits say where they point: a region of global memory in bits 40 and above, or a window.
inline constexpr int kRegionShift = 40;
inline constexpr uint64_t kModuleRegion = 1;  // variables of the module; tensors are from 2
inline constexpr uint64_t kSharedWindow = uint64_t{1} << 60;
inline constexpr uint64_t kLocalWindow = uint64_t{2} << 60;
inline constexpr uint64_t kWindowMask = uint64_t{15} << 60;

// A register by its byte in the registers of a warp; from -1 down, ~place is that of a constant.
using Place = int32_t;
inline constexpr Place kNoPlace = std::numeric_limits<Place>::max();

enum class AtomicKind : uint8_t { Add, Min, Max, And, Or, Xor, Exchange, CompareAndSwap, Increment, Decrement };
enum class ShuffleKind : uint8_t { Index, Up, Down, Butterfly };
enum class BarrierKind : uint8_t { Wait, Arrive, Count, All, Any };  // the last three: bar.red
enum class VoteKind : uint8_t { All, Any, Uniform, Ballot };
// Whom a fence reaches.
enum class FenceScope : uint8_t { Block, Device };

// Where an access goes, and what it moves.
struct AccessOf {
  Space space = Space::Global;
  bool isGeneric = false;   // the address says the space
  bool isVolatile = false;  // what other threads do at the same time is no race
  bool isOfCall = false;    // what a function is given, or gives
  Type type = Type::B32;
  uint8_t count = 1;          // of elements
  uint8_t registerBytes = 4;  // of one lane
  int bytes() const { return count * bytesOf(type); }
};

// A product of matrices by a warp: sums[rows][8] + left[rows][depth] * right[depth][8].
struct MmaOf {
  int8_t rows = 16, depth = 16;
  int8_t elements = 2;    // of a register of left or right
  bool clamps = false;    // sums of integers
  Type left = Type::F16;  // F16, BF16; S8, U8
  Type right = Type::F16;

  bool isOfIntegers() const { return elements == 4; }
  int rightRegisters() const { return depth / (4 * elements); }
  int leftRegisters() const { return rows / 8 * rightRegisters(); }
  int sums() const { return rows / 4; }
};

constexpr std::array<Place, 12> noPlaces() {
  std::array<Place, 12> places{};
  places.fill(kNoPlace);
  return places;
}

struct Operation {
  enum class Kind : uint8_t {
    Row,
    Branch,
    Exit,
    Trap,
    NoTarget,  // of an index that no branch is of
    Load,
    Store,
    Parameter,  // a value that all threads are given
    Atomic,
    CopyAsync,      // from global to shared memory, until a wait; access: of the destination
    CommitCopies,   // those since the last one become a group
    WaitForCopies,  // of all groups but the last `offset` ones; below 0: of all copies
    Barrier,        // of the block
    WarpBarrier,
    Fence,
    Shuffle,
    Vote,
    Match,   // lanes whose values are the same
    Reduce,  // of the values of lanes
    Elect,   // one lane
    ActiveMask,
    LoadMatrix,  // 8 x 8 values of 16 bits in shared memory, whose rows the lanes' addresses say
    Mma
  };
  // What rows have, first.
  Kind kind = Kind::Row;
  uint8_t count = 0;  // of operands; of the matrices of a LoadMatrix
  bool guardNegated = false;
  bool isCounted = false;  // it stands for its instruction, of which there may be several operations
  Place guard = kNoPlace;
  Place result = kNoPlace;   // the first of them
  const Row* row = nullptr;  // Row
  std::array<Place, 12> operands = noPlaces();  // read; from the second on, a load writes them (share_places.cpp)
  AtomicKind atomic = AtomicKind::Add;  // of a Reduce, too
  ShuffleKind shuffle = ShuffleKind::Index;
  VoteKind vote = VoteKind::All;  // of a Match: All or Any
  BarrierKind barrier = BarrierKind::Wait;
  FenceScope fence = FenceScope::Device;
  bool isAligned = true;    // Barrier: all threads of a warp come by the same instruction
  bool transposes = false;  // LoadMatrix
  MmaOf mma{};
  AccessOf access{};
  Place second = kNoPlace;   // Shuffle: whether the lane was there; Match, Elect: a predicate
  Place members = kNoPlace;  // the lanes that meet there; none: all of the warp
  int64_t offset = 0;        // of an address, or of a parameter, in bytes
  uint32_t target = 0;       // Branch
  uint32_t join = 0;         // Branch: where both sides are again; the number of operations: nowhere
  const Instruction* source = nullptr;
};

// A special register that a place holds from the start.
struct SpecialPlace {
  std::string_view name;  // "%tid.x"
  Place place;
};

struct RegisterPlace {
  Place place = 0;
  int bytes = 0;  // of a lane
};

struct Program {
  const Module* module = nullptr;
  const Function* entry = nullptr;
  std::vector<Operation> operations;
  size_t registerBytes = 0;  // of a warp
  std::vector<std::byte> constants;
  std::vector<SpecialPlace> specials;
  std::vector<RegisterPlace> registers;  // all of a warp, each place once
  size_t localBytes = 0;             // of a thread
  size_t sharedBytes = 0;            // of a block, without what a launch adds
  size_t smallestSharedAccess = 16;  // in bytes
  std::vector<int64_t> parameters;   // the offset of each in the bytes that a launch is given, then their end
  std::vector<uint8_t> moduleBytes;  // variables of the module
  bool writesModule = false;         // some have no value in the text
  bool hasVolatile = false;          // some thread may wait for what another one stores
  bool hasBlockFences = false;       // some fence reaches its block alone

  // Where an operation stands, for messages: "PTX line 12: fma.rn.f32 …".
  std::string placeText(const Operation& operation) const;
};

// A LocatedError of `name` at an instruction that has no row, or that stands where the machine does not take it; a
// CheckError if the module has no such entry. The module must outlive the program.
Program makeProgram(const Module& module, std::string_view entry, const std::string& name,
                    Approximation approximation = Approximation::Nearest);

// Fills in the joins of branches: the nearest operation that both sides reach on every path to the end.
void findJoins(Program& program);

}  // namespace fuser::ptx
