#pragma once
// Options whose values are numbers and times as people write them: --runs 20k, --max-total-time 8h.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace fuser {

// A whole number: "20000", "20k", "1.5m", "2g" (thousands, millions, thousands of millions) or "1e6". nullopt for any
// other text, for a number that is not whole, and for one that is too large: digits alone may be any uint64_t, the
// other forms at most 2^53.
std::optional<uint64_t> countOf(std::string_view text);

// Seconds: "90", "0.5", "90s", "10m", "8h", "2d", "1h30m". nullopt for any other text, such as a sign or an infinity.
std::optional<double> secondsOf(std::string_view text);

// Make the option accept such a number in [least, most]; any other value ends parsing with a one-sentence error.
CLI::Option* takesCount(CLI::Option* option, uint64_t least, uint64_t most = std::numeric_limits<int64_t>::max());
CLI::Option* takesSeconds(CLI::Option* option, double least, double most = 1e9);

}  // namespace fuser
