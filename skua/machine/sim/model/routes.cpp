// SPDX-License-Identifier: MIT
#include "skua/machine/sim/model/routes.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <set>
#include <string>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace sim {
namespace {

constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

std::string text_of(routes::pair const& p) {
  return "[" + std::to_string(p.first) + ", " + std::to_string(p.second) + "]";
}

std::vector<routes::link> both_ways(std::uint32_t nodes, std::span<routes::pair const> linked) {
  std::vector<routes::link> all;
  std::set<routes::pair> seen;
  for (routes::pair const& p : linked) {
    auto const [a, b] = std::minmax(p.first, p.second);
    if (a == b || b >= nodes)
      throw usage_error("there can be no link " + text_of(p) + "; allowed: two of the NUMA nodes 0 to " +
                        std::to_string(nodes - 1));
    if (!seen.insert({a, b}).second) throw usage_error("the link " + text_of(p) + " occurs twice; allowed: once");
    all.push_back({p.first, p.second});
    all.push_back({p.second, p.first});
  }
  return all;
}

/// Finds routes one after the other, and counts the routes over each link.
class pathfinder {
 public:
  pathfinder(std::uint32_t nodes, std::span<routes::link const> links)
      : nodes_(nodes), links_(links), leaving_(nodes), load_(links.size(), 0),
        hops_(std::size_t{nodes} * nodes, unreached) {
    for (std::uint32_t l = 0; l < links.size(); ++l) leaving_[links[l].source].push_back(l);
    for (std::uint32_t a = 0; a < nodes; ++a) spread_from(a);
  }

  [[nodiscard]] std::uint32_t hops(std::uint32_t a, std::uint32_t b) const noexcept { return hops_[a * nodes_ + b]; }

  /// Of the shortest routes, the one whose links carry the fewest routes so far, in sum; of equal ones, that through
  /// the nodes with the smaller numbers.
  std::vector<std::uint32_t> lead(std::uint32_t a, std::uint32_t b) {
    if (hops(a, b) == 1) {  // the usual case, and with hundreds of nodes the search takes minutes
      auto const direct = std::ranges::find(leaving_[a], b, [this](std::uint32_t l) { return links_[l].target; });
      ++load_[*direct];
      return {*direct};
    }
    std::vector<std::uint32_t> least(nodes_, unreached);  // load of the best way to b
    std::vector<std::uint32_t> next(nodes_, unreached);   // its first link
    least[b] = 0;
    for (std::uint32_t far = 1; far <= hops(a, b); ++far) {
      for (std::uint32_t n = 0; n < nodes_; ++n) {
        if (hops(n, b) == far) choose(n, b, least, next);
      }
    }
    std::vector<std::uint32_t> way;
    for (std::uint32_t n = a; n != b; n = links_[next[n]].target) {
      way.push_back(next[n]);
      ++load_[next[n]];
    }
    return way;
  }

 private:
  void spread_from(std::uint32_t a) {
    std::queue<std::uint32_t> edge;
    std::uint32_t missing = nodes_ - 1;
    hops_[a * nodes_ + a] = 0;
    edge.push(a);
    while (!edge.empty() && missing > 0) {
      std::uint32_t const n = edge.front();
      edge.pop();
      for (std::uint32_t const l : leaving_[n]) {
        std::uint32_t& there = hops_[a * nodes_ + links_[l].target];
        if (there != unreached) continue;
        there = hops(a, n) + 1;
        --missing;
        edge.push(links_[l].target);
      }
    }
  }

  void choose(std::uint32_t n, std::uint32_t b, std::vector<std::uint32_t>& least,
              std::vector<std::uint32_t>& next) const {
    std::uint32_t best = unreached;
    for (std::uint32_t const l : leaving_[n]) {
      std::uint32_t const to = links_[l].target;
      if (hops(to, b) + 1 != hops(n, b)) continue;
      std::uint32_t const load = least[to] + load_[l];
      if (load > least[n] || (load == least[n] && to > best)) continue;
      least[n] = load;
      next[n] = l;
      best = to;
    }
  }

  std::uint32_t nodes_;
  std::span<routes::link const> links_;
  std::vector<std::vector<std::uint32_t>> leaving_;  ///< links by their first node
  std::vector<std::uint32_t> load_;                  ///< routes over each link
  std::vector<std::uint32_t> hops_;
};

}  // namespace

routes::routes(std::uint32_t nodes, std::span<pair const> linked)
    : nodes_(nodes), links_(both_ways(nodes, linked)), begin_{0} {
  pathfinder finder(nodes, links_);
  std::uint32_t longest = 0;
  for (std::uint32_t a = 0; a < nodes; ++a) {
    for (std::uint32_t b = 0; b < nodes; ++b) {
      if (finder.hops(a, b) == unreached)
        throw usage_error("no links lead from NUMA node " + std::to_string(a) + " to " + std::to_string(b) +
                          "; allowed: links that connect all nodes");
      longest = std::max(longest, finder.hops(a, b));
    }
  }
  std::vector<std::vector<std::uint32_t>> chosen(std::size_t{nodes} * nodes);
  for (std::uint32_t far = 1; far <= longest; ++far) {
    for (std::uint32_t a = 0; a < nodes; ++a) {
      for (std::uint32_t b = 0; b < nodes; ++b) {
        if (finder.hops(a, b) == far) chosen[a * nodes + b] = finder.lead(a, b);
      }
    }
  }
  for (std::vector<std::uint32_t> const& way : chosen) {
    crossed_.insert(crossed_.end(), way.begin(), way.end());
    begin_.push_back(static_cast<std::uint32_t>(crossed_.size()));
  }
}

std::vector<routes::pair> routes::all_pairs(std::uint32_t nodes) {
  std::vector<pair> all;
  for (std::uint32_t a = 0; a < nodes; ++a) {
    for (std::uint32_t b = a + 1; b < nodes; ++b) all.emplace_back(a, b);
  }
  return all;
}

std::vector<routes::pair> routes::ring_of(std::uint32_t nodes) {
  if (nodes < 3) throw usage_error("a ring has at least three NUMA nodes; allowed: \"all\"");
  std::vector<pair> all;
  for (std::uint32_t a = 0; a < nodes; ++a) all.emplace_back(a, (a + 1) % nodes);
  return all;
}

}}}  // namespace skua::v0::sim
