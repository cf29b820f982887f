#pragma once
// Markup: writes HTML, SVG and XML so that every tag is closed and every text escaped, whatever the text holds.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reports {

// Fit for text and for attributes: & < > " ' as entities; what is no UTF-8, control characters other than newline and
// tab, and characters that reorder the text around them become U+FFFD. Valid in XML 1.0.
std::string escaped(std::string_view text);

class Markup {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  // prolog stands before all elements, as it is.
  explicit Markup(std::string_view prolog = "") : out_(prolog) {}

  Markup& open(std::string_view tag, Attributes attributes = {});
  Markup& close();  // the innermost open element
  Markup& text(std::string_view text);
  // <tag …>text</tag>
  Markup& element(std::string_view tag, Attributes attributes, std::string_view text);
  // <tag …/>: for elements that never hold anything.
  Markup& empty(std::string_view tag, Attributes attributes = {});
  // <tag …> whatever body() writes </tag>
  template <class Body>
  Markup& within(std::string_view tag, Attributes attributes, Body body) {
    open(tag, attributes);
    body();
    return close();
  }
  // Text of ours that must not be escaped: style, script. Without '<' and '&', so that XML takes it, too.
  Markup& verbatim(std::string_view text);

  // All elements are closed.
  std::string take();

 private:
  void start(std::string_view tag, Attributes attributes);

  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace reports
