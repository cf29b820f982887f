#pragma once
// How each schedule step is written: one table for parser and printer.

#include <string_view>
#include <vector>

#include "fuser/ir/transform.h"

namespace fuser::text {

enum class TransformField : uint8_t { Axis, Position, Factor, Type, Memory, Axes, Old2New };

struct TransformForm {
  TransformKind kind;
  std::string_view name;
  bool tensor;                        // %t stands after the name
  bool consumer;                      // then %c
  std::vector<TransformField> fields;  // all needed, printed in this order
  bool makesTensor;                   // "-> %new" ends it
};

const std::vector<TransformForm>& transformTable();
const TransformForm& transformForm(TransformKind kind);
std::string_view fieldName(TransformField field);

}  // namespace fuser::text
