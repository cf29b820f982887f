// Faults in the host program, in what kernels are launched with, and in the cache of programs.

#include <algorithm>
#include <map>
#include <string>

#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz::faults {
namespace {

bool sameType(const TensorView* a, const TensorView* b) {
  const std::vector<IterDomain*> left = a->axes(), right = b->axes();
  return a->dtype() == b->dtype() &&
         std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const IterDomain* p, const IterDomain* q) {
           return p->type() == q->type() && p->extent() == q->extent() && p->expandedExtent() == q->expandedExtent();
         });
}

const Kernel& kernelOf(const HostProgram& program, const hir::LaunchKernel& launch) {
  return *program.kernels.at(static_cast<size_t>(launch.kernel));
}

bool writes(const HostProgram& program, const hir::LaunchKernel& launch, const TensorView* tensor) {
  const Kernel& kernel = kernelOf(program, launch);
  for (size_t i = 0; i < launch.tensors.size(); ++i) {
    if (launch.tensors[i] == tensor && kernel.tensors[i].written) return true;
  }
  return false;
}

bool reads(const HostProgram& program, const hir::LaunchKernel& launch, const TensorView* tensor) {
  const Kernel& kernel = kernelOf(program, launch);
  for (size_t i = 0; i < launch.tensors.size(); ++i) {
    if (launch.tensors[i] == tensor && !kernel.tensors[i].written) return true;
  }
  return false;
}

// Nodes of the kind, by place.
template <class Node>
std::vector<size_t> placesOf(const HostProgram& program) {
  std::vector<size_t> places;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    if (std::holds_alternative<Node>(program.nodes[i])) places.push_back(i);
  }
  return places;
}

template <class Node>
Node& at(HostProgram& program, size_t place) {
  return std::get<Node>(program.nodes[place]);
}

// The segments' ranges of nodes are for people; a program whose nodes moved keeps them within bounds.
void moveNode(HostProgram& program, size_t from, size_t to) {
  const hir::Node node = program.nodes[from];
  program.nodes.erase(program.nodes.begin() + static_cast<std::ptrdiff_t>(from));
  program.nodes.insert(program.nodes.begin() + static_cast<std::ptrdiff_t>(to), node);
}

}  // namespace

