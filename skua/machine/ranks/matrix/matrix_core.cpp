// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/matrix/matrix_core.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "skua/machine/ranks/communicator/communicator_core.hpp"
#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/machine/ranks/matrix/footprint_meter.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

/// Open MPI 4.1 has windows for several nodes without remote memory access, but none under MPI_THREAD_MULTIPLE.
constexpr char const* or_other_windows =
    ", and see what MPI says; if its windows do not support MPI_THREAD_MULTIPLE, set SKUA_PROGRESS_THREAD=off";

/// Copies for accumulates that a rank may have under way before an accumulate waits.
constexpr std::uint64_t most_copied_bytes = std::uint64_t{64} << 20;

collective_call matrix_call(std::string text) { return {.what = operation::matrix, .detail = std::move(text)}; }

/// The layout, the same on every rank; else every rank throws usage_error. Collective.
matrix_layout agreed_layout(communicator_core& core, std::string const& name, window_element type, std::uint64_t rows,
                            std::uint64_t columns, matrix_distribution const& how) {
  core.expect_no_loss_in_next_step(matrix_call("the constructor of a distributed matrix"));
  core.transfers_of_rank()->expect_usable();
  std::optional<matrix_layout> mine;
  std::string fault;
  try {
    mine.emplace(rows, columns, how, core.network().ranks(), size_of(type));
  } catch (usage_error const& e) {
    fault = e.what();
  }
  core.agree(matrix_call("the constructor of a distributed matrix"), "the distributed matrix",
             "'" + name + "' of " + name_of(type) + ", " + (mine ? mine->in_words() : fault));
  if (mine) return std::move(*mine);
  std::string const text = "the distributed matrix '" + name + "': " + fault;
  core.order().note_failure({.reporter = 0, .text = text});
  throw usage_error(text);
}

}  // namespace

char const* name_of(window_element e) noexcept {
  switch (e) {
    case window_element::f64: return "double";
    case window_element::f32: return "float";
    case window_element::i32: return "int32_t";
    case window_element::i64: return "int64_t";
    case window_element::c128: return "complex<double>";
  }
  return "";
}

matrix_core::matrix_core(communicator_core& core, std::string name, window_element type, std::uint64_t rows,
                         std::uint64_t columns, matrix_distribution const& how)
    : core_(core), name_(std::move(name)), type_(type), rank_(core.network().rank()), windows_(core.windows()),
      transfers_(core.transfers_of_rank()), layout_(agreed_layout(core, name_, type, rows, columns, how)) {
  action_ = "the constructor of a distributed matrix";
  make_window();
  meet_again();
}

matrix_core::~matrix_core() { windows_->retire(number_); }

