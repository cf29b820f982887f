// Names of complex values.

#include "tests/oracle/second_reader/calls.h"

namespace second_reader {

std::map<std::string, Evaluation> namesOfComplexValues() {
  using Tensors = std::vector<at::Tensor>;
  return {
      {"real", [](const Call& call) -> Tensors { return {at::real(call.x.at(0))}; }},
      {"imag", [](const Call& call) -> Tensors { return {at::imag(call.x.at(0))}; }},
      {"conj", [](const Call& call) -> Tensors { return {at::conj(call.x.at(0))}; }},
      {"resolve_conj", [](const Call& call) -> Tensors { return {at::resolve_conj(call.x.at(0))}; }},
      {"angle", [](const Call& call) -> Tensors { return {at::angle(call.x.at(0))}; }},
      {"complex", [](const Call& call) -> Tensors { return {at::complex(call.x.at(0), call.x.at(1))}; }},
      {"polar", [](const Call& call) -> Tensors { return {at::polar(call.x.at(0), call.x.at(1))}; }},
      {"view_as_real", [](const Call& call) -> Tensors { return {at::view_as_real(call.x.at(0))}; }},
      {"view_as_complex", [](const Call& call) -> Tensors { return {at::view_as_complex(call.x.at(0))}; }},
  };
}

}  // namespace second_reader
