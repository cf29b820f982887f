#pragma once
// Markup: a writer for HTML, SVG and XML that closes every tag and escapes every text.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reports {

// Escapes a text for content and attributes: & < > " ' become entities; invalid UTF-8, control characters other than
// newline and tab, and bidirectional control characters become U+FFFD. The result is valid in XML 1.0.
std::string escaped(std::string_view text);

class Markup {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  // `prolog` is written verbatim before all elements.
  explicit Markup(std::string_view prolog = "") : out_(prolog) {}

  Markup& open(std::string_view tag, Attributes attributes = {});
  Markup& close();  // the innermost open element
  Markup& text(std::string_view text);
  // <tag …>text</tag>
  Markup& element(std::string_view tag, Attributes attributes, std::string_view text);
  // <tag …/>: a void element.
  Markup& empty(std::string_view tag, Attributes attributes = {});
  // <tag …>, the output of body(), </tag>.
  template <class Body>
  Markup& within(std::string_view tag, Attributes attributes, Body body) {
    open(tag, attributes);
    body();
    return close();
  }
  // Writes trusted text (style, script) without escaping. It must not contain '<' or '&', so that it is valid XML.
  Markup& verbatim(std::string_view text);

  // Returns the document. All elements must be closed.
  std::string release();

 private:
  void start(std::string_view tag, Attributes attributes);

  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace reports
