// SPDX-License-Identifier: MIT
// The links that data crosses from one NUMA node to another: one shortest route per ordered pair, fixed at construction
// like the routing tables of real machines. Tie-breaking and invariants: routes.md.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace skua { inline namespace v0 { namespace sim {

class routes {
 public:
  /// One direction of a link; each direction has its own bandwidth.
  struct link {
    std::uint32_t source = 0;
    std::uint32_t target = 0;
    friend bool operator==(link const&, link const&) = default;
  };
  using pair = std::pair<std::uint32_t, std::uint32_t>;

  /// Links each of the pairs. Throws usage_error for a pair that is not two of the nodes, or occurs twice, and if some
  /// node cannot be reached. Work O(nodes * links).
  routes(std::uint32_t nodes, std::span<pair const> linked);

  /// Every node linked with every other node.
  [[nodiscard]] static std::vector<pair> all_pairs(std::uint32_t nodes);
  /// 0 - 1 - ... - last - 0. Throws usage_error below three nodes.
  [[nodiscard]] static std::vector<pair> ring_of(std::uint32_t nodes);

  /// In the order of the pairs, each in both directions.
  [[nodiscard]] std::span<link const> links() const noexcept { return links_; }
  /// The numbers of the links on the route from `a` to `b`, in order; none from a node to itself.
  [[nodiscard]] std::span<std::uint32_t const> between(std::uint32_t a, std::uint32_t b) const noexcept {
    std::size_t const at = std::size_t{a} * nodes_ + b;
    return std::span(crossed_).subspan(begin_[at], begin_[at + 1] - begin_[at]);
  }
  [[nodiscard]] std::uint32_t hops(std::uint32_t a, std::uint32_t b) const noexcept {
    return static_cast<std::uint32_t>(between(a, b).size());
  }

 private:
  std::uint32_t nodes_;
  std::vector<link> links_;
  std::vector<std::uint32_t> begin_;    ///< in crossed_, of [a * nodes + b]
  std::vector<std::uint32_t> crossed_;  ///< all routes, concatenated
};

}}}  // namespace skua::v0::sim
