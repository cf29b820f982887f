#include "tests/reports/xml_tree.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace reports_test {
namespace {

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  XmlNode read() {
    checkCharacters();
    while (startsWith("<?") || startsWith("<!")) {
      at_ = text_.find('>', at_);
      if (at_ == text_.npos) fail("no end of the prolog");
      ++at_;
      skipBlanks();
    }
    XmlNode root = readElement();
    skipBlanks();
    if (at_ != text_.size()) fail("text after the root element");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const size_t at = std::min(at_, text_.size());
    throw std::runtime_error(what + " at byte " + std::to_string(at) + ": " +
                             std::string(text_.substr(at < 40 ? 0 : at - 40, 80)));
  }

  // Continuation bytes where, and only where, a lead byte asks for them; no control characters.
  void checkCharacters() {
    for (size_t i = 0; i < text_.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text_[i]);
      at_ = i;
      if (byte < 0x20 && byte != '\n' && byte != '\t') fail("a control character");
      if (byte == 0x7F) fail("a control character");
      if (byte < 0x80) continue;
      const size_t more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC2 ? 1 : 0;
      if (more == 0 || byte > 0xF4) fail("no UTF-8");
      for (size_t k = 0; k < more; ++k) {
        if (++i >= text_.size() || (static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) fail("no UTF-8");
      }
    }
    at_ = 0;
  }

  bool startsWith(std::string_view what) const {
    return text_.substr(std::min(at_, text_.size()), what.size()) == what;
  }
  void skipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  void expect(std::string_view what) {
    if (!startsWith(what)) fail("expected '" + std::string(what) + "'");
    at_ += what.size();
  }
  std::string readName() {
    const size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-' || text_[at_] == '_')) {
      ++at_;
    }
    if (at_ == start) fail("expected a name");
    return std::string(text_.substr(start, at_ - start));
  }
  std::string readEntity() {
    const std::pair<const char*, const char*> entities[] = {
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};
    for (const auto& [entity, character] : entities) {
      if (!startsWith(entity)) continue;
      expect(entity);
      return character;
    }
    fail("no entity");
  }

  std::string readAttribute() {
    expect("=\"");
    std::string value;
    while (!startsWith("\"")) {
      if (at_ >= text_.size() || startsWith("<") || startsWith(">") || startsWith("'"))
        fail("a bare character in an attribute");
      if (startsWith("&")) {
        value += readEntity();
      } else {
        value += text_[at_++];
      }
    }
    ++at_;
    return value;
  }

  XmlNode readElement() {
    XmlNode node;
    expect("<");
    node.tag = readName();
    while (skipBlanks(), !startsWith(">") && !startsWith("/>")) {
      const std::string name = readName();
      if (node.attributes.count(name)) fail("a doubled attribute");
      node.attributes[name] = readAttribute();
    }
    if (startsWith("/>")) {
      expect("/>");
      return node;
    }
    expect(">");
    const bool ours = node.tag == "style" || node.tag == "script";
    while (!startsWith("</")) {
      if (at_ >= text_.size()) fail("<" + node.tag + "> is open");
      if (startsWith("<")) {
        node.children.push_back(readElement());
      } else if (startsWith("&")) {
        node.text += readEntity();
      } else {
        if (!ours && (startsWith(">") || startsWith("\"") || startsWith("'"))) fail("an unescaped character");
        node.text += text_[at_++];
      }
    }
    expect("</" + node.tag + ">");
    return node;
  }

  std::string_view text_;
  size_t at_ = 0;
};

void collect(const XmlNode& node, std::string_view tag, std::vector<const XmlNode*>& found) {
  if (tag.empty() || node.tag == tag) found.push_back(&node);
  for (const XmlNode& child : node.children) collect(child, tag, found);
}

}  // namespace

std::string XmlNode::allText() const {
  std::string all = text;
  for (const XmlNode& child : children) all += child.allText();
  return all;
}

std::vector<const XmlNode*> XmlNode::all(std::string_view name) const {
  std::vector<const XmlNode*> found;
  collect(*this, name, found);
  return found;
}

std::vector<const XmlNode*> XmlNode::withClass(std::string_view name) const {
  std::vector<const XmlNode*> found;
  for (const XmlNode* node : all("")) {
    const auto classes = node->attributes.find("class");
    if (classes == node->attributes.end()) continue;
    std::istringstream words(classes->second);
    for (std::string word; words >> word;) {
      if (word != name) continue;
      found.push_back(node);
      break;
    }
  }
  return found;
}

XmlNode parseXml(std::string_view text) { return XmlReader(text).read(); }

}  // namespace reports_test
