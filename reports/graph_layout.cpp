#include "reports/graph_layout.h"

#include <algorithm>
#include <numeric>

#include "fuser/support/check.h"

namespace reports {
namespace {

constexpr double kMargin = 12, kColumnGap = 28, kLayerGap = 34, kBendWidth = 16, kPortGap = 16;
constexpr int kSweeps = 12;

// A node of the graph, or a bend of an edge that spans more than one layer.
struct Place {
  Size size;
  size_t layer = 0;
  double above = 0;
  double center = 0, y = 0;
  std::vector<size_t> up, down;  // neighbours in the layers before and after
};

class Layout {
 public:
  Layout(const SegmentGraph& graph, const std::vector<Size>& sizes, const std::vector<double>& above) : graph_(graph) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      places_.push_back({sizes[i], 0, above[i], 0, 0, {}, {}});
    }
  }

  GraphLayout run() {
    findLayers();
    addBends();
    fillLayers();
    for (int sweep = 0; sweep < kSweeps; ++sweep) order(sweep % 2 == 0);
    placeLayers();
    for (int sweep = 0; sweep < kSweeps; ++sweep) align(sweep % 2 == 0);
    return result();
  }

 private:
  // The longest path from a node without incoming edges.
  void findLayers() {
    bool changed = true;
    for (size_t round = 0; changed; ++round) {
      FUSER_USER_CHECK(round <= graph_.nodes.size(), "a picture's graph has a cycle");
      changed = false;
      for (const GraphEdge& edge : graph_.edges) {
        if (places_[edge.to].layer > places_[edge.from].layer) continue;
        places_[edge.to].layer = places_[edge.from].layer + 1;
        changed = true;
      }
    }
  }

  void addBends() {
    for (const GraphEdge& edge : graph_.edges) {
      std::vector<size_t>& chain = chains_.emplace_back(1, edge.from);
      for (size_t layer = places_[edge.from].layer + 1; layer < places_[edge.to].layer; ++layer) {
        chain.push_back(places_.size());
        places_.push_back({{kBendWidth, 0}, layer, 0, 0, 0, {}, {}});
      }
      chain.push_back(edge.to);
      for (size_t i = 1; i < chain.size(); ++i) {
        places_[chain[i - 1]].down.push_back(chain[i]);
        places_[chain[i]].up.push_back(chain[i - 1]);
      }
    }
  }

  void fillLayers() {
    for (size_t i = 0; i < places_.size(); ++i) {
      if (layers_.size() <= places_[i].layer) layers_.resize(places_[i].layer + 1);
      layers_[places_[i].layer].push_back(i);
    }
    for (const auto& layer : layers_) number(layer);
  }

  // While ordering, the center is the place in the layer.
  void number(const std::vector<size_t>& layer) {
    for (size_t i = 0; i < layer.size(); ++i) places_[layer[i]].center = static_cast<double>(i);
  }

  double barycentre(size_t place, bool downwards) const {
    const std::vector<size_t>& neighbours = downwards ? places_[place].up : places_[place].down;
    if (neighbours.empty()) return places_[place].center;
    double sum = 0;
    for (size_t neighbour : neighbours) sum += places_[neighbour].center;
    return sum / static_cast<double>(neighbours.size());
  }

