// SPDX-License-Identifier: MIT
#include "apps/heat/problem.hpp"

#include <algorithm>
#include <utility>

#include "apps/heat/sweep.hpp"
#include "usable.hpp"

namespace skua::apps::heat {
namespace {

/// The beginning of part i of `parts`, at a multiple of `leaf`.
std::size_t begin_of(std::size_t i, std::size_t parts, std::size_t length, std::size_t leaf) noexcept {
  std::size_t const leaves = (length + leaf - 1) / leaf;
  return std::min(length, leaves * i / parts * leaf);
}

rectangle part(rectangle const& r, std::size_t top, std::size_t bottom, std::size_t left, std::size_t right) noexcept {
  return {.from = r.from + top * r.stride + left,
          .to = r.to + top * r.stride + left,
          .stride = r.stride,
          .rows = bottom - top,
          .columns = right - left};
}

/// From this float of a buffer on, cells belong to `place`.
struct piece {
  std::size_t first;
  place_id place;
};

void collect(rectangle const& r, float const* origin, cutoff const& end, place_range const& at,
             std::vector<piece>& all) {
  if (r.rows == 0 || r.columns == 0) return;
  if (at.count <= 1 || end.reached(r)) {
    for (std::size_t i = 0; i < r.rows; ++i)
      all.push_back({static_cast<std::size_t>(r.from + i * r.stride - origin), place_id{at.first}});
    return;
  }
  std::array<rectangle, 4> const q = quarters(r, end);
  for (std::uint32_t i = 0; i < 4; ++i) collect(q[i], origin, end, at.quarter(i), all);
}

}  // namespace

rectangle band(rectangle const& r, std::size_t first, std::size_t end) noexcept {
  return part(r, first, end, 0, r.columns);
}

std::array<rectangle, 4> quarters(rectangle const& r, cutoff const& end) noexcept {
  bool const tall = r.rows > end.rows;
  bool const wide = r.columns > end.columns;
  std::size_t const down = !tall ? 1 : wide ? 2 : 4;
  std::size_t const across = 4 / down;
  std::size_t const leaf_columns = end.columns / column_group * column_group;
  std::array<rectangle, 4> all;
  for (std::size_t i = 0; i < 4; ++i) {
    std::size_t const row = i / across;
    std::size_t const column = i % across;
    all[i] =
        part(r, begin_of(row, down, r.rows, end.rows), begin_of(row + 1, down, r.rows, end.rows),
             begin_of(column, across, r.columns, leaf_columns), begin_of(column + 1, across, r.columns, leaf_columns));
  }
  return all;
}

std::vector<memory::share> owners(rectangle const& plate, float const* origin, cutoff const& end,
                                  place_range const& places) {
  std::vector<piece> pieces;
  collect(plate, origin, end, places, pieces);
  std::ranges::sort(pieces, {}, &piece::first);
  std::vector<memory::share> shares;
  std::size_t begin = 0;  // the frame above belongs to the owner of the first cells
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    bool const is_last = i + 1 == pieces.size();
    if (!is_last && pieces[i + 1].place == pieces[i].place) continue;
    std::size_t const past = is_last ? pieces[i].first + plate.stride : pieces[i + 1].first;
    shares.push_back({.place = pieces[i].place, .first = begin, .count = past - begin});
    begin = past;
  }
  return shares;
}

problem::problem(field initial, std::size_t iterations)
    : initial_(std::move(initial)),
      buffers_{field(initial_.rows(), initial_.columns()), field(initial_.rows(), initial_.columns())},
      iterations_(iterations) {
  reset();
  for (std::size_t i = 0; i < iterations; ++i) plain_step(buffers_[i % 2], buffers_[(i + 1) % 2]);
  right_ = field(rows(), columns());
  copy(answer(), right_);
  reset();
}

rectangle problem::whole(std::size_t which) noexcept {
  return {.from = buffers_[which % 2].row(0),
          .to = buffers_[(which + 1) % 2].row(0),
          .stride = initial_.stride(),
          .rows = rows(),
          .columns = columns()};
}

void problem::reset() {
  copy(initial_, buffers_[0]);
  copy(initial_, buffers_[1]);
  // Poison, so that a read of the second buffer before the first write shows.
  for (std::size_t i = 0; i < rows(); ++i)
    std::fill_n(buffers_[1].row(static_cast<std::ptrdiff_t>(i)), columns(), 0.0F);
}

std::vector<owned_array> problem::owned(cutoff const& end, place_range const& places) {
  std::vector<owned_array> all;
  for (std::size_t which : {0U, 1U}) {
    all.push_back({.memory = &buffers_[which].memory(), .shares = [this, which, end, places] {
                     return owners(whole(which), buffers_[which].origin(), end, places);
                   }});
  }
  return all;
}

std::string problem::wrong() const {
  std::string const found = difference(answer(), right_);
  return found.empty() ? found : "heat: " + found;
}

simd::variants<sweep_function> sweeps() {
  return simd::usable<sweep_function>([](auto arch) { return &sweep<decltype(arch)>; });
}

}  // namespace skua::apps::heat