bool connectWrongValue(HostProgram& program) {
  bool applied = false;
  std::vector<const TensorView*> there;  // inputs, and what earlier launches made
  for (const Val* input : program.fusion->inputs()) {
    if (input->isTensor()) there.push_back(input->as<TensorView>());
  }
  for (size_t place : placesOf<hir::LaunchKernel>(program)) {
    hir::LaunchKernel& launch = at<hir::LaunchKernel>(program, place);
    const Kernel& kernel = kernelOf(program, launch);
    const std::vector<const TensorView*> right = launch.tensors;
    for (size_t i = 0; i < right.size(); ++i) {
      if (kernel.tensors[i].written) continue;
      const auto other = std::find_if(there.begin(), there.end(), [&](const TensorView* tensor) {
        // Nothing freed: inputs, outputs, or what this launch reads anyway.
        const bool alive = tensor->isFusionInput() || tensor->isFusionOutput() ||
                           std::find(right.begin(), right.end(), tensor) != right.end();
        return alive && tensor != right[i] && sameType(tensor, right[i]);
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

bool freeTooEarly(HostProgram& program) {
  bool applied = false;
  for (size_t freed : placesOf<hir::Deallocate>(program)) {
    const TensorView* tensor = at<hir::Deallocate>(program, freed).tensor;
    for (size_t place = freed; place-- > 0;) {
      const hir::LaunchKernel* launch = std::get_if<hir::LaunchKernel>(&program.nodes[place]);
      if (!launch || !reads(program, *launch, tensor)) continue;
      moveNode(program, freed, place);
      applied = true;
      break;
    }
  }
  return applied;
}

bool reuseTooEarly(HostProgram& program) {
  for (size_t place : placesOf<hir::LaunchKernel>(program)) {
    const hir::LaunchKernel& launch = at<hir::LaunchKernel>(program, place);
    const Kernel& kernel = kernelOf(program, launch);
    for (size_t i = 0; i < launch.tensors.size(); ++i) {
      const TensorView* made = launch.tensors[i];
      if (!kernel.tensors[i].written) continue;
      // A tensor that an earlier launch made and a later one reads.
      for (size_t before : placesOf<hir::LaunchKernel>(program)) {
        if (before >= place) break;
        for (const TensorView* old : std::vector<const TensorView*>(at<hir::LaunchKernel>(program, before).tensors)) {
          if (old == made || !sameType(old, made) || !writes(program, at<hir::LaunchKernel>(program, before), old)) continue;
          bool readLater = false;
          for (size_t after : placesOf<hir::LaunchKernel>(program)) {
            readLater |= after > place && reads(program, at<hir::LaunchKernel>(program, after), old);
          }
          if (!readLater) continue;
          for (size_t each : placesOf<hir::LaunchKernel>(program)) {
            std::vector<const TensorView*>& tensors = at<hir::LaunchKernel>(program, each).tensors;
            std::replace(tensors.begin(), tensors.end(), made, old);
          }
          return true;
        }
      }
    }
  }
  return false;
}

bool dropLaunch(HostProgram& program) {
  const std::vector<size_t> launches = placesOf<hir::LaunchKernel>(program);
  if (launches.empty()) return false;
  // An empty EvaluateScalars does nothing, and keeps the segments' ranges.
  program.nodes[launches.back()] = hir::EvaluateScalars{};
  return true;
}

bool launchTooEarly(HostProgram& program) {
  const std::vector<size_t> launches = placesOf<hir::LaunchKernel>(program);
  for (size_t i = 1; i < launches.size(); ++i) {
    const hir::LaunchKernel& maker = at<hir::LaunchKernel>(program, launches[i - 1]);
    const hir::LaunchKernel& reader = at<hir::LaunchKernel>(program, launches[i]);
    const bool depends = std::any_of(maker.tensors.begin(), maker.tensors.end(), [&](const TensorView* tensor) {
      return writes(program, maker, tensor) && reads(program, reader, tensor);
    });
    if (!depends) continue;
    moveNode(program, launches[i - 1], launches[i]);
    return true;
  }
  return false;
}

// The output is said to be in the input's memory, which still holds the input.
bool dropAliasCopy(HostProgram& program) {
  bool applied = false;
  for (size_t place : placesOf<hir::Copy>(program)) {
    // The node stays: an evaluation of nothing.
    program.nodes[place] = hir::EvaluateScalars{};
    applied = true;
  }
  return applied;
}

// The launch that overwrites an input goes before one that reads it, where nothing else keeps them in order.
bool overwriteTooEarly(HostProgram& program) {
  for (size_t place : placesOf<hir::Reuse>(program)) {
    const hir::Reuse reuse = at<hir::Reuse>(program, place);
    for (size_t writer : placesOf<hir::LaunchKernel>(program)) {
      if (!writes(program, at<hir::LaunchKernel>(program, writer), reuse.tensor)) continue;
      for (size_t reader : placesOf<hir::LaunchKernel>(program)) {
        if (reader >= writer || !reads(program, at<hir::LaunchKernel>(program, reader), reuse.input)) continue;
        std::swap(program.nodes[reader], program.nodes[writer]);
        return true;
      }
    }
  }
  return false;
}

bool viewAnotherInput(HostProgram& program) {
  bool applied = false;
  for (size_t place : placesOf<hir::View>(program)) {
    hir::View& view = at<hir::View>(program, place);
    for (const Val* input : program.fusion->inputs()) {
      if (!input->isTensor() || input == view.source || !sameType(input->as<TensorView>(), view.source)) continue;
      view.source = input->as<TensorView>();
      applied = true;
      break;
    }
  }
  return applied;
}

bool swapScalars(HostProgram& program) {
  bool applied = false;
  for (size_t place : placesOf<hir::LaunchKernel>(program)) {
    std::vector<const Val*>& scalars = at<hir::LaunchKernel>(program, place).scalars;
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

CompileHooks ignoreSizes(std::shared_ptr<bool> applied) {
  CompileHooks hooks;
  hooks.takeProgram = [applied](bool fits) {
    *applied |= !fits;
    return true;
  };
  return hooks;
}

CompileHooks ignoreLayout(std::shared_ptr<bool> applied) {
  CompileHooks hooks;
  hooks.cacheKey = [applied, first = std::make_shared<std::string>()](const std::string& key) {
    if (first->empty()) *first = key;
    *applied |= *first != key;
    return *first;
  };
  return hooks;
}

}  // namespace fuser::fuzz::faults
