// Faults in the host program, and in what kernels are launched with.

#include <algorithm>
#include <map>
#include <string>

#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz {

bool haveSameType(const TensorView* a, const TensorView* b) {
  const std::vector<IterDomain*> left = a->axes(), right = b->axes();
  return a->dtype() == b->dtype() &&
         std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const IterDomain* p, const IterDomain* q) {
           return p->type() == q->type() && p->extent() == q->extent() && p->expandedExtent() == q->expandedExtent();
         });
}

namespace faults {
namespace {

const Kernel& kernelOf(const HostIrContainer& program, const hir::LaunchKernel& launch) {
  return *program.kernels.at(static_cast<size_t>(launch.kernel));
}

bool writes(const HostIrContainer& program, const hir::LaunchKernel& launch, const TensorView* tensor) {
  const Kernel& kernel = kernelOf(program, launch);
  for (size_t i = 0; i < launch.tensors.size(); ++i) {
    if (launch.tensors[i] == tensor && kernel.tensors[i].written) return true;
  }
  return false;
}

bool reads(const HostIrContainer& program, const hir::LaunchKernel& launch, const TensorView* tensor) {
  const Kernel& kernel = kernelOf(program, launch);
  for (size_t i = 0; i < launch.tensors.size(); ++i) {
    if (launch.tensors[i] == tensor && !kernel.tensors[i].written) return true;
  }
  return false;
}

template <class Node>
Node& as(hir::HostExpr* expr) {
  return std::get<Node>(expr->node);
}

template <class Node>
const Node& as(const hir::HostExpr* expr) {
  return std::get<Node>(expr->node);
}

}  // namespace

bool connectWrongValue(HostIrContainer& program) {
  bool applied = false;
  std::vector<const TensorView*> there;  // inputs, and what earlier launches made
  for (const Val* input : program.fusion().inputs()) {
    if (input->isTensor()) there.push_back(input->as<TensorView>());
  }
  for (hir::HostExpr* node : hostExprsOf<hir::LaunchKernel>(program)) {
    hir::LaunchKernel& launch = as<hir::LaunchKernel>(node);
    const Kernel& kernel = kernelOf(program, launch);
    const std::vector<const TensorView*> right = launch.tensors;
    for (size_t i = 0; i < right.size(); ++i) {
      if (kernel.tensors[i].written) continue;
      const auto other = std::find_if(there.begin(), there.end(), [&](const TensorView* tensor) {
        // Nothing freed: inputs, outputs, or what this launch reads anyway.
        const bool alive = tensor->isFusionInput() || tensor->isFusionOutput() ||
                           std::find(right.begin(), right.end(), tensor) != right.end();
        return alive && tensor != right[i] && haveSameType(tensor, right[i]);
      });
      if (other == there.end()) continue;
      launch.tensors[i] = *other;
      applied = true;
    }
    for (size_t i = 0; i < right.size(); ++i) {
      if (kernel.tensors[i].written) there.push_back(right[i]);
    }
  }
  return applied;
}

// Before the last launch that reads it.
bool freeTooEarly(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* freed : hostExprsOf<hir::Deallocate>(program)) {
    const TensorView* tensor = as<hir::Deallocate>(freed).tensor;
    const std::vector<hir::HostExpr*> launches = hostExprsOf<hir::LaunchKernel>(program);
    const auto reader = std::find_if(launches.rbegin(), launches.rend(), [&](hir::HostExpr* launch) {
      return reads(program, as<hir::LaunchKernel>(launch), tensor);
    });
    if (reader == launches.rend()) continue;
    program.moveBefore(freed, *reader);
    applied = true;
  }
  return applied;
}

bool reuseTooEarly(HostIrContainer& program) {
  const std::vector<hir::HostExpr*> launches = hostExprsOf<hir::LaunchKernel>(program);
  const auto launch = [&](size_t i) -> hir::LaunchKernel& { return as<hir::LaunchKernel>(launches[i]); };
  for (size_t place = 0; place < launches.size(); ++place) {
    const Kernel& kernel = kernelOf(program, launch(place));
    for (size_t i = 0; i < launch(place).tensors.size(); ++i) {
      const TensorView* result = launch(place).tensors[i];
      if (!kernel.tensors[i].written) continue;
      // A tensor that an earlier launch made and a later one reads.
      for (size_t before = 0; before < place; ++before) {
        for (const TensorView* old : std::vector<const TensorView*>(launch(before).tensors)) {
          if (old == result || !haveSameType(old, result) || !writes(program, launch(before), old)) continue;
          bool readLater = false;
          for (size_t after = place + 1; after < launches.size(); ++after) {
            readLater |= reads(program, launch(after), old);
          }
          if (!readLater) continue;
          for (size_t each = 0; each < launches.size(); ++each) {
            std::vector<const TensorView*>& tensors = launch(each).tensors;
            std::replace(tensors.begin(), tensors.end(), result, old);
          }
          return true;
        }
      }
    }
  }
  return false;
}

bool dropLaunch(HostIrContainer& program) {
  const std::vector<hir::HostExpr*> launches = hostExprsOf<hir::LaunchKernel>(program);
  if (launches.empty()) return false;
  program.remove(launches.back());
  return true;
}

bool launchTooEarly(HostIrContainer& program) {
  const std::vector<hir::HostExpr*> launches = hostExprsOf<hir::LaunchKernel>(program);
  for (size_t i = 1; i < launches.size(); ++i) {
    const hir::LaunchKernel& maker = as<hir::LaunchKernel>(launches[i - 1]);
    const hir::LaunchKernel& reader = as<hir::LaunchKernel>(launches[i]);
    const bool depends = std::any_of(maker.tensors.begin(), maker.tensors.end(), [&](const TensorView* tensor) {
      return writes(program, maker, tensor) && reads(program, reader, tensor);
    });
    if (!depends) continue;
    program.insertAfter(launches[i], maker);
    program.remove(launches[i - 1]);
    return true;
  }
  return false;
}

