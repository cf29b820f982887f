#pragma once
// What a worker's reply makes of a case: it is held against the right values.

#include <optional>
#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuzz/compilers/exact_mode.h"
#include "fuzz/compilers/worker_process.h"
#include "fuzz/export/export.h"
#include "fuzz/judge/judge_case.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {

// A run with its inputs and what is right.
struct JudgedRun {
  size_t index = 0;  // of the case's run
  RunData data;
  std::vector<std::optional<reference::Value>> values;  // reference::evaluate's
  Exactness exactness;                                  // of the values
  // Mixed mode (mixed_mode.h); null: exact mode.
  const oracle::Profile* profile = nullptr;
  std::vector<const Val*> heldOtherwise;  // of mixed mode
};

struct TargetOutcome {
  VerdictKind kind = VerdictKind::Agrees;
  int run = -1;        // the first one that differs or is left out
  std::string reason;  // one line
  std::string detail;
  // Of each run, as far as they were answered.
  std::vector<oracle::Judgement> judgements;
  std::vector<AnswerRun> answered;
  // As the worker says: of the target's first run, with its compilation; of the others; of what it did beside.
  double firstSeconds = 0, laterSeconds = 0, besideSeconds = 0;
  // Differs: of that run.
  std::optional<oracle::Judgement> wrong;
  std::vector<AnswerTensor> given;
  std::string pattern = "type";  // of what differs, if no element does
};

// All programs; the programs of these runs, and those of all runs at once.
WorkerRequest requestOf(const Exported& exported);
WorkerRequest requestOf(const Exported& exported, const std::vector<JudgedRun>& runs);

enum class JudgedBy : uint8_t { Profile, Exactness };

// name: of who replied, for the sentences: "onnxruntime". by: Exactness leaves undecided what is not exact, of runs of
// mixed mode, too.
TargetOutcome outcomeOf(const WorkerReply& reply, const std::string& name, const Fusion& fusion,
                        const std::vector<JudgedRun>& runs, JudgedBy by = JudgedBy::Profile);

}  // namespace fuser::fuzz
