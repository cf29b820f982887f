#pragma once

namespace fuser {

// Keeps 1 MiB, which the first allocation that fails gives back before it throws std::bad_alloc: destructors and
// handlers on its way out may need some, and a second std::bad_alloc would end the process without a sentence.
void keepMemoryForErrors();

}  // namespace fuser