// The output is said to be in the input's memory, which still holds the input.
bool dropAliasCopy(HostIrContainer& program) {
  const std::vector<hir::HostExpr*> copies = hostExprsOf<hir::Copy>(program);
  for (hir::HostExpr* copy : copies) program.remove(copy);
  return !copies.empty();
}

// The caller's memory still holds what the caller left there.
bool dropOutputCopy(HostIrContainer& program) {
  const std::vector<hir::HostExpr*> copies = hostExprsOf<hir::CopyToOutput>(program);
  for (hir::HostExpr* copy : copies) program.remove(copy);
  return !copies.empty();
}

// The launch that overwrites an input changes places with one that reads it, where nothing else keeps them in order.
bool overwriteTooEarly(HostIrContainer& program) {
  const std::vector<hir::HostExpr*> launches = hostExprsOf<hir::LaunchKernel>(program);
  for (const hir::HostExpr* node : hostExprsOf<hir::Reuse>(program)) {
    const hir::Reuse& reuse = std::get<hir::Reuse>(node->node);
    for (size_t writer = 0; writer < launches.size(); ++writer) {
      if (!writes(program, as<hir::LaunchKernel>(launches[writer]), reuse.tensor)) continue;
      for (size_t reader = 0; reader < writer; ++reader) {
        if (!reads(program, as<hir::LaunchKernel>(launches[reader]), reuse.input)) continue;
        std::swap(launches[reader]->node, launches[writer]->node);
        return true;
      }
    }
  }
  return false;
}

bool viewAnotherInput(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* node : hostExprsOf<hir::View>(program)) {
    const hir::View view = as<hir::View>(node);
    for (const Val* input : program.fusion().inputs()) {
      if (!input->isTensor() || input == view.source || !haveSameType(input->as<TensorView>(), view.source)) continue;
      program.replace(node, hir::View{view.tensor, input->as<TensorView>()});
      applied = true;
      break;
    }
  }
  return applied;
}

bool swapScalars(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* node : hostExprsOf<hir::LaunchKernel>(program)) {
    std::vector<const Val*>& scalars = as<hir::LaunchKernel>(node).scalars;
    for (size_t i = 1; i < scalars.size(); ++i) {
      if (scalars[i]->dtype() != scalars[i - 1]->dtype()) continue;
      std::swap(scalars[i], scalars[i - 1]);
      applied = true;
      break;
    }
  }
  return applied;
}

// Kernels live as long as the cache, and so do their names: k<number>_<scheduler> of one program are distinct, and
// programs are told apart by the address of the kernel, which is looked up and never ordered by.
LaunchFault staleScalars() {
  auto first = std::make_shared<std::map<const Kernel*, std::vector<ScalarValue>>>();
  return [first](const Kernel& kernel, KernelArguments& arguments) {
    const std::vector<ScalarValue>& kept = first->emplace(&kernel, arguments.scalars).first->second;
    const bool stale = kept != arguments.scalars;
    arguments.scalars = kept;
    return stale;
  };
}

LaunchFault staleExtents() {
  auto first = std::make_shared<std::map<const Kernel*, std::vector<int64_t>>>();
  return [first](const Kernel& kernel, KernelArguments& arguments) {
    const std::vector<int64_t>& kept = first->emplace(&kernel, arguments.ints).first->second;
    bool stale = false;
    for (size_t i = 0; i < kept.size(); ++i) {
      if (kernel.intParams[i].tensor >= 0) continue;
      stale |= kept[i] != arguments.ints[i];
      arguments.ints[i] = kept[i];
    }
    return stale;
  };
}

LaunchFault extentOffByOne() {
  return [](const Kernel& kernel, KernelArguments& arguments) {
    for (size_t i = 0; i < arguments.ints.size(); ++i) {
      if (kernel.intParams[i].tensor >= 0 || arguments.ints[i] < 2) continue;
      --arguments.ints[i];
      return true;
    }
    return false;
  };
}

LaunchFault swapStrides() {
  return [](const Kernel& kernel, KernelArguments& arguments) {
    for (size_t i = 0; i < arguments.ints.size(); ++i) {
      for (size_t j = i + 1; j < arguments.ints.size(); ++j) {
        const IntParam &a = kernel.intParams[i], &b = kernel.intParams[j];
        const bool together = a.tensor >= 0 && a.tensor == b.tensor;
        if (!together || kernel.tensors[static_cast<size_t>(a.tensor)].written) continue;
        if (arguments.ints[i] == arguments.ints[j]) continue;
        std::swap(arguments.ints[i], arguments.ints[j]);
        return true;
      }
    }
    return false;
  };
}

LaunchFault denseStrides() {
  return [](const Kernel& kernel, KernelArguments& arguments) {
    bool applied = false;
    for (size_t i = 0; i < arguments.ints.size(); ++i) {
      const IntParam& param = kernel.intParams[i];
      if (param.tensor < 0 || kernel.tensors[static_cast<size_t>(param.tensor)].written) continue;
      const Dims dense = contiguousStrides(arguments.tensors[static_cast<size_t>(param.tensor)].sizes);
      const int64_t stride = dense[static_cast<size_t>(param.axis)];
      applied |= stride != arguments.ints[i];
      arguments.ints[i] = stride;
    }
    return applied;
  };
}

}  // namespace faults
}  // namespace fuser::fuzz
