#pragma once
// Runs kernels given as text on small tensors. Whole tests read: text, data, launch, expected data or violation.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fuser/execute/interp_engine.h"
#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"

namespace fuser {

// A kernel, its arguments, and the interpreter. Integers are given in the order of declaration; strides are bound.
class InterpRun {
 public:
  explicit InterpRun(const std::string& text) : kernel_(parseKernel(text)) {
    arguments_.tensors.resize(kernel_->tensors.size());
    arguments_.ints.resize(kernel_->intParams.size());
  }

  template <class T>
  InterpRun& tensor(size_t argument, std::vector<T>& data, Dims sizes, Dims strides) {
    TensorRef& ref = arguments_.tensors.at(argument);
    ref.data = data.data();
    ref.dtype = DataTypeOf<T>::value;
    ref.sizes = sizes;
    ref.strides = strides;
    return *this;
  }
  template <class T>
  InterpRun& tensor(size_t argument, std::vector<T>& data) {
    return tensor(argument, data, {static_cast<int64_t>(data.size())}, {1});
  }
  // Moves a tensor's address.
  InterpRun& shift(size_t argument, size_t bytes) {
    void*& data = arguments_.tensors.at(argument).data;
    data = static_cast<std::byte*>(data) + bytes;
    return *this;
  }
  InterpRun& ints(std::vector<int64_t> values) {
    std::copy(values.begin(), values.end(), arguments_.ints.begin());
    return *this;
  }
  InterpRun& scalars(std::vector<ScalarValue> values) {
    arguments_.scalars = std::move(values);
    return *this;
  }

  void run() {
    bindStrides(*kernel_, arguments_);
    const std::unique_ptr<Engine> engine = makeInterpEngine();
    const Kernel* kernels[] = {kernel_.get()};
    engine->compile(kernels)[0]->launch(arguments_);
  }

  // The violation's message; a failure when there is none.
  std::string violation() {
    try {
      run();
    } catch (const ViolationError& error) {
      return error.what();
    }
    ADD_FAILURE() << "no violation";
    return "";
  }

  Kernel& kernel() { return *kernel_; }

 private:
  std::unique_ptr<Kernel> kernel_;
  KernelArguments arguments_;
};

inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

}  // namespace fuser