/// Frees what all ranks have retired, and makes the window, or throws resource_error on every rank.
void matrix_core::make_window() {
  transfers_->finish();
  auto const mine = windows_->retired();
  bytes const of_all = core_.all().reduce_to_all(matrix_call(action_), bytes_of(std::as_bytes(std::span(mine))),
                                                 [](bytes& into, std::span<std::byte const> other) {
                                                   std::vector<std::uint32_t> a(into.size() / 4);
                                                   std::vector<std::uint32_t> b(other.size() / 4);
                                                   std::vector<std::uint32_t> both;
                                                   if (!a.empty()) std::memcpy(a.data(), into.data(), into.size());
                                                   if (!b.empty()) std::memcpy(b.data(), other.data(), other.size());
                                                   std::ranges::set_intersection(a, b, std::back_inserter(both));
                                                   into = bytes_of(std::as_bytes(std::span(both)));
                                                 });
  std::vector<std::uint32_t> freed(of_all.size() / 4);
  if (!freed.empty()) std::memcpy(freed.data(), of_all.data(), of_all.size());
  windows_->free(freed);

  transport& network = core_.network();
  std::uint64_t const size = size_of(type_);
  auto const [first, last] = network.node();
  std::uint64_t wanted = 0;
  for (rank_number r = first; r < last; ++r) wanted += layout_.elements_of(r) * size;
  // 1 + the rank without memory; 0: all have it.
  std::uint64_t refused = wanted > network.room_for_windows() ? 1 + rank_ : 0;
  max_elements(core_.all(), matrix_call(action_), std::span(&refused, 1));
  std::unique_ptr<window> made;
  bool const has_room = refused == 0;
  if (has_room) {
    try {
      made = network.make_window(type_, layout_.elements_of(rank_));
    } catch (std::exception const&) {}  // the ranks learn of it below
    refused = made == nullptr ? 1 + rank_ : 0;
    max_elements(core_.all(), matrix_call(action_), std::span(&refused, 1));
    if (refused != 0) static_cast<void>(made.release());  // its end is collective
  }
  if (refused != 0) {
    auto const who = static_cast<rank_number>(refused - 1);
    std::string const text =
        "the distributed matrix '" + name_ + "' of " + layout_.in_words() + " " + name_of(type_) + ": rank " +
        std::to_string(who) + (has_room ? " gets no window for its " : " finds no memory for its ") +
        std::to_string(layout_.elements_of(who) * size) +
        " bytes beside those of its node; take more nodes, or a smaller matrix" + (has_room ? or_other_windows : "");
    core_.order().note_failure({.reporter = 0, .text = text});
    throw resource_error(text);
  }
  number_ = windows_->next();
  where_ = made.get();
  windows_->add(number_, std::move(made));
}

window& matrix_core::here() const {
  transfers_->expect_usable();
  return *where_;
}

std::byte* matrix_core::own() const { return here().own(); }

rank_number matrix_core::owner_of(std::uint64_t row, std::uint64_t column) const {
  if (!layout_.contains({row, column, 1, 1})) expect_valid("owner_of", {row, column, 1, 1}, this, 1);
  return layout_.owner_of(row, column);
}

std::string matrix_core::call(std::string const& action, std::string const& rest) const {
  return action + " of the distributed matrix '" + name_ + "' (number " + std::to_string(number_) + ")" + rest;
}

void matrix_core::expect_valid(char const* call, rectangle const& r, void const* first, std::uint64_t leading) const {
  bool const is_within = layout_.contains(r);
  if (is_within && (r.rows <= 1 || leading >= r.columns) && (first != nullptr || r.is_empty())) return;
  std::string const where =
      "the distributed matrix '" + name_ + "' on rank " + std::to_string(rank_) + ": " + call + " of " + in_words(r);
  if (!is_within) {
    throw usage_error(where + "; allowed: within its " + std::to_string(layout_.rows()) + " rows and " +
                      std::to_string(layout_.columns()) + " columns");
  }
  if (r.rows > 1 && leading < r.columns) {
    throw usage_error(where + " with a leading dimension of " + std::to_string(leading) + "; allowed: at least " +
                      std::to_string(r.columns));
  }
  throw usage_error(where + " with a null pointer; allowed: memory for it");
}

void matrix_core::count(transfer_kind what, bool is_local, std::uint64_t moved) noexcept {
  counted_.count(what, is_local, moved);
  transfers_->counted().count(what, is_local, moved);
}

/// What must go through the window; copies the rest.
std::vector<window_run> matrix_core::runs_of(transfer_kind what, rectangle const& r, memory const& m) {
  std::uint64_t const size = size_of(type_);
  window& at = here();
  bool const is_direct = what != transfer_kind::accumulate && at.is_unified();
  std::vector<window_run> runs;
  auto const add = [&](rank_number owner, std::uint64_t first, std::uint64_t elements, std::byte* local) {
    count(what, owner == rank_, elements * size);
    if (owner == rank_ && is_direct) {
      std::byte* const mine = at.own() + first * size;
      std::memcpy(what == transfer_kind::get ? local : mine, what == transfer_kind::get ? mine : local,
                  elements * size);
      return;
    }
    for (std::uint64_t done = 0; done < elements; done += longest_run) {
      runs.push_back({owner, first + done, std::min(longest_run, elements - done), local + done * size});
    }
  };
  layout_.each_part(r, [&](matrix_layout::block const& b, rectangle const& part) {
    std::uint64_t const width = b.where.columns;
    std::uint64_t const first = b.at + (part.row - b.where.row) * width + (part.column - b.where.column);
    std::byte* const local = m.first + ((part.row - r.row) * m.leading + (part.column - r.column)) * size;
    if (part.columns == width && (part.rows == 1 || m.leading == width)) {
      return add(b.owner, first, part.size(), local);
    }
    for (std::uint64_t row = 0; row < part.rows; ++row) {
      add(b.owner, first + row * width, part.columns, local + row * m.leading * size);
    }
  });
  return runs;
}

