#pragma once
// CollectiveTraits: a row of collective_kinds.def, which explains the columns. The transports read it.

#include <string_view>

#include "fuser/communicate/collective.h"

namespace fuser {

enum class Participants : uint8_t { Root, Team };
enum class Part : uint8_t { Whole, Slice };
enum class PartsBecome : uint8_t { Concatenate, Reduce };

struct CollectiveTraits {
  std::string_view name;
  Participants senders;
  Participants receivers;
  Part part;
  PartsBecome result;
};

const CollectiveTraits& traitsOf(CollectiveKind kind);

}  // namespace fuser
