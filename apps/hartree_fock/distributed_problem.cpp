// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/distributed_problem.hpp"

#include <cmath>
#include <utility>

namespace skua::apps::hartree_fock {
namespace {

/// For the check: D of all ranks, and the own rows of F.
struct rows_of_build {
  void bounds(std::uint32_t i, std::uint32_t j, double* into) const noexcept { density_of.on().block(i, j, into); }
  void density(std::uint32_t i, std::uint32_t j, double* into) const { density_of.density(i, j, into); }
  void add_to_fock(std::uint32_t i, std::uint32_t j, double const* from) const noexcept {
    tiling const& t = density_of.on().tiles();
    for (std::uint32_t row = 0; row < t.size(i); ++row, from += t.size(j)) {
      std::size_t const at = t.first(i) + row - own.first;  // wraps around below the first row
      if (at >= own.count) continue;
      for (std::uint32_t column = 0; column < t.size(j); ++column) own.row(at)[t.first(j) + column] += from[column];
    }
  }

  build_blocks& density_of;
  own_rows const& own;
};

}  // namespace

distributed_problem::distributed_problem(communicator& world, screening on, scf_options options)
    : on_(std::move(on)), options_(options), field_(world, on_, options_, repeats_builds()) {}

void distributed_problem::reset() {
  field_.restart();
  has_built_ = false;
  found_.reset();
  of_last_build_.clear();
}

void distributed_problem::advance() {
  field_.advance();
  has_built_ = true;
  found_ = answer_of(field_);
}

void distributed_problem::resume(std::span<double const> state, std::string const& prefix) {
  field_.read(state, prefix);
  found_ = answer_of(field_);
}

/// Another way than that of the run: no task moves, and none adds to rows of another rank.
void distributed_problem::repeat_last_build() {
  of_last_build_.clear();
  if (!repeats_builds() || !has_built_) return;
  communicator& world = field_.world();
  std::uint64_t const n = on_.atoms().functions();
  shared_matrix right(world, n, n, matrix_distribution::by_rows(), {.name = "check"});
  own_rows const rows(right);
  build_blocks blocks(world, on_, field_.last_density(), right);
  rows_of_build of{blocks, rows};
  fock_worker worker(on_);
  tiling const& tiles = on_.tiles();
  task_collection<std::uint64_t> pairs(world, {.name = "check"}, [&](std::uint64_t kl) {
    for (std::uint64_t const id : on_.non_null_ids(kl * tiles.pairs(), (kl + 1) * tiles.pairs())) {
      quartet const task = tiles.quartet_of(id);
      bool const is_own =
          tiles.first(task.i) < rows.first + rows.count && tiles.first(task.i) + tiles.size(task.i) > rows.first;
      if (is_own) static_cast<void>(worker.run(task, of));
    }
  });
  for (std::uint64_t kl = 0; kl < tiles.pairs(); ++kl) pairs.add(kl);
  pairs.enable_stealing(false);
  pairs.process();
  std::string const own = difference(rows);
  for (std::string const& one : world.gather(own)) {
    if (of_last_build_.empty()) of_last_build_ = one;
  }
}

std::string distributed_problem::difference(own_rows const& right) {
  own_rows const built(field_.two_electron());
  for (std::size_t e = 0; e < right.all().size(); ++e) {
    if (std::abs(built.all()[e] - right.all()[e]) <= agreement) continue;
    return in_words_of_wrong_element(right.first + e / right.n, e % right.n);
  }
  return {};
}

std::string distributed_problem::wrong() {
  if (!found_) return "hartree-fock: no run yet";
  return repeats_builds() ? of_last_build_ : wrong_energy(on_, options_, *found_, right_);
}

}  // namespace skua::apps::hartree_fock
