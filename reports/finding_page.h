#pragma once
// FindingPage: all that the recipient of a finding asks for, on one page beside its files.

#include <optional>
#include <string>

#include "reports/bisection.h"
#include "reports/finding_evidence.h"

namespace reports {

struct FindingPage {
  std::string title, bucket, reason, detail;
  std::string origin, reproduces, known;   // as in Finding
  std::string foundWith;                   // the campaign's stamp, on one line
  std::string replay, minimize;            // command lines; "" if there is none
  std::string bisect;                      // the command line that makes `bisection`
  std::string file, programFile, report;   // relative to the page; "" if there is none
  std::string text;                        // the case
  std::string program;                     // the case as a PyTorch script; "" if it has none
  std::string regressionName, regression;  // a file for corpus/regressions
  std::string test;                        // a gtest; "" if another compiler is judged
  std::string notMinimized;                // why there is no evidence; "" if there is
  FindingEvidence evidence;
  std::optional<Bisection> bisection;
  std::string bisectionProblem;  // why its file cannot be read; "" otherwise
};

// A page in one file, which fetches nothing. What is not known says so, and how to learn it.
std::string toHtml(const FindingPage& page);

}  // namespace reports
