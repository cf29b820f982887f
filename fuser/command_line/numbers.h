#pragma once
// Options that take numbers as people write them: --runs 20k, --max-total-time 8h.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace fuser {

// A whole number: "20000", "20k", "1.5m", "2g" (thousands, millions, thousands of millions) or "1e6". Nullopt for any
// other text, and for what a uint64_t cannot hold.
std::optional<uint64_t> countOf(std::string_view text);

// Seconds: "90", "0.5", "90s", "10m", "8h", "2d", "1h30m". Nullopt for any other text: no sign, no infinity.
std::optional<double> secondsOf(std::string_view text);

// The option takes such a number from `least` to `most`; what else is typed ends parsing with one sentence.
CLI::Option* takesCount(CLI::Option* option, uint64_t least, uint64_t most = std::numeric_limits<int64_t>::max());
CLI::Option* takesSeconds(CLI::Option* option, double least, double most = 1e9);

}  // namespace fuser