  void order(bool downwards) {
    for (size_t i = 0; i < layers_.size(); ++i) {
      std::vector<size_t>& layer = layers_[downwards ? i : layers_.size() - 1 - i];
      std::vector<std::pair<double, size_t>> keys;
      for (size_t place : layer) keys.emplace_back(barycentre(place, downwards), place);
      std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t k = 0; k < keys.size(); ++k) layer[k] = keys[k].second;
      number(layer);
    }
  }

  double gap(size_t left, size_t right) const {
    return (places_[left].size.width + places_[right].size.width) / 2 + kColumnGap;
  }

  void placeLayers() {
    double y = kMargin;
    for (const auto& layer : layers_) {
      double above = 0, height = 0, center = 0;
      for (size_t i = 0; i < layer.size(); ++i) {
        center = i == 0 ? places_[layer[0]].size.width / 2 : center + gap(layer[i - 1], layer[i]);
        places_[layer[i]].center = center;
        above = std::max(above, places_[layer[i]].above);
        height = std::max(height, places_[layer[i]].size.height);
      }
      y += above;
      for (size_t place : layer) places_[place].y = y;
      y += height + kLayerGap;
    }
    height_ = y - kLayerGap + kMargin;
  }

  // Each place towards its neighbours' middle, the order and the gaps kept: the mean of pushing from the left and from
  // the right.
  void align(bool downwards) {
    for (size_t i = 0; i < layers_.size(); ++i) {
      const std::vector<size_t>& layer = layers_[downwards ? i : layers_.size() - 1 - i];
      std::vector<double> wanted;
      for (size_t place : layer) wanted.push_back(barycentre(place, downwards));
      std::vector<double> fromLeft = wanted, fromRight = wanted;
      for (size_t k = 1; k < layer.size(); ++k) {
        fromLeft[k] = std::max(fromLeft[k], fromLeft[k - 1] + gap(layer[k - 1], layer[k]));
      }
      for (size_t k = layer.size(); k-- > 1;) {
        fromRight[k - 1] = std::min(fromRight[k - 1], fromRight[k] - gap(layer[k - 1], layer[k]));
      }
      for (size_t k = 0; k < layer.size(); ++k) places_[layer[k]].center = (fromLeft[k] + fromRight[k]) / 2;
    }
  }

  void setPorts(GraphLayout& layout) const {
    layout.ports.assign(graph_.edges.size(), 0);
    for (size_t node = 0; node < graph_.nodes.size(); ++node) {
      std::vector<size_t> into;
      for (size_t e = 0; e < graph_.edges.size(); ++e) {
        if (graph_.edges[e].to == node) into.push_back(e);
      }
      const auto source = [&](size_t e) { return places_[chains_[e][chains_[e].size() - 2]].center; };
      std::stable_sort(into.begin(), into.end(), [&](size_t a, size_t b) { return source(a) < source(b); });
      for (size_t k = 0; k < into.size(); ++k) layout.ports[into[k]] = k;
    }
  }

  double portX(size_t e, size_t port) const {
    const Place& target = places_[graph_.edges[e].to];
    return target.center - portsWidth(target.up.size()) / 2 + kPortGap * static_cast<double>(port);
  }

  GraphLayout result() {
    double left = 0, right = 0;
    for (size_t i = 0; i < places_.size(); ++i) {
      const double half = places_[i].size.width / 2;
      left = i == 0 ? places_[i].center - half : std::min(left, places_[i].center - half);
      right = i == 0 ? places_[i].center + half : std::max(right, places_[i].center + half);
    }
    for (Place& place : places_) place.center += kMargin - left;
    GraphLayout layout;
    layout.size = {right - left + 2 * kMargin, height_};
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Place& place = places_[i];
      layout.boxes.push_back({place.center - place.size.width / 2, place.y, place.size});
    }
    setPorts(layout);
    for (size_t e = 0; e < chains_.size(); ++e) {
      std::vector<Point>& path = layout.paths.emplace_back();
      const Place& from = places_[chains_[e].front()];
      path.push_back({from.center, from.y + from.size.height});
      for (size_t k = 1; k + 1 < chains_[e].size(); ++k) {
        const Place& bend = places_[chains_[e][k]];
        double height = 0;
        for (size_t other : layers_[bend.layer]) height = std::max(height, places_[other].size.height);
        path.push_back({bend.center, bend.y});
        path.push_back({bend.center, bend.y + height});
      }
      path.push_back({portX(e, layout.ports[e]), places_[graph_.edges[e].to].y});
    }
    return layout;
  }

  const SegmentGraph& graph_;
  std::vector<Place> places_;  // the nodes, then the bends
  std::vector<std::vector<size_t>> layers_;
  std::vector<std::vector<size_t>> chains_;  // one an edge: its source, bends, target
  double height_ = 0;
};

}  // namespace

double portsWidth(size_t edges) { return edges == 0 ? 0 : kPortGap * static_cast<double>(edges - 1); }

GraphLayout layOut(const SegmentGraph& graph, const std::vector<Size>& sizes, const std::vector<double>& above) {
  FUSER_CHECK(sizes.size() == graph.nodes.size() && above.size() == sizes.size(), "one size a node");
  return Layout(graph, sizes, above).run();
}

}  // namespace reports
