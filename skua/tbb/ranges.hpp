// SPDX-License-Identifier: MIT
// Ranges and scans of oneTBB that Skua's own interface has in another form: a block of any number of dimensions, and a scan whose body is an object.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "skua/conventional.hpp"
#include "skua/machine/threads/face/default_region.hpp"
#include "skua/program/blocked_range.hpp"
#include "skua/program/parallel_reduce.hpp"

namespace skua { inline namespace v0 { namespace tbb {

/// `T`, for each number of a list.
template <class T, unsigned>
using each_time = T;

template <class Value, class Dimensions>
class block_of;

/// A block of n dimensions. Divides the longest one first, where lengths are measured in grains.
template <class Value, unsigned... d>
class block_of<Value, std::integer_sequence<unsigned, d...>> {
  static_assert(sizeof...(d) > 0, "blocked_rangeNd: at least one dimension");

 public:
  using value_type = Value;
  using dim_range_type = blocked_range<Value>;
  using size_type = std::size_t;

  block_of(each_time<dim_range_type, d> const&... of) : dims_{of...} {}
  block_of(block_of& whole, split s) : dims_(whole.dims_) { take_from(whole, s); }
  block_of(block_of& whole, proportional_split const& p) : dims_(whole.dims_) { take_from(whole, p); }

  static constexpr unsigned ndims() noexcept { return sizeof...(d); }
  [[nodiscard]] dim_range_type const& dim(unsigned which) const noexcept { return dims_[which]; }
  [[nodiscard]] bool empty() const {
    return std::ranges::any_of(dims_, [](dim_range_type const& r) { return r.empty(); });
  }
  [[nodiscard]] bool is_divisible() const {
    return !empty() && std::ranges::any_of(dims_, [](dim_range_type const& r) { return r.is_divisible(); });
  }

 private:
  template <class Split>
  void take_from(block_of& whole, Split const& s) {
    auto const longest = std::ranges::max_element(
        dims_, [](auto const& a, auto const& b) { return runtime::in_grains(a) < runtime::in_grains(b); });
    *longest = dim_range_type(whole.dims_[static_cast<std::size_t>(longest - dims_.begin())], s);
  }
  std::array<dim_range_type, sizeof...(d)> dims_;
};

template <class Value, unsigned n>
using blocked_rangeNd = block_of<Value, std::make_integer_sequence<unsigned, n>>;

/// How a body of parallel_scan is called: to sum up only, or to write as well.
struct pre_scan_tag {
  static constexpr bool is_final_scan() noexcept { return false; }
  operator bool() const noexcept { return false; }
};
struct final_scan_tag {
  static constexpr bool is_final_scan() noexcept { return true; }
  operator bool() const noexcept { return true; }
};

template <class Body, class Range>
concept scan_body = std::constructible_from<Body, Body&, split> &&
                    requires(Body& body, Body& other, Range const& r, pre_scan_tag pre, final_scan_tag fin) {
                      body(r, pre);
                      body(r, fin);
                      body.reverse_join(other);
                      body.assign(other);
                    };

/// The form whose body holds the sum: body(piece, tag) adds a piece, Body(body, split) makes an empty one, b.reverse_join(a) puts the sum of a before
/// that of b, and body.assign(b) takes the sum of all in the end. Each piece is scanned once with final_scan_tag, and all but the first and the last before
/// that with pre_scan_tag. Options as for parallel_for over a range. Work: at most two scans; span: two of the longest piece and a join per piece.
template <runtime::self_dividing Range, class Body, class... Options>
  requires runtime::range_options<Options...>
void parallel_scan(Range const& range, Body& body, Options&&... how) {
  static_assert(scan_body<Body, Range>,
                "parallel_scan: body has body(piece, tag), a constructor Body(Body&, split), reverse_join and assign");
  std::vector<Range> pieces;
  Range whole(range);
  if (whole.empty()) return;
  auto const workers = runtime::workers_around();
  constexpr std::uint32_t pieces_per_worker = 4;
  runtime::collect_pieces(whole, workers == 1 ? 1 : pieces_per_worker * workers, pieces);
  std::size_t const last = pieces.size() - 1;
  // bodies[i] has the sum of pieces 0 .. i when the second pass begins, and goes on with piece i + 1.
  std::deque<Body> bodies;
  for (std::size_t i = 1; i < last; ++i) bodies.emplace_back(body, split{});
  auto const of = [&](std::size_t i) -> Body& { return i == 0 ? body : bodies[i - 1]; };
  parallel_for(
      std::size_t{0}, std::max<std::size_t>(last, 1),
      [&](std::size_t i) {
        if (i == 0) {
          of(i)(pieces[i], final_scan_tag{});
        } else {
          of(i)(pieces[i], pre_scan_tag{});
        }
      },
      simple_partitioner{}, how...);
  for (std::size_t i = 1; i < last; ++i) of(i).reverse_join(of(i - 1));
  parallel_for(
      std::size_t{0}, last, [&](std::size_t i) { of(i)(pieces[i + 1], final_scan_tag{}); }, simple_partitioner{},
      how...);
  if (last > 1) body.assign(of(last - 1));
}

}}}  // namespace skua::v0::tbb
