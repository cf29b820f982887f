#pragma once
// A strict reader of XML, for tests: whatever is not well-formed is an error with its position.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace reports_test {

struct XmlNode {
  std::string tag;
  std::map<std::string, std::string> attributes;  // unescaped
  std::string text;                               // of this node alone, unescaped, in order
  std::vector<XmlNode> children;

  std::string allText() const;  // children included, in order of nodes
  // In document order, this node included.
  std::vector<const XmlNode*> all(std::string_view tag) const;
  std::vector<const XmlNode*> withClass(std::string_view name) const;
};

// Parses one root element after an optional declaration or DOCTYPE. A std::runtime_error for: an open or crossing
// tag, an unquoted or doubled attribute, a bare '<', '&', quote in an attribute, an unknown entity, a control
// character, bytes that are no UTF-8.
XmlNode parseXml(std::string_view text);

}  // namespace reports_test
