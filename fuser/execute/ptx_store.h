#pragma once
// PtxStore: a folder that keeps what NVRTC made of a text, by content: the same text with the same settings is not
// compiled again, by whoever shares the folder. One file a compiler call, some 12 kB a kernel; nothing removes them.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fuser {

class PtxStore {
 public:
  // Makes the folder; a SetUpError if that fails.
  explicit PtxStore(std::filesystem::path folder);

  // settings: whatever else decides the result: compiler, version, architecture, options. nullopt: not kept, or what is
  // kept is damaged.
  std::optional<std::string> find(std::string_view settings, std::string_view text) const;
  // A SetUpError if it cannot be written. Of two who keep the same at once, either does.
  void keep(std::string_view settings, std::string_view text, std::string_view ptx) const;

 private:
  std::filesystem::path fileOf(std::string_view settings, std::string_view text) const;

  std::filesystem::path folder_;
};

}  // namespace fuser
