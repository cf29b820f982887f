#pragma once
// Holds the functional form of a case (fuser/case/functional_updates.h) against its statements, run on real memory with
// ATen's views and copy_ (oracle/reference/statements.cpp).

#include <deque>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/record/run_record.h"

namespace fuser::fuzz {

// The first output, or written input, of which both have other elements, in one sentence; "" where there is none.
// A UserError for sizes that do not fit.
std::string wrongUpdate(const Case& statements, const Case& functional, const std::vector<HostValue>& inputs);

// The first output of which two fusions with the same inputs leave other elements, in one sentence; "" where there is
// none. What they compute need not be computed twice (reference::runStatements).
std::string otherMemory(const Fusion& wanted, const Fusion& given, const std::vector<HostValue>& inputs);

// The functional form of a case with updates, or why it has none.
struct FunctionalForm {
  explicit FunctionalForm(const Case& statements);
  std::optional<Case> made;    // none: the case has no updates, or
  std::exception_ptr refusal;  // a UserError
};

// Cases in functional form, where they have updates. One that is refused stays as it is: who compiles it meets the
// refusal again. The cases outlive this.
class FunctionalCases {
 public:
  explicit FunctionalCases(std::span<const Case* const> cases);
  const std::vector<const Case*>& get() const { return cases_; }

 private:
  std::vector<const Case*> cases_;
  std::deque<Case> made_;
};

}  // namespace fuser::fuzz
