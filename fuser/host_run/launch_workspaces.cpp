#include "fuser/host_run/launch_workspaces.h"

#include <algorithm>
#include <span>

#include "fuser/execute/launch_shape.h"
#include "fuser/ir/expr.h"
#include "fuser/kernel/shared_layout.h"
#include "fuser/support/rejection.h"

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

// In the order of the text, where there is one.
bool isBefore(const Report& a, const Report& b) {
  const Spelling *first = a.source->spelling(), *second = b.source->spelling();
  if (first && second && first->statement != second->statement) return first->statement < second->statement;
  return a.check < b.check;
}

// The index as the text gave it.
std::string badIndexText(const Expr& asks, int64_t index, int64_t place, int64_t size) {
  const Spelling* spelling = asks.spelling();
  const std::string element = concat(" for element ", place, " is out of range for ");
  if (spelling && spelling->indices == Spelling::Indices::Several) {
    return concat(spelling->result, spelling->operands, ": one of the indices", element, "its axis");
  }
  if (spelling && spelling->indices == Spelling::Indices::FromEnd && index < 0) index -= size;
  const bool isEnd = index <= 1 - kNotedIndices || index >= kNotedIndices - 1;  // or anything beyond
  const std::string what = concat(": index ", index, isEnd ? " or beyond" : "", element, "axis ");
  const std::string axis = concat(asks.attributes().dim(), " of ");
  if (spelling) {
    const std::string tensor = spelling->operands.substr(1, spelling->operands.find_first_of(",)") - 1);
    return concat(spelling->result, spelling->operands, what, axis, tensor, ", of size ", size);
  }
  std::string operands;
  for (const Val* operand : asks.inputs()) operands += concat(operands.empty() ? "" : ", ", ownName(operand));
  return concat(ownName(asks.output()), " = ", asks.info().mnemonic, "(", operands, ")", what, axis,
                ownName(asks.input(0)), ", of size ", size);
}

// What a kernel wrote to its error word, if it did: of the first op of the text that has a note.
void throwBadIndex(const Kernel& kernel, std::span<const int64_t> notes, const std::vector<int64_t>& ints) {
  if (std::all_of(notes.begin(), notes.end(), [](int64_t note) { return note == 0; })) return;
  const Report* found = nullptr;
  forEachStatement(kernel.body, [&](const Statement& statement) {
    const Report* report = std::get_if<Report>(&statement.node);
    if (!report || notes[static_cast<size_t>(report->check)] == 0) return;
    if (!found || isBefore(*report, *found)) found = report;
  });
  FUSER_CHECK(found && found->source, "kernel ", kernel.name, " notes an index, and has no check of it");
  const int64_t note = notes[static_cast<size_t>(found->check)], size = valueOf(kernel, found->extent, ints);
  throw BadIndexError(badIndexText(*found->source, indexOfNote(note), placeOfNote(note), size));
}

}  // namespace

std::vector<StartCopy> startsOf(const Kernel& kernel, const KernelArguments& arguments) {
  std::vector<StartCopy> starts;
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    if (kernel.tensors[i].startsAs < 0) continue;
    const StartCopy start{arguments.tensors.at(static_cast<size_t>(kernel.tensors[i].startsAs)), arguments.tensors[i]};
    if (start.to.data != start.from.data || start.to.strides != start.from.strides) starts.push_back(start);
  }
  return starts;
}

size_t bytesOfOutputs(const Kernel& kernel, const KernelArguments& arguments) {
  size_t bytes = 0;
  for (size_t i = 0; i < arguments.tensors.size(); ++i) {
    const TensorRef& tensor = arguments.tensors[i];
    if (kernel.tensors[i].written) bytes += static_cast<size_t>(numel(tensor.sizes)) * dtypeSize(tensor.dtype);
  }
  return bytes;
}

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
    const bool tells = workspace.kind == Workspace::Kind::ErrorWord;
    entries_.push_back(
        {&kernel, workspace.kind, tells ? arguments.ints : std::vector<int64_t>(), bytes, std::move(memory)});
  }
  return all;
}

size_t LaunchWorkspaces::giveBack() {
  size_t all = 0;
  for (const Entry& entry : entries_) {
    const auto* bytes = static_cast<const std::byte*>(entry.memory.ref.data);
    all += entry.bytes;
    if (entry.kind == Workspace::Kind::ErrorWord) {
      const auto* notes = reinterpret_cast<const int64_t*>(bytes);
      throwBadIndex(*entry.kernel, {notes, entry.bytes / sizeof(int64_t)}, entry.ints);
    }
    if (entry.kind != Workspace::Kind::Semaphore) continue;
    const bool zero = std::all_of(bytes, bytes + entry.bytes, [](std::byte byte) { return byte == std::byte{}; });
    if (!zero) throw ViolationError(concat("kernel ", entry.kernel->name, ": it leaves its semaphore not zero"));
  }
  entries_.clear();
  return all;
}

}  // namespace fuser
