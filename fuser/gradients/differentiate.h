#pragma once
// differentiate(): the gradients of a fusion, as a fusion (reverse mode; Linnainmaa 1970).
//
//   fusion f(%x: f32[i0, i1]) {            fusion f_backward(%x: f32[i0, i1], %grad_y: f32[i0]) {
//     %e = exp(%x)                           %e = exp(%x) : f32[i0, i1]
//     %y = sum(%e) {dims = [1]}        ->    %t0 = unsqueeze(%grad_y) {dims = [1]} : f32[i0, 1]
//     return %y                              %t1 = expand(%t0) {shape = [i0, i1]} : f32[i0, 1*i1]
//   }                                        %grad_x = mul(%t1, %e) : f32[i0, i1]
//                                            return %grad_x
//                                          }
//
// Inputs: those of the fusion, then one cotangent, %grad_y, for each output %y that depends on an input of floats in a
// way that PyTorch differentiates: of its dtype and its sizes, dense and row-major. An output that is returned twice
// has one. Outputs: for each input of floats that such an output depends on, in the order of the inputs, %grad_x: the
// sum over all outputs of its products with their cotangents, of the input's dtype and sizes. Forward values that a
// derivative needs are computed again. Scalars, and tensors on the host, which `item` makes numbers of, are constants,
// as Python's numbers are.
//
// Of a branch the gradients of the side that a run does not take are not computed, and are 0.
// The rows of derivatives.def say what the derivative of an op is, after PyTorch.

#include <memory>

#include "fuser/ir/fusion.h"

namespace fuser::gradients {

struct DifferentiatedFusion {
  std::unique_ptr<Fusion> fusion;
  // By cotangent: the output of the given fusion that it belongs to.
  std::vector<const Val*> cotangentOf;
};

// The fusion has no updates (functionalCase), streams or devices. A UserError where it has, where an op is met that
// PyTorch does not differentiate, and where no output depends on an input: the message names op and reason.
DifferentiatedFusion differentiate(const Fusion& fusion);

}  // namespace fuser::gradients
