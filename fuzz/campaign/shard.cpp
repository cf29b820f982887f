#include "fuzz/campaign/shard.h"

#include <charconv>

#include "fuser/support/check.h"

namespace fuser::fuzz {

Shard Shard::parse(const std::string& text) {
  constexpr uint64_t kMost = 10000;
  Shard shard;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.number);
  const bool hasSlash = first.ec == std::errc{} && first.ptr != end && *first.ptr == '/';
  const auto second = hasSlash ? std::from_chars(first.ptr + 1, end, shard.count) : first;
  const bool isRead = hasSlash && second.ec == std::errc{} && second.ptr == end;
  FUSER_USER_CHECK(isRead && shard.number >= 1 && shard.number <= shard.count && shard.count <= kMost, "'", text,
                   "' is no part of a campaign: write K/N, the K-th of N parts, as 2/8");
  return shard;
}

}  // namespace fuser::fuzz
