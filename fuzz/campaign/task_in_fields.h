#pragma once
// A campaign's task as a field of a struct, in JSON and in bytes: its line of words.

#include <string>

#include "fuzz/campaign/task.h"
#include "reports/fields_bytes.h"
#include "reports/fields_json.h"

template <>
struct nlohmann::adl_serializer<fuser::fuzz::SingleTask> {
  static void to_json(json& out, const fuser::fuzz::SingleTask& task) { out = fuser::fuzz::printTask(task); }
  static void from_json(const json& in, fuser::fuzz::SingleTask& task) {
    task = fuser::fuzz::parseTask<fuser::fuzz::SingleTask>(in.get_ref<const std::string&>());
  }
};

template <>
struct reports::WrittenAs<fuser::fuzz::SingleTask> {
  static std::string to(const fuser::fuzz::SingleTask& task) { return fuser::fuzz::printTask(task); }
  static fuser::fuzz::SingleTask from(const std::string& text) {
    return fuser::fuzz::parseTask<fuser::fuzz::SingleTask>(text);
  }
};
