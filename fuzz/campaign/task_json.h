#pragma once
// JSON of a campaign's task: its line of words.

#include <string>

#include "fuzz/campaign/task.h"
#include "reports/fields_json.h"

template <>
struct nlohmann::adl_serializer<fuser::fuzz::SingleTask> {
  static void to_json(json& out, const fuser::fuzz::SingleTask& task) { out = fuser::fuzz::printTask(task); }
  static void from_json(const json& in, fuser::fuzz::SingleTask& task) {
    task = fuser::fuzz::parseTask<fuser::fuzz::SingleTask>(in.get_ref<const std::string&>());
  }
};
