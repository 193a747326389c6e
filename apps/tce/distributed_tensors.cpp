// SPDX-License-Identifier: MIT
#include "apps/tce/distributed_tensors.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "apps/tce/tensors.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua::apps::tce {
namespace {

/// A rank's cache of rows of others, as a part of its own share: so a few ranks do not each end up with a whole tensor.
constexpr std::size_t shares_to_a_cache = 4;

/// The first element of each rank's block; fewer, if blocks would be empty.
template <class At>
std::vector<std::uint64_t> starts_of(contraction const& on, std::uint32_t ranks, At const& at) {
  std::vector<std::uint64_t> starts{0};
  for (std::uint32_t r = 1; r < ranks; ++r) {
    std::size_t const task = first_task(on, r, ranks);
    if (task == on.tasks().size()) break;
    if (std::uint64_t const start = at(on.tasks()[task]); start > starts.back()) starts.push_back(start);
  }
  return starts;
}

std::uint64_t remote_bytes_of(distributed_matrix<double> const& m) {
  matrix_traffic const t = m.traffic();
  return t.remote_get.bytes + t.remote_put.bytes + t.remote_accumulated.bytes;
}

}  // namespace

std::size_t first_task(contraction const& on, std::uint32_t share, std::uint32_t shares) noexcept {
  return on.tasks().size() * share / shares;
}

distributed_tensors::tensor::tensor(communicator& world, std::string name, std::size_t size,
                                    std::vector<std::uint64_t> starts)
    : all(world, size, 1, matrix_distribution::irregular(std::move(starts), {0}), {.name = std::move(name)}),
      others(all, size * sizeof(double) / world.size() / shares_to_a_cache) {
  for (matrix_view<double> const& v : all.local_parts()) {  // one, or none
    first = v.where.row;
    own = v.where.rows;
    elements = v.data;
  }
}

distributed_tensors::distributed_tensors(communicator& world, contraction const& on, std::uint64_t seed)
    : world_(world), on_(&on), pair_places_({&on.outer(), &on.outer(), &on.inner(), &on.inner()}),
      c_places_({&on.outer(), &on.outer(), &on.outer(), &on.outer()}),
      a_(world, "A", pair_places_.elements(),
         starts_of(on, world.size(), [&](tile_index const& t) { return pair_places_.at_row(t.p, t.q); })),
      b_(world, "B", pair_places_.elements(),
         starts_of(on, world.size(), [&](tile_index const& t) { return pair_places_.at_row(t.p, t.q); })),
      c_(world, "C", c_places_.elements(),
         starts_of(on, world.size(), [&](tile_index const& t) { return c_places_.at(t); })) {
  fill(seed);
}

/// Every rank draws all numbers, in the order of `tensors`, and keeps its own.
void distributed_tensors::fill(std::uint64_t seed) {
  runtime::dice dice(seed);
  auto const draw = [&](tensor& to, std::size_t at) {
    double const value = random_element(dice);
    if (to.is_own(at)) to.elements[at - to.first] = value;
  };
  for (std::size_t e = 0; e < pair_places_.elements(); ++e) draw(a_, e);
  tile_places const as_in_b({&on_->inner(), &on_->inner(), &on_->outer(), &on_->outer()});
  as_in_b.for_each([&](tile_index const& t) {
    std::size_t const first = pair_places_.at({t.r, t.s, t.p, t.q});
    for (std::size_t e = 0; e < as_in_b.size(t); ++e) draw(b_, first + e);
  });
  a_.all.sync();
  b_.all.sync();
}

distributed_tensors::row distributed_tensors::row_of(tensor& of, std::uint32_t p, std::uint32_t q) {
  rectangle const where = row_at(p, q);
  if (of.is_own(where.row)) {
    of.all.note_use(where);
    return {.first = of.elements + (where.row - of.first)};
  }
  auto kept = of.others.get(where);
  return {.first = kept->data(), .kept = std::move(kept)};
}

