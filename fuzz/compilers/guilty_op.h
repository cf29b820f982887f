#pragma once
// Which op a target computes wrong, wherever its result is read.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/compilers/target_outcome.h"
#include "fuzz/compilers/worker_process.h"

namespace fuser::fuzz {

// Exports the case with every tensor of it as an output, and asks for these. The op's name, "Add", of the first one in
// topological order that is wrong in a run; "" where the format or the target does not take that program, or where
// nothing is wrong any more: then several ops together are.
std::string guiltyOp(const Case& testCase, const std::vector<JudgedRun>& runs, std::string_view format,
                     const std::function<WorkerReply(const WorkerRequest&)>& ask);

}  // namespace fuser::fuzz
