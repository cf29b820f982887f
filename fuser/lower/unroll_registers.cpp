// UnrollRegisters: a loop whose index is in the index of a register buffer is unrolled, so that each index is a
// constant and the buffer stays in registers. An array that is indexed by a variable lies in local memory, which is
// slow.
//   for i < 4 { a[i] = exp(x[i]) }  ->  for i < 4 unroll { a[i] = exp(x[i]) }
// The loop has a constant extent: rules 6 and 12 of a schedule.

#include <set>

#include "fuser/lower/step_list.h"

namespace fuser {
namespace {

class Unroller {
 public:
  explicit Unroller(Kernel& kernel) : kernel_(kernel) {}

  void run(Body& body) {
    for (Statement& statement : body) {
      if (For* loop = std::get_if<For>(&statement.node)) {
        run(loop->body);
        loop->unroll |= indices_.count(loop->index) != 0;
      } else if (If* branch = std::get_if<If>(&statement.node)) {
        run(branch->body);
      } else if (const Move* move = std::get_if<Move>(&statement.node)) {
        note(move->source);
        note(move->target);
      } else if (const Compute* compute = std::get_if<Compute>(&statement.node)) {
        note(compute->target);
        for (const Operand& operand : compute->operands) {
          if (operand.kind == Operand::Kind::Access) note(operand.access);
        }
      } else if (const JoinWelford* join = std::get_if<JoinWelford>(&statement.node)) {
        for (const Access* part : {&join->otherMean, &join->otherSquares, &join->otherCount}) note(*part);
      } else if (const LoadIndex* load = std::get_if<LoadIndex>(&statement.node)) {
        note(load->source);
      } else if (const Report* report = std::get_if<Report>(&statement.node)) {
        note(report->index);
      } else if (const Shuffle* shuffle = std::get_if<Shuffle>(&statement.node)) {
        note(shuffle->source);
        note(shuffle->target);
      } else if (const Mma* mma = std::get_if<Mma>(&statement.node)) {
        for (const Access& sum : mma->sums) note(sum);
      }
    }
  }

 private:
  void note(const Access& access) {
    if (kernel_.buffers[static_cast<size_t>(access.buffer)].memory != MemoryType::Local) return;
    forEachSymbol(access.index, [&](IntExpr symbol) { indices_.insert(symbol); });
  }

  Kernel& kernel_;
  std::set<IntExpr> indices_;  // look-ups only
};

}  // namespace

void runUnrollRegisters(const Fusion&, Kernel& kernel, const ScheduleRules&) { Unroller(kernel).run(kernel.body); }

}  // namespace fuser
