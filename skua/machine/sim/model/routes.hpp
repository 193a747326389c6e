// SPDX-License-Identifier: MIT
// Which links data crosses on its way from one NUMA node to another: a shortest route per ordered pair, chosen once, as
// the routing tables of real machines are. How ties are broken, and what holds: routes.md.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace skua::sim {

class routes {
 public:
  /// One direction of a link: each has a bandwidth of its own.
  struct link {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    friend bool operator==(link const&, link const&) = default;
  };
  using pair = std::pair<std::uint32_t, std::uint32_t>;

  /// A link between each of the pairs. Throws usage_error for a pair that is not two of the nodes, or stands twice, and if
  /// some node cannot be reached. Work O(nodes * links).
  routes(std::uint32_t nodes, std::span<pair const> linked);

  /// Every node with every other one.
  [[nodiscard]] static std::vector<pair> all_pairs(std::uint32_t nodes);
  /// 0 - 1 - ... - last - 0. Throws usage_error below three nodes.
  [[nodiscard]] static std::vector<pair> ring_of(std::uint32_t nodes);

  /// In the order in which the pairs were named, each there and back.
  [[nodiscard]] std::span<link const> links() const noexcept { return links_; }
  /// Numbers of the links from `a` to `b`, in the order in which they are crossed; none from a node to itself.
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
  std::vector<std::uint32_t> crossed_;  ///< all routes, one after the other
};

}  // namespace skua::sim
