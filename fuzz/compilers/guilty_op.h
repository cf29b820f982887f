#pragma once
// Which op a target computes wrong, wherever its result is read.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/compilers/target_outcome.h"
#include "fuzz/compilers/worker_process.h"

namespace fuser::fuzz {

struct GuiltyOp {
  std::string op;  // "Add"
  DataType dtype;  // of the value that is wrong

  std::string text() const { return concat(op, " ", dtype); }
};

// Exports the case with every tensor of it as an output, and asks for these. The first one in topological order that is
// wrong in a run; nullopt where the format or the target does not take that program, or where nothing is wrong any
// more: then several ops together are.
std::optional<GuiltyOp> guiltyOp(const Case& testCase, const std::vector<JudgedRun>& runs, std::string_view format,
                                 const std::function<WorkerReply(const WorkerRequest&)>& ask);

}  // namespace fuser::fuzz
