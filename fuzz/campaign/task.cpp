// Tasks <-> text, and the parts of a task.

#include "fuzz/campaign/task.h"

#include <charconv>
#include <optional>

#include "fuzz/campaign/task_in_fields.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {
namespace {

template <class Kind, class Tasks>
constexpr bool isOneOf = false;
template <class Kind, class... Kinds>
constexpr bool isOneOf<Kind, std::variant<Kinds...>> = (std::is_same_v<Kind, Kinds> || ...);

// Whether it is a line of words.
template <class Kind>
constexpr bool isLine = isOneOf<Kind, SingleTask>;

void printWord(std::string& text, uint64_t number) { text += concat(" ", number); }
void printWord(std::string& text, const std::string& rest) { text += concat(" ", rest); }

// What is left of a line of words. A number is a word of its own, a text is all that is left.
class Words {
 public:
  explicit Words(std::string_view rest) : rest_(rest) {}

  void read(uint64_t& number) {
    if (!takeBlank()) return;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    valid_ = error == std::errc();
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
  }
  void read(std::string& text) {
    if (!takeBlank()) return;
    text = rest_;
    rest_ = {};
  }
  bool areRead() const { return valid_ && rest_.empty(); }

 private:
  bool takeBlank() {
    valid_ = valid_ && !rest_.empty() && rest_[0] == ' ';
    if (valid_) rest_.remove_prefix(1);
    return valid_;
  }

  std::string_view rest_;
  bool valid_ = true;
};

// None where the text behind the task's word is not of this kind.
template <class Kind>
std::optional<Kind> parseKind(std::string_view rest) {
  Kind task;
  if constexpr (isLine<Kind>) {
    Words words(rest);
    visitFields(
        std::type_identity<Kind>(), [&](std::string_view, auto& field) { words.read(field); }, task);
    if (!words.areRead()) return std::nullopt;
  } else {
    if (rest.empty() || rest[0] != '\n') return std::nullopt;
    task = reports::decode<Kind>(rest.substr(1));
  }
  return task;
}

// Tries the kinds one by one.
template <class Tasks, class... Kinds>
std::optional<Tasks> parseOneOf(std::string_view word, std::string_view rest, std::variant<Kinds...>*) {
  std::optional<Tasks> task;
  const auto tryKind = [&]<class Kind>(std::type_identity<Kind>) {
    if (word != Kind::kWord) return false;
    if (const std::optional<Kind> parsed = parseKind<Kind>(rest)) task = *parsed;
    return true;
  };
  (tryKind(std::type_identity<Kinds>()) || ...);
  return task;
}

}  // namespace

template <class... Kinds>
std::string printTask(const std::variant<Kinds...>& task) {
  return std::visit(
      []<class Kind>(const Kind& one) {
        std::string text(Kind::kWord);
        if constexpr (isLine<Kind>) {
          visitFields(
              std::type_identity<Kind>(), [&](std::string_view, const auto& field) { printWord(text, field); }, one);
        } else {
          text += "\n" + reports::encode(one);
        }
        return text;
      },
      task);
}

template <class Tasks>
Tasks parseTask(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" \n"));
  std::optional<Tasks> task;
  try {
    task = parseOneOf<Tasks>(word, text.substr(word.size()), static_cast<Tasks*>(nullptr));
  } catch (const std::invalid_argument&) {  // the fields are something else: no task
  }
  FUSER_USER_CHECK(task, "no task is called '", text, "'");
  return *std::move(task);
}

template std::string printTask(const SingleTask&);
template std::string printTask(const JudgingTask&);
template std::string printTask(const Task&);
template SingleTask parseTask(std::string_view);
template JudgingTask parseTask(std::string_view);
template Task parseTask(std::string_view);

std::vector<SingleTask> casesOf(const CasesTask& task) {
  std::vector<SingleTask> cases;
  for (uint64_t i = 0; i < task.count; ++i) cases.emplace_back(CaseTask{task.first + i});
  return cases;
}

std::vector<SingleTask> partsOf(const SingleTask& task, uint64_t seed) {
  std::vector<SingleTask> parts;
  std::visit(ByKind{[&](const CaseTask& one) {
                      parts.emplace_back(PlainTask{one.number});
                      for (const View& view : allViews()) {
                        if (viewDraw(view, seed, one.number)) {
                          parts.emplace_back(ViewTask{one.number, std::string(view.name)});
                        }
                      }
                    },
                    [&](const BatchTask& one) {
                      for (uint64_t i = 0; i < one.count; ++i) parts.emplace_back(BatchTask{one.first + i, 1});
                    },
                    [&](const PlainTask& one) { parts.emplace_back(one); },
                    [&](const ViewTask& one) { parts.emplace_back(one); },
                    [&](const MutantTask& one) { parts.emplace_back(one); },
                    [&](const FileTask& one) { parts.emplace_back(one); }},
             task);
  return parts;
}

}  // namespace fuser::fuzz
