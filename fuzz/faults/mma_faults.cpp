// Faults in sums of products that warps make: which lane has which element, and what tiles hold outside of a tensor.

#include <algorithm>
#include <utility>

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

bool editMmas(Kernel& kernel, const std::function<void(Mma&)>& edit) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      Mma* mma = std::get_if<Mma>(&statement.node);
      if (!mma) continue;
      edit(*mma);
      changed = true;
    }
  });
  return changed;
}

// The buffers that are the left, or the right operands of mmas.
std::vector<int> operandsOfMmas(Kernel& kernel, int Mma::*side) {
  std::vector<int> operands;
  editMmas(kernel, [&](Mma& mma) { operands.push_back(mma.*side); });
  return operands;
}

// Exchanges the elements that are loaded to two places of an operand.
bool exchangeLoads(Kernel& kernel, int Mma::*side, int64_t a, int64_t b) {
  bool changed = false;
  const std::vector<int> operands = operandsOfMmas(kernel, side);
  forEachBody(kernel.body, [&](Body& body) {
    for (int operand : operands) {
      const auto loadTo = [&](int64_t place) {
        const auto found = std::find_if(body.begin(), body.end(), [&](const Statement& statement) {
          const Move* move = std::get_if<Move>(&statement.node);
          return move && move->target.buffer == operand && move->target.index->isConstant(place);
        });
        return found == body.end() ? nullptr : &std::get<Move>(found->node);
      };
      Move *first = loadTo(a), *second = loadTo(b);
      if (!first || !second || first->width != second->width) continue;
      std::swap(first->source, second->source);
      changed = true;
    }
  });
  return changed;
}

}  // namespace

bool exchangeColumnsOfMma(Kernel& kernel) {
  return editMmas(kernel, [](Mma& mma) { std::swap(mma.sums[0], mma.sums[1]); });
}

// Elements 2 and 3 of the left operand are of the row 8 further down, 4 and 5 of the terms 8 further on.
bool exchangeRowsAndTerms(Kernel& kernel) { return exchangeLoads(kernel, &Mma::left, 2, 4); }

// The right operand's terms are in another order than the left one's.
bool exchangeTermsOfRight(Kernel& kernel) { return exchangeLoads(kernel, &Mma::right, 0, 2); }

// Where a tile has no element of its tensor, it keeps what was there in the turn before.
bool keepOutsideOfTile(Kernel& kernel) {
  if (operandsOfMmas(kernel, &Mma::left).empty()) return false;
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    const size_t before = body.size();
    std::erase_if(body, [&](const Statement& statement) {
      const If* branch = std::get_if<If>(&statement.node);
      const Compute* zero = branch && branch->body.size() == 1 ? std::get_if<Compute>(&branch->body[0].node) : nullptr;
      const bool isLiteral = zero && zero->operands.size() == 1 && zero->operands[0].kind == Operand::Kind::Literal;
      return isLiteral && kernel.buffers[static_cast<size_t>(zero->target.buffer)].memory == MemoryType::Shared;
    });
    changed |= body.size() != before;
  });
  return changed;
}

}  // namespace fuser::fuzz::faults
