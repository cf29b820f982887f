#pragma once
// A case with its cache, for tests of what runs return.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/text/parser.h"

namespace fuser {

// A case, its cache, and the data of its runs.
struct Session {
  explicit Session(const std::string& text, const std::function<void(FusionExecutorCache::Settings&)>& adapt = {})
      : testCase(parseCase(text, "test")), fusion(testCase.fusion.get(), [](const Fusion*) {}) {
    FusionExecutorCache::Settings settings = settingsOf(testCase);
    settings.context.checkInvariants = true;
    if (adapt) adapt(settings);
    cache = std::make_unique<FusionExecutorCache>(fusion, std::move(settings));
  }

  // The index-th run of the case.
  RunRecord run(size_t index = 0) {
    data.push_back(materialize(testCase, testCase.runs.at(index)));
    return cache->run(hostValues(data.back()));
  }
  std::string rejection(size_t index = 0) {
    try {
      run(index);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  const void* inputMemory(size_t input) const { return data.back().tensors.at(input).ref.data; }

  Case testCase;
  std::shared_ptr<const Fusion> fusion;  // the case's
  std::unique_ptr<FusionExecutorCache> cache;
  std::vector<RunData> data;
};

inline std::vector<double> elements(const HostValue& value) {
  const TensorRef& ref = std::get<TensorRef>(value);
  std::vector<double> result;
  std::vector<int64_t> index(ref.sizes.size(), 0);
  for (int64_t i = 0; i < numel(ref.sizes); ++i) {
    int64_t rest = i;
    int64_t offset = 0;
    for (size_t axis = ref.sizes.size(); axis-- > 0;) {
      offset += rest % ref.sizes[axis] * ref.strides[axis];
      rest /= ref.sizes[axis];
    }
    result.push_back(
        dispatch(ref.dtype, [&]<class T>() { return convert<double>(static_cast<const T*>(ref.data)[offset]); }));
  }
  return result;
}

inline ScalarValue scalar(const HostValue& value) { return std::get<ScalarValue>(value); }

}  // namespace fuser
