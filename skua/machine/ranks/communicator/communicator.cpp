// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/communicator/communicator.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "skua/machine/ranks/collection/collection_core.hpp"
#include "skua/machine/ranks/communicator/build_identity.hpp"
#include "skua/machine/ranks/communicator/communicator_core.hpp"
#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/machine/ranks/communicator/processors.hpp"
#include "skua/machine/ranks/matrix/matrix_core.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"

namespace skua { inline namespace v0 {

namespace {

template <class T>
T reduced(ranks::collectives& all, ranks::operation what, T own,
          void (*elements)(ranks::collectives&, ranks::collective_call const&, std::span<T, 1>)) {
  elements(all, {.what = what}, std::span<T, 1>(&own, 1));
  return own;
}

}  // namespace

communicator::communicator(std::unique_ptr<ranks::transport> network)
    : core_(std::make_unique<ranks::communicator_core>(std::move(network))) {
  if (size() > 1) core_->agree({.what = ranks::operation::start}, "the program", ranks::build_identity());
  if (size() > 1) core_->set_clocks_of_traces();
}

communicator::~communicator() = default;

std::unique_ptr<communicator> communicator::alone() {
  return std::make_unique<communicator>(
      ranks::loopback_network::owned_end(std::make_shared<ranks::loopback_network>(1), 0));
}

std::uint32_t communicator::rank() const noexcept { return core_->network().rank(); }
std::uint32_t communicator::size() const noexcept { return core_->network().ranks(); }

double communicator::sum(double own) {
  return reduced(core_->all(), ranks::operation::sum, own, ranks::sum_elements<double, 1>);
}
std::uint64_t communicator::sum(std::uint64_t own) {
  return reduced(core_->all(), ranks::operation::sum, own, ranks::sum_elements<std::uint64_t, 1>);
}
std::int64_t communicator::sum(std::int64_t own) {
  return reduced(core_->all(), ranks::operation::sum, own, ranks::sum_elements<std::int64_t, 1>);
}
double communicator::max(double own) {
  return reduced(core_->all(), ranks::operation::max, own, ranks::max_elements<double, 1>);
}
std::uint64_t communicator::max(std::uint64_t own) {
  return reduced(core_->all(), ranks::operation::max, own, ranks::max_elements<std::uint64_t, 1>);
}
std::int64_t communicator::max(std::int64_t own) {
  return reduced(core_->all(), ranks::operation::max, own, ranks::max_elements<std::int64_t, 1>);
}
double communicator::min(double own) {
  return reduced(core_->all(), ranks::operation::min, own, ranks::min_elements<double, 1>);
}
std::uint64_t communicator::min(std::uint64_t own) {
  return reduced(core_->all(), ranks::operation::min, own, ranks::min_elements<std::uint64_t, 1>);
}
std::int64_t communicator::min(std::int64_t own) {
  return reduced(core_->all(), ranks::operation::min, own, ranks::min_elements<std::int64_t, 1>);
}
void communicator::sum(std::span<double> own) {
  core_->all().sum({.what = ranks::operation::sum}, own, core_->is_watched());
}

void communicator::sum(std::span<std::uint64_t> own) {
  ranks::sum_elements(core_->all(), {.what = ranks::operation::sum}, own);
}
void communicator::sum(std::span<std::int64_t> own) {
  ranks::sum_elements(core_->all(), {.what = ranks::operation::sum}, own);
}
void communicator::max(std::span<double> own) {
  ranks::max_elements(core_->all(), {.what = ranks::operation::max}, own);
}
void communicator::max(std::span<std::uint64_t> own) {
  ranks::max_elements(core_->all(), {.what = ranks::operation::max}, own);
}
void communicator::max(std::span<std::int64_t> own) {
  ranks::max_elements(core_->all(), {.what = ranks::operation::max}, own);
}
void communicator::min(std::span<double> own) {
  ranks::min_elements(core_->all(), {.what = ranks::operation::min}, own);
}
void communicator::min(std::span<std::uint64_t> own) {
  ranks::min_elements(core_->all(), {.what = ranks::operation::min}, own);
}
void communicator::min(std::span<std::int64_t> own) {
  ranks::min_elements(core_->all(), {.what = ranks::operation::min}, own);
}

namespace {

ranks::collective_call call_of(ranks::operation what, std::string detail) {
  return {.what = what, .detail = std::move(detail)};
}

/// Throws usage_error on every rank if there is no such rank.
void expect_root(ranks::communicator_core& core, ranks::collective_call const& call, std::uint32_t root) {
  ranks::held_in_task const held(core.lock_of_this_thread());
  std::uint32_t const ranks = core.network().ranks();
  if (root >= ranks) {
    core.order().refuse(call, "the root of a collective call is rank " + std::to_string(root) +
                                  "; allowed: a rank from 0 to " + std::to_string(ranks - 1));
  }
  if (!core.live().is_live(root)) {
    core.expect_no_loss_in_next_step(call);
    core.order().refuse(
        call, "the root of a collective call is rank " + std::to_string(root) + ", which died; allowed: a live rank");
  }
}

std::string to_rank(std::string const& of, std::uint32_t root) { return of + " to rank " + std::to_string(root); }
std::string from_rank(std::string const& of, std::uint32_t root) { return of + " from rank " + std::to_string(root); }

}  // namespace

std::vector<communicator::bytes> communicator::gather_bytes(std::string const& of, std::uint32_t root, bytes own) {
  auto const call = call_of(ranks::operation::gather, to_rank(of, root));
  expect_root(*core_, call, root);
  core_->all().meet(call);
  return core_->all().gather_directly(std::move(own), root);
}

std::vector<communicator::bytes> communicator::allgather_bytes(std::string const& of, bytes own) {
  return core_->all().gather_to_all(call_of(ranks::operation::allgather, of), std::move(own));
}

communicator::bytes communicator::broadcast_bytes(std::string const& of, std::uint32_t root, bytes own) {
  auto const call = call_of(ranks::operation::broadcast, from_rank(of, root));
  expect_root(*core_, call, root);
  return core_->all().broadcast(call, std::move(own), root);
}

communicator::bytes communicator::scatter_bytes(std::string const& of, std::uint32_t root, std::vector<bytes> parts) {
  auto const call = call_of(ranks::operation::scatter, from_rank(of, root));
  expect_root(*core_, call, root);
  if (rank() == root && parts.size() != size()) {
    core_->order().refuse(call, "scatter of " + call.detail + ": it has " + std::to_string(parts.size()) +
                                    " parts; allowed: " + std::to_string(size()) + ", one for each rank");
  }
  core_->all().meet(call);
  return core_->all().scatter(std::move(parts), root);
}

communicator::bytes communicator::scatter_rows(std::string const& of, std::uint32_t root,
                                               std::span<std::byte const> all, std::size_t row_bytes) {
  std::vector<bytes> parts;
  if (rank() == root && all.size() != row_bytes * size()) {
    core_->order().refuse(call_of(ranks::operation::scatter, from_rank(of, root)),
                          "scatter of " + from_rank(of, root) + ": it has " + std::to_string(all.size()) +
                              " bytes; allowed: " + std::to_string(row_bytes * size()) + ", so that each rank gets " +
                              std::to_string(row_bytes));
  }
  for (std::uint32_t r = 0; rank() == root && r < size(); ++r)
    parts.push_back(ranks::bytes_of(all.subspan(r * row_bytes, row_bytes)));
  return scatter_bytes(of, root, std::move(parts));
}

void communicator::barrier() { core_->all().meet({.what = ranks::operation::barrier}); }

void communicator::watch(double deadline_s) {
  if (!(deadline_s > 0 && deadline_s <= 1e6)) {
    throw usage_error("a deadline of " + std::to_string(deadline_s) + " s; allowed: more than 0, and at most 1000000");
  }
  core_->watch(deadline_s);
}

std::uint32_t communicator::live() const noexcept {
  ranks::held_in_task const held(core_->lock_of_this_thread());
  return core_->live().size();
}

std::uint32_t communicator::live_position() const noexcept {
  ranks::held_in_task const held(core_->lock_of_this_thread());
  return core_->live().position_of(rank());
}

std::uint32_t communicator::first_live() const noexcept {
  ranks::held_in_task const held(core_->lock_of_this_thread());
  return core_->live().at(0);
}

void communicator::work_with(runtime::worker_threads* threads, serving how) noexcept { core_->work_with(threads, how); }

std::uint32_t communicator::workers() const noexcept {
  if (core_->threads() == nullptr) return 1;
  return core_->threads()->count() + (core_->serves() == serving::between_tasks ? 1 : 0);
}

std::uint32_t communicator::processors() {
  core_->all().meet({.what = ranks::operation::processors});
  std::uint32_t const first = core_->all().first();
  std::vector<ranks::bytes> const all =
      core_->all().gather(ranks::encode(ranks::processors_here(core_->network().node().first)));
  std::vector<ranks::bytes> parts;
  for (std::uint32_t const share : ranks::shares_of(all))
    parts.push_back(ranks::bytes_of(std::as_bytes(std::span(&share, 1))));
  ranks::bytes const mine = core_->all().scatter(std::move(parts), first);
  std::uint32_t share = 1;
  std::memcpy(&share, mine.data(), sizeof share);
  return share;
}

std::unique_ptr<runtime::collection_engine> communicator::make_collection(collection_options const& options,
                                                                          runtime::task_binding const& binding) {
  if (core_->threads() != nullptr && !core_->network().allows_threads()) {
    core_->order().refuse({.what = ranks::operation::construction},
                          "the task collection '" + options.name + "' of rank " + std::to_string(rank()) +
                              " has the workers of a rank_pool, but MPI was initialised for one thread; allowed: "
                              "MPI_Init_thread with MPI_THREAD_FUNNELED or more");
  }
  return std::make_unique<ranks::collection_core>(*core_, options, binding);
}

std::unique_ptr<ranks::matrix_core> communicator::make_matrix(std::string name, ranks::window_element type,
                                                              std::uint64_t rows, std::uint64_t columns,
                                                              matrix_distribution const& how) {
  return std::make_unique<ranks::matrix_core>(*core_, std::move(name), type, rows, columns, how);
}

}}  // namespace skua::v0
