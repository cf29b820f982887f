#include "fuser/support/check.h"

namespace fuser {

void throwCheckError(const char* file, int line, const char* condition, const std::string& message) {
  throw CheckError(concat(file, ":", line, ": check failed: ", condition, message.empty() ? "" : ": ", message));
}

void throwUserError(const std::string& message) { throw UserError(message); }

}  // namespace fuser