// C is 0 at first, and each of its tiles has one task. So a put is an addition, and where the tile is this rank's own, it is a copy without MPI.
void distributed_tensors::add_to_c(tile_index const& which, double const* from) {
  std::size_t const at = c_places_.at(which);
  rectangle const where{at, 0, c_places_.size(which), 1};
  if (c_.is_own(at)) {
    c_.all.put(where, from, 1);
  } else {
    c_.all.accumulate(where, from, 1);
  }
}

std::vector<double> distributed_tensors::c_times_random(std::uint64_t seed) {
  std::size_t const outer = on_->outer().extent();
  std::vector<double> const x = random_vector(*on_, seed);
  std::vector<double> c_x(outer * outer);
  c_places_.for_each([&](tile_index const& t) {
    std::size_t const at = c_places_.at(t);
    if (!c_.is_own(at)) return;
    visit_elements(c_places_.over(), t, c_.elements + (at - c_.first),
                   [&](auto const& n, double value) { c_x[n[0] * outer + n[1]] += value * x[n[2] * outer + n[3]]; });
  });
  world_.sum(std::span(c_x));
  return c_x;
}

std::vector<double> distributed_tensors::a_b_times_random(std::uint64_t seed) {
  std::size_t const outer = on_->outer().extent();
  std::size_t const inner = on_->inner().extent();
  std::vector<double> const x = random_vector(*on_, seed);
  std::vector<double> b_x(inner * inner);
  std::vector<double> a_b_x(outer * outer);
  auto const visit = [&](tensor const& of, bool is_b, auto const& each) {
    pair_places_.for_each([&](tile_index const& t) {
      std::size_t const at = pair_places_.at(t);
      if (!of.is_own(at)) return;
      double const* const elements = of.elements + (at - of.first);
      if (is_b) {
        visit_elements({&on_->inner(), &on_->inner(), &on_->outer(), &on_->outer()}, {t.r, t.s, t.p, t.q}, elements,
                       each);
      } else {
        visit_elements(pair_places_.over(), t, elements, each);
      }
    });
  };
  visit(b_, true, [&](auto const& n, double value) { b_x[n[0] * inner + n[1]] += value * x[n[2] * outer + n[3]]; });
  world_.sum(std::span(b_x));
  visit(a_, false,
        [&](auto const& n, double value) { a_b_x[n[0] * outer + n[1]] += value * b_x[n[2] * inner + n[3]]; });
  world_.sum(std::span(a_b_x));
  return a_b_x;
}

std::uint64_t distributed_tensors::remote_bytes() {
  return world_.sum(remote_bytes_of(a_.all) + remote_bytes_of(b_.all) + remote_bytes_of(c_.all));
}

void distributed_tensors::count_anew() {
  for (tensor* t : {&a_, &b_, &c_}) t->all.reset_traffic();
}

void worker_tiles::copy(held const& from, tile_index const& which, double* into) const {
  std::copy_n(from.at.first + all_.in_row(which), all_.tile_size(which), into);
}

void worker_tiles::get_a(tile_index const& which, double* into) {
  if (a_.at.first == nullptr || a_.p != which.p || a_.q != which.q) {
    a_ = {which.p, which.q, all_.row_of_a(which.p, which.q), true};
  } else if (!std::exchange(a_.is_noted, true)) {
    all_.note_row_of_a(which.p, which.q);
  }
  copy(a_, which, into);
}

void worker_tiles::get_b(tile_index const& which, double* into) {
  if (b_.at.first == nullptr || b_.p != which.r || b_.q != which.s) {
    b_ = {which.r, which.s, all_.row_of_b(which.r, which.s), true};
  } else if (!std::exchange(b_.is_noted, true)) {
    all_.note_row_of_b(which.r, which.s);
  }
  copy(b_, {which.r, which.s, which.p, which.q}, into);
}

}  // namespace skua::apps::tce
