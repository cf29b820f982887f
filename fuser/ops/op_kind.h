#pragma once
// OpKind: the names of the ops, without their rows. The oracle's reference includes only this header.

#include <cstdint>

namespace fuser {

enum class OpKind : uint8_t {
#define POINTWISE(kind, ...) kind,
#define STRUCTURAL(kind, ...) kind,
#define REDUCTION(kind, ...) kind,
#define SCAN(kind, ...) kind,
#define PARTS(kind, ...) kind,
#include "fuser/ops/op_table.def"
#undef POINTWISE
#undef STRUCTURAL
#undef REDUCTION
#undef SCAN
#undef PARTS
};

inline constexpr OpKind kAllOps[] = {
#define POINTWISE(kind, ...) OpKind::kind,
#define STRUCTURAL(kind, ...) OpKind::kind,
#define REDUCTION(kind, ...) OpKind::kind,
#define SCAN(kind, ...) OpKind::kind,
#define PARTS(kind, ...) OpKind::kind,
#include "fuser/ops/op_table.def"
#undef POINTWISE
#undef STRUCTURAL
#undef REDUCTION
#undef SCAN
#undef PARTS
};

}  // namespace fuser
