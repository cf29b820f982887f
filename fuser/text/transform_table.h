#pragma once
// The syntax of schedule steps, as one table that the parser and the printer read.

#include <string_view>
#include <vector>

#include "fuser/ir/transform.h"

namespace fuser::text {

enum class TransformField : uint8_t {
  Axis,
  Position,
  Operand,
  Factor,
  Row,
  Elements,
  Stages,
  Prefetch,
  Type,
  Memory,
  IndexType,
  Axes,
  Old2New
};

struct TransformForm {
  TransformKind kind;
  std::string_view name;
  bool tensor;                        // the step names a tensor: %t
  bool consumer;                      // and a consumer: %c
  std::vector<TransformField> fields;  // all required, in printing order
  bool makesTensor;                   // the step ends with "-> %new"
};

const std::vector<TransformForm>& transformTable();
const TransformForm& transformForm(TransformKind kind);
std::string_view fieldName(TransformField field);
std::string_view indexTypeName(DataType type);  // "int32" or "int64"

}  // namespace fuser::text
