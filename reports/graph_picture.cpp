// A SegmentGraph as inline SVG: a box a segment with its ops, small boxes for inputs and outputs, edges with their
// types and bytes.

#include <algorithm>

#include "reports/figures.h"
#include "reports/graph_layout.h"
#include "reports/page.h"

namespace reports {
namespace {

constexpr double kRow = 17, kPadding = 9, kCharacter = 7.4;  // of the monospace text at 12 px
constexpr double kBesideText = 560;  // wider than this it does not stand beside the text of its case
constexpr size_t kMaxNodes = 80, kMaxRows = 40, kMaxCharacters = 68;

size_t lengthOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string shortened(const std::string& text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) == 0x80) continue;
    if (++count > kMaxCharacters) return text.substr(0, i) + "…";
  }
  return text;
}

struct PictureRow {
  std::string text;
  std::string full;  // where the text is shortened
  bool wrong = false;
};

// The ops' rows; of many the first ones, and the wrong one wherever it is.
std::vector<PictureRow> rowsOf(const GraphNode& node) {
  std::vector<PictureRow> rows;
  size_t left = 0;
  for (size_t i = 0; i < node.ops.size(); ++i) {
    const GraphOp& op = node.ops[i];
    if (rows.size() >= kMaxRows && !op.wrong) {
      ++left;
      continue;
    }
    rows.push_back({(op.wrong ? "✗ " : "") + shortened(op.text), op.text, op.wrong});
  }
  if (left > 0) rows.push_back({"… and " + std::to_string(left) + " more", "", false});
  return rows;
}