void matrix_core::note_use(rectangle const& r) {
  task_meter* const of = transfers_->meter_of_task();
  if (of == nullptr) [[likely]]
    return;
  layout_.each_part(
      r, [&](matrix_layout::block const& b, rectangle const& part) { of->add(b.owner, part.size() * size_of(type_)); });
}

std::shared_ptr<transfer> matrix_core::begin(transfer_kind what, rectangle const& r, memory m, bool is_waited_for) {
  note_use(r);
  return start(what, r, std::move(m), is_waited_for);
}

std::shared_ptr<transfer> matrix_core::start(transfer_kind what, rectangle const& r, memory m, bool is_waited_for) {
  auto t = std::make_shared<transfer>();
  t->runs = runs_of(what, r, m);
  if (t->runs.empty()) return nullptr;
  t->where = where_;
  t->what = what;
  t->is_waited_for = is_waited_for;
  if (m.copy != nullptr) t->copied_bytes = r.size() * size_of(type_);
  t->copy = std::move(m.copy);
  transfers_->begin(t, name_);
  return t;
}

void matrix_core::transfer_now(transfer_kind what, rectangle const& r, memory m) {
  if (auto const t = begin(what, r, std::move(m), true)) transfers_->wait(*t);
}

void matrix_core::accumulate_copy(rectangle const& r, memory m) {
  note_use(r);
  accumulate_sums(r, std::move(m));
}

void matrix_core::accumulate_sums(rectangle const& r, memory m) {
  bool const must_wait = transfers_->copied_bytes() > most_copied_bytes;
  auto const t = start(transfer_kind::accumulate, r, std::move(m), must_wait);
  if (must_wait && t != nullptr) transfers_->wait(*t);
}

/// Ranks meet before they wait for the network: a wait inside MPI for a rank that has died would not end. If no rank has to wait they need not meet again.
void matrix_core::complete_all() {
  transfers_->finish();
  bytes const own(windows_->is_flushed() ? 0 : 1);
  bytes const waits = core_.all().reduce_to_all(
      matrix_call(action_), own,
      [](bytes& into, std::span<std::byte const> other) { into.resize(std::max(into.size(), other.size())); });
  if (!waits.empty()) {
    windows_->flush();
    core_.all().meet(matrix_call(action_));
  }
  windows_->publish();
  version_.fetch_add(1, std::memory_order_relaxed);  // relaxed: as in version
}

/// Throws in a thread that may not call collective functions.
void matrix_core::expect_server(std::string const& call) const {
  transfers_->expect_usable();
  if (transfers_->is_server()) return;
  throw usage_error(call + " in another thread than that of the communicator; allowed: there, outside tasks");
}

void matrix_core::meet(std::string const& call) {
  expect_server(call);
  action_ = call;
  complete_all();
}

void matrix_core::meet_again() { complete_all(); }

void matrix_core::refuse(std::string const& call, std::string const& text) {
  expect_server(call);
  core_.order().refuse(matrix_call(call), text);
}

void matrix_core::sum(double* values, std::size_t count) {
  sum_elements(core_.all(), matrix_call(action_), std::span(values, count));
}
void matrix_core::sum(std::int64_t* values, std::size_t count) {
  sum_elements(core_.all(), matrix_call(action_), std::span(values, count));
}

}}}  // namespace skua::v0::ranks
