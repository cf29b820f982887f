#pragma once
// Nights for tests of histories, from one line each.

#include <string>
#include <vector>

#include "reports/night.h"

namespace reports_test {

// "FOLDER DATE word…", the date "-" if none is known; words are
//   target=T processor=P version=V       of the night
//   option=KEY:VALUE, selftest=KEY:VALUE options of the campaign, of the selftest
//   buckets=A,B                          a campaign with these buckets; "buckets=": with none
//   seeds=NAME:KERNELS:SECTORS,…         costs of programs
//   KEY=NUMBER                           a figure
std::vector<reports::Night> nightsOf(const std::string& lines);

// `count` nights n00, n01, … with all figures, which hold still, but for certified_cases_per_second: 100 and noise, and
// from night `change` on 150. `text` is in every field that a file or a user may fill.
std::vector<reports::Night> manyNights(size_t count, size_t change, const std::string& text = "");

}  // namespace reports_test