class Picture {
 public:
  Picture(Markup& page, const SegmentGraph& graph) : page_(page), graph_(graph) {
    std::vector<size_t> into(graph.nodes.size(), 0);
    std::vector<double> label(graph.nodes.size(), 0);  // the widest
    for (const GraphEdge& edge : graph.edges) {
      ++into[edge.to];
      label[edge.to] = std::max(label[edge.to], kCharacter * static_cast<double>(lengthOf(labelOf(edge))));
    }
    std::vector<Size> sizes;
    std::vector<double> above;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      rows_.push_back(rowsOf(graph.nodes[i]));
      size_t characters = lengthOf(graph.nodes[i].title);
      for (const PictureRow& row : rows_.back()) characters = std::max(characters, lengthOf(row.text));
      // Labels stand to the right of their edges, which end around the middle; they stay above their box.
      const double labels = portsWidth(into[i]) + 2 * (label[i] + 6);
      const double width = std::max(kCharacter * static_cast<double>(characters) + 2 * kPadding, labels);
      sizes.push_back({width, kRow * static_cast<double>(1 + rows_.back().size()) + kPadding});
      above.push_back(kRow * static_cast<double>(into[i]));
    }
    layout_ = layOut(graph, sizes, above);
  }

  void draw() {
    const std::string width = fixed(layout_.size.width, 0), height = fixed(layout_.size.height, 0);
    // Shown where the picture is wider than its place: the page's style compares the two.
    const bool far = layout_.size.width > kBesideText;
    page_.open("p", {{"class", far ? "swipe far" : "swipe"}, {"style", "--wide:" + width + "px"}});
    page_.element("span", {}, "Wider than its frame: scrolls sideways.").close();
    page_.open("div", {{"class", "scroll picture"}, {"tabindex", "0"}});
    page_.open("svg", {{"class", "graph"},
                       {"xmlns", "http://www.w3.org/2000/svg"},
                       {"width", width},
                       {"height", height},
                       {"viewBox", "0 0 " + width + " " + height},
                       {"role", "img"}});
    page_.element("title", {}, "The segmented fusion: inputs above, segments with their ops, outputs below");
    for (size_t e = 0; e < graph_.edges.size(); ++e) drawEdge(e);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) drawNode(i);
    for (size_t e = 0; e < graph_.edges.size(); ++e) drawLabel(e);
    page_.close().close();
  }

 private:
  static std::string labelOf(const GraphEdge& edge) {
    const std::string bytes = edge.bytes < 0 ? "" : ", " + grouped(edge.bytes) + " B";
    return shortened(edge.value + " " + edge.type) + bytes;
  }

  static std::string at(const Point& point) { return fixed(point.x, 1) + " " + fixed(point.y, 1); }

  void drawEdge(size_t e) {
    const std::vector<Point>& path = layout_.paths[e];
    std::string d = "M" + at(path[0]);
    for (size_t i = 1; i < path.size(); ++i) {
      const Point &from = path[i - 1], &to = path[i];
      const double bend = (to.y - from.y) / 2;
      d += " C" + at({from.x, from.y + bend}) + " " + at({to.x, to.y - bend}) + " " + at(to);
    }
    page_.empty("path", {{"class", "edge"}, {"d", d}});
    const Point& end = path.back();
    page_.empty("path", {{"class", "arrow"}, {"d", "M" + at(end) + " l-4 -8 h8 z"}});
  }

  void drawLabel(size_t e) {
    const Point& end = layout_.paths[e].back();
    const double y = end.y - 12 - kRow * static_cast<double>(layout_.ports[e]);
    page_.open("text", {{"class", "label"}, {"x", fixed(end.x + 6, 1)}, {"y", fixed(y, 1)}});
    page_.text(labelOf(graph_.edges[e])).close();
  }

  void drawNode(size_t i) {
    const GraphNode& node = graph_.nodes[i];
    const Box& box = layout_.boxes[i];
    const bool segment = node.kind == GraphNode::Kind::Segment;
    page_.empty("rect", {{"class", segment ? "segment" : "end"},
                         {"x", fixed(box.x, 1)},
                         {"y", fixed(box.y, 1)},
                         {"width", fixed(box.size.width, 1)},
                         {"height", fixed(box.size.height, 1)},
                         {"rx", segment ? "5" : "12"}});
    drawRow(box, 0, {shortened(titleOf(node)), "", false}, "title");
    for (size_t row = 0; row < rows_[i].size(); ++row) drawRow(box, row + 1, rows_[i][row], "op");
  }

  static std::string titleOf(const GraphNode& node) {
    switch (node.kind) {
      case GraphNode::Kind::Input: return node.title;
      case GraphNode::Kind::Segment: return node.title;
      case GraphNode::Kind::Output: return "return " + node.title;
    }
    return node.title;
  }

  void drawRow(const Box& box, size_t row, const PictureRow& content, const std::string& style) {
    const double top = box.y + kRow * static_cast<double>(row) + kPadding / 2;
    if (content.wrong) {
      page_.empty("rect", {{"class", "wrong"},
                           {"x", fixed(box.x + 2, 1)},
                           {"y", fixed(top, 1)},
                           {"width", fixed(box.size.width - 4, 1)},
                           {"height", fixed(kRow, 1)}});
    }
    page_.open("text", {{"class", content.wrong ? style + " wrongtext" : style},
                        {"x", fixed(box.x + kPadding, 1)},
                        {"y", fixed(top + 13, 1)}});
    page_.text(content.text);
    if (!content.full.empty()) page_.element("title", {}, content.full);
    page_.close();
  }

  Markup& page_;
  const SegmentGraph& graph_;
  std::vector<std::vector<PictureRow>> rows_;
  GraphLayout layout_;
};

}  // namespace

void writePicture(Markup& page, const SegmentGraph& graph) {
  if (!graph.problem.empty()) {
    page.element("p", {{"class", "note"}}, "No picture: " + graph.problem);
    return;
  }
  if (graph.nodes.empty()) return;
  if (graph.nodes.size() > kMaxNodes) {
    page.element(
        "p", {{"class", "note"}},
        "No picture: " + std::to_string(graph.nodes.size()) +
            " segments, inputs and outputs are more than one can read; fuser-opt --print=segments lists them.");
    return;
  }
  Picture(page, graph).draw();
}

}  // namespace reports
