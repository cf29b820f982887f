#pragma once
// The reducers of reducers.def: each tries candidates that are smaller in one respect. True if the best case changed.

#include <span>
#include <string_view>

#include "fuzz/minimize/search.h"

namespace fuser::fuzz {

struct Reducer {
  std::string_view name, price, summary;
  bool (*reduce)(Search&);
};
std::span<const Reducer> allReducers();  // in order

#define REDUCER(function, price, summary, file) bool function(Search& search);
#include "fuzz/minimize/reducers.def"
#undef REDUCER

}  // namespace fuser::fuzz
