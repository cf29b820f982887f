#pragma once
// Numbers as a person reads them; the same on every machine and in every locale.

#include <cstdint>
#include <string>

namespace reports {

std::string grouped(int64_t count);           // "1,234,567"
std::string compact(int64_t count);           // at most four characters: "999", "1.2k", "34k", "5.6M"
std::string fixed(double value, int digits);  // "3.14"
std::string percent(double share);     // "98.76 %"; "<0.01 %" for what would read 0, ">99.99 %" for what would read 100
std::string duration(double seconds);  // "0.42 s", "59 s", "4 min 10 s", "2 h 03 min"

}  // namespace reports
