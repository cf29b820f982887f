#pragma once
// DataType: one row each in dtype.def, so that a new type is a line there and not a case in every switch.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

#include "fuser/support/check.h"
#include "fuser/types/device_types.cuh"

namespace fuser {

enum class DataType : uint8_t {
#define DTYPE(name, ...) name,
#include "fuser/types/dtype.def"
#undef DTYPE
};

inline constexpr DataType kAllDataTypes[] = {
#define DTYPE(name, ...) DataType::name,
#include "fuser/types/dtype.def"
#undef DTYPE
};

// In the order of promotion: a wider category wins.
enum class Category : uint8_t { Bool, Int, Float };

std::string_view dtypeName(DataType dtype);      // "bf16"
std::string_view dtypeCodeName(DataType dtype);  // "fuser::BFloat16"
std::optional<DataType> dtypeFromName(std::string_view name);  // by dtypeName; nullopt where none is called so
size_t dtypeSize(DataType dtype);  // bytes
Category category(DataType dtype);
inline bool isFloating(DataType dtype) { return category(dtype) == Category::Float; }

// The type in which one op computes: f32 for f16, bf16, f32; itself otherwise.
DataType computeType(DataType dtype);

// The type of smallest precision that holds both, PyTorch's torch.promote_types.
DataType promoteTypes(DataType a, DataType b);

inline std::ostream& operator<<(std::ostream& out, DataType dtype) { return out << dtypeName(dtype); }
inline void appendText(std::string& out, DataType dtype) { out += dtypeName(dtype); }

// Calls f.template operator()<Storage>() with the dtype's storage type, and gives what it returns: for code that is
// written once for all types.
template <class F>
decltype(auto) dispatch(DataType dtype, F&& f) {
  switch (dtype) {
#define DTYPE(name, text, storage, ...) \
  case DataType::name:                  \
    return f.template operator()<storage>();
#include "fuser/types/dtype.def"
#undef DTYPE
  }
  FUSER_CHECK(false, "bad dtype");
}

template <class T>
struct DataTypeOf;
#define DTYPE(name, text, storage, ...)                    \
  template <>                                              \
  struct DataTypeOf<storage> {                             \
    static constexpr DataType value = DataType::name;      \
  };
#include "fuser/types/dtype.def"
#undef DTYPE

}  // namespace fuser
