#pragma once
// Rejections: ListedRejection, a UserError that a correct compiler may give for a valid program, by id
// (rejections.def); BadIndexError, one for an element of the data.

#include <string>
#include <string_view>

#include "fuser/support/check.h"

namespace fuser {

enum class RejectionId : uint8_t {
#define REJECTION(id, name, meaning) id,
#include "fuser/support/rejections.def"
#undef REJECTION
};

// "input-memory"
inline std::string_view rejectionName(RejectionId id) {
  switch (id) {
#define REJECTION(id, name, meaning) \
  case RejectionId::id:              \
    return name;
#include "fuser/support/rejections.def"
#undef REJECTION
  }
  FUSER_CHECK(false, "bad RejectionId");
}

class ListedRejection : public UserError {
 public:
  ListedRejection(RejectionId id, const std::string& message) : UserError(message), id_(id) {}
  RejectionId id() const { return id_; }

 private:
  RejectionId id_;
};

// An index that a kernel reads is out of range: other data may be taken.
class BadIndexError : public UserError {
 public:
  using UserError::UserError;
};

}  // namespace fuser

// Like FUSER_USER_CHECK, for a reason on the list.
#define FUSER_REJECT_UNLESS(condition, id, ...)                                               \
  do {                                                                                        \
    if (!(condition)) [[unlikely]]                                                            \
      throw ::fuser::ListedRejection(::fuser::RejectionId::id, ::fuser::concat(__VA_ARGS__)); \
  } while (false)
