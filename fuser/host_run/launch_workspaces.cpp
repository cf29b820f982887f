#include "fuser/host_run/launch_workspaces.h"

#include <algorithm>

#include "fuser/ir/expr.h"
#include "fuser/kernel/shared_layout.h"

namespace fuser {
namespace {

// The name of the program's own value, where a schedule keeps a copy of it.
std::string ownName(const Val* val) {
  const auto isCopy = [&](const Expr* expr) {
    return expr && expr->op() == OpKind::Set && val->origin() && expr->input(0)->origin() == expr->output()->origin();
  };
  while (isCopy(val->definition())) val = val->definition()->input(0);
  for (auto copy = val->uses().begin(); copy != val->uses().end();) {
    if (isCopy(*copy)) {
      val = (*copy)->output();
      copy = val->uses().begin();
    } else {
      ++copy;
    }
  }
  return concat("%", val->name());
}

// What a kernel wrote to its error word, if it did.
void throwBadIndex(const Kernel& kernel, const int64_t* word) {
  if (word[1] == 0) return;
  const int64_t check = (word[1] - 1) / kMostCheckedPlaces, place = (word[1] - 1) % kMostCheckedPlaces;
  const Expr* asks = nullptr;
  forEachStatement(kernel.body, [&](const Statement& statement) {
    const Report* report = std::get_if<Report>(&statement.node);
    if (report && report->check == check) asks = report->source;
  });
  FUSER_CHECK(asks, "kernel ", kernel.name, " has no check ", check);
  const std::string tensor = ownName(asks->input(0));
  FUSER_USER_CHECK(false, ownName(asks->output()), " = ", asks->info().mnemonic, "(", tensor, ", ",
                   ownName(asks->input(1)), "): index ", word[2], " for element ", place, " is out of range for axis ",
                   asks->attributes().dim(), " of ", tensor, ", of size ", word[3]);
}

}  // namespace

size_t LaunchWorkspaces::take(const Kernel& kernel, KernelArguments& arguments, size_t maxBytes, MemoryPool& pool) {
  size_t all = 0;
  for (const Workspace& workspace : kernel.workspaces) {
    const DataType dtype = kernel.buffers[static_cast<size_t>(workspace.buffer)].dtype;
    const int64_t elements = workspaceElements(kernel, workspace, arguments.ints);
    TensorMemory memory =
        allocateWorkspace(dtype, elements, workspace.kind != Workspace::Kind::Scratch, maxBytes - all, pool);
    const size_t bytes = static_cast<size_t>(elements) * dtypeSize(dtype);
    all += bytes;
    arguments.workspaces.push_back(memory.ref);
    entries_.push_back({&kernel, workspace.kind, bytes, std::move(memory)});
  }
  return all;
}

size_t LaunchWorkspaces::giveBack() {
  size_t all = 0;
  for (const Entry& entry : entries_) {
    const auto* bytes = static_cast<const std::byte*>(entry.memory.ref.data);
    all += entry.bytes;
    if (entry.kind == Workspace::Kind::ErrorWord) throwBadIndex(*entry.kernel, reinterpret_cast<const int64_t*>(bytes));
    if (entry.kind != Workspace::Kind::Semaphore) continue;
    const bool zero = std::all_of(bytes, bytes + entry.bytes, [](std::byte byte) { return byte == std::byte{}; });
    if (!zero) throw ViolationError(concat("kernel ", entry.kernel->name, ": it leaves its semaphore not zero"));
  }
  entries_.clear();
  return all;
}

}  // namespace fuser
