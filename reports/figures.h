#pragma once
// Formats numbers for people, independent of machine and locale.

#include <cstdint>
#include <string>

namespace reports {

std::string grouped(int64_t count);           // "1,234,567"
// "1 finding", "2,000 findings"
std::string plural(int64_t count, const std::string& one, const std::string& many);
std::string compact(int64_t count);           // count >= 0, in at most four characters: "999", "1.2k", "34k", "5.6M"
std::string fixed(double value, int digits);  // "3.14"
std::string percent(double share);     // "98.76 %"; "<0.01 %" and ">99.99 %" if rounding would give 0 or 100
std::string signedPercent(double change);  // of a change: "+3.1 %", "-12.0 %"
std::string duration(double seconds);  // "0.42 s", "59 s", "4 min 10 s", "2 h 03 min"
// With blanks up to `width` bytes: before the text if `right`, else behind it.
std::string padded(const std::string& text, size_t width, bool right);

}  // namespace reports
