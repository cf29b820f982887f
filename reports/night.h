#pragma once
// Night: what one night left in its folder, as figures. What a night lacks is absent, never 0.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/cost_tables.h"

namespace reports {

// What a figure is measured on: the campaign, the planted faults (fuserfuzz selftest), or the programs of corpus/seeds.
// Figures of two nights can be compared if these were measured with equal options.
enum class Basis : uint8_t { Campaign, Selftest, Seeds };

enum class Better : uint8_t { More, Less, Neither };

struct Figure {
  const char* key;   // "certified_cases_per_second"
  const char* name;  // for people, in mid-sentence
  const char* unit;  // "cases/s"; "" where the name says it
  Basis basis;
  Better better;
  double scale;      // what people read is the value times this
  int digits;        // behind the point, for people
  bool isNoiseless;  // equal programs give equal values: every other value is a change
};

// All figures, in the order of the page.
std::span<const Figure> allFigures();
// "98.76 %", "1,234.5 cases/s"
std::string valueText(const Figure& figure, double value);

struct NightBucket {
  std::string name, title;
  std::string known;  // the known issue; "" if it is new
  int64_t findings = 0;
};

using Options = std::map<std::string, std::string>;

struct Night {
  std::string folder;     // as it was named
  std::string report;     // its report.html, relative to the page; "" if there is none
  std::string started;    // "2026-01-31T22:00:00Z"; "" where nothing says it
  std::string target;     // "" for our compiler
  std::string processor;  // "CPU: …"
  std::string version;    // of the program
  std::optional<double> seconds;
  bool hasCampaign = false;
  Options campaign, selftest;             // options, but for seeds
  std::map<std::string, double> figures;  // by key
  std::vector<NightBucket> buckets;       // of a campaign
  std::optional<CostTable> seeds;
  std::vector<std::string> notes;  // sentences: what is not taken, and why
};

// The following read one file each into the night. `origin` is the file's name, for messages; a UserError says what is
// wrong with it.
void readCampaign(Night& night, const std::string& text, const std::string& origin);  // report.json
// selftest.json; before it readCampaign(), if there is a campaign. Figures of another processor or target than the
// campaign's are not taken: a note says so.
void readSelftest(Night& night, const std::string& text, const std::string& origin);
void readSeeds(Night& night, const std::string& text, const std::string& origin);  // a cost table (cost_tables.h)

// The figures of Basis::Seeds of one program.
std::map<std::string, double> seedFigures(const ProgramCosts& program);

}  // namespace reports
