#include "fuzz/compilers/request.h"

#include <string_view>

namespace fuser::fuzz {
namespace {

template <class Number>
void addNumber(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Length>
void addText(std::string& bytes, std::string_view text) {
  addNumber(bytes, static_cast<Length>(text.size()));
  bytes += text;
}

}  // namespace

std::string payloadOf(uint64_t id, const WorkerRequest& request, uint32_t following) {
  std::string bytes;
  addNumber(bytes, id);
  addNumber(bytes, static_cast<uint8_t>(request.text));
  addNumber(bytes, following);
  addText<uint32_t>(bytes, request.off);
  addNumber(bytes, static_cast<uint32_t>(request.programs.size()));
  for (const WorkerProgram& program : request.programs) {
    addNumber(bytes, program.run);
    addText<uint32_t>(bytes, program.text);
    addText<uint64_t>(bytes, program.data);
  }
  return bytes;
}

}  // namespace fuser::fuzz
