// SPDX-License-Identifier: MIT
// skua/ranks.h: the ranks, their collective operations, and collections.
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "skua/c/ranks_of.hpp"

namespace skua { inline namespace v0 { namespace c {

std::string& error_text() noexcept {
  thread_local std::string text;
  return text;
}

int failed(int code, char const* text) noexcept {
  try {
    error_text() = text;
  } catch (std::bad_alloc const&) {
    error_text().clear();
  }
  return code;
}

namespace {

struct lone_ranks final : skua_ranks {
  [[nodiscard]] communicator& world() override { return *alone_; }

 private:
  std::unique_ptr<communicator> const alone_ = communicator::alone();
};

/// Bytes of one task, as the program gives them.
std::span<std::byte const> bytes_at(void const* task, std::size_t n) noexcept {
  return {static_cast<std::byte const*>(task), n};
}

template <class T, class F>
int each(skua_ranks* ranks, char const* call, T* values, std::size_t count, F f) noexcept {
  return guarded([&] {
    skua_ranks& r = given(ranks, call, "ranks");
    if (count > 0) static_cast<void>(given(values, call, "values"));
    f(r.world(), std::span<T>(values, count));
  });
}

}  // namespace
}}}  // namespace skua::v0::c

namespace c = skua::c;
using c::given;
using c::guarded;

/// A task whose function is the program's.
struct skua_collection {
  skua_task_function run = nullptr;
  void* data = nullptr;
  std::size_t task_bytes = 0;
  std::string name;
  std::unique_ptr<skua::runtime::collection_engine> engine;
};

struct skua_site {
  skua::runtime::collection_site& of;
  std::size_t task_bytes;
};

namespace {

skua::task_outcome call_function(void* function, skua::runtime::collection_site& site, std::span<std::byte> task) {
  auto const& all = *static_cast<skua_collection const*>(function);
  skua_site here{site, all.task_bytes};
  int const got = all.run(all.data, task.data(), &here);
  if (got == SKUA_TASK_DONE) return skua::task_outcome::done;
  if (got == SKUA_TASK_NULL) return skua::task_outcome::null;
  throw skua::error("a task of '" + all.name + "' returned " + std::to_string(got));
}

skua_rank_report as_c(skua::rank_report const& r) noexcept {
  return {r.rank,      r.workers,  r.tasks, r.stolen, r.given, r.seconds,    r.busy,
          r.balancing, r.received, r.sent,  r.got,    r.put,   r.accumulated};
}

skua::runtime::collection_engine& engine_of(skua_collection* tasks, char const* call) {
  return *given(tasks, call, "the collection").engine;
}

}  // namespace

extern "C" {

char const* skua_error_text(void) { return c::error_text().c_str(); }

int skua_ranks_alone(skua_ranks** made) {
  return guarded([&] { given(made, "skua_ranks_alone", "made") = new c::lone_ranks; });
}

int skua_ranks_end(skua_ranks* ranks) {
  return guarded([&] {
    if (ranks == nullptr) return;
    ranks->workers.reset();
    ranks->threads.reset();
    delete ranks;
  });
}

uint32_t skua_ranks_rank(skua_ranks const* ranks) { return const_cast<skua_ranks*>(ranks)->world().rank(); }
uint32_t skua_ranks_size(skua_ranks const* ranks) { return const_cast<skua_ranks*>(ranks)->world().size(); }

int skua_ranks_use_workers(skua_ranks* ranks, uint32_t workers) {
  return guarded([&] {
    skua_ranks& r = given(ranks, "skua_ranks_use_workers", "ranks");
    if (r.threads) throw skua::usage_error("skua_ranks_use_workers is called twice; allowed: once");
    r.threads.emplace(skua::pool_options{.workers = workers == 0 ? r.world().processors() : workers});
    r.workers.emplace(r.world(), *r.threads);
  });
}

int skua_sum_doubles(skua_ranks* ranks, double* values, size_t count) {
  return c::each(ranks, "skua_sum_doubles", values, count, [](auto& world, auto all) { world.sum(all); });
}
int skua_max_doubles(skua_ranks* ranks, double* values, size_t count) {
  return c::each(ranks, "skua_max_doubles", values, count, [](auto& world, auto all) { world.max(all); });
}
int skua_min_doubles(skua_ranks* ranks, double* values, size_t count) {
  return c::each(ranks, "skua_min_doubles", values, count, [](auto& world, auto all) { world.min(all); });
}
int skua_sum_integers(skua_ranks* ranks, int64_t* values, size_t count) {
  return c::each(ranks, "skua_sum_integers", values, count, [](auto& world, auto all) { world.sum(all); });
}
int skua_max_integers(skua_ranks* ranks, int64_t* values, size_t count) {
  return c::each(ranks, "skua_max_integers", values, count, [](auto& world, auto all) { world.max(all); });
}
int skua_min_integers(skua_ranks* ranks, int64_t* values, size_t count) {
  return c::each(ranks, "skua_min_integers", values, count, [](auto& world, auto all) { world.min(all); });
}

int skua_broadcast(skua_ranks* ranks, void* bytes, size_t count, uint32_t root) {
  return c::each(ranks, "skua_broadcast", static_cast<std::byte*>(bytes), count,
                 [root](auto& world, auto all) { world.broadcast(all, root); });
}
int skua_barrier(skua_ranks* ranks) {
  return guarded([&] { given(ranks, "skua_barrier", "ranks").world().barrier(); });
}

int skua_collection_make(skua_ranks* ranks, char const* name, size_t task_bytes, skua_task_function run, void* data,
                         skua_collection** made) {
  return guarded([&] {
    constexpr char const* call = "skua_collection_make";
    skua_ranks& r = given(ranks, call, "ranks");
    skua_collection*& to = given(made, call, "made");
    if (run == nullptr) throw skua::usage_error("skua_collection_make: run is NULL");
    if (task_bytes == 0) throw skua::usage_error("skua_collection_make: task_bytes is 0; allowed: 1 or more");
    auto all = std::make_unique<skua_collection>();
    all->run = run;
    all->data = data;
    all->task_bytes = task_bytes;
    all->name = &given(name, call, "name");
    all->engine = r.world().make_collection({.name = all->name}, {.bytes = task_bytes,
                                                                  .alignment = 16,
                                                                  .type = "bytes of C",
                                                                  .name = "skua_task_function",
                                                                  .function = all.get(),
                                                                  .run = &call_function});
    to = all.release();
  });
}

void skua_collection_end(skua_collection* tasks) { delete tasks; }

int skua_collection_add(skua_collection* tasks, void const* task) {
  return guarded([&] {
    constexpr char const* call = "skua_collection_add";
    std::byte const& first = given(static_cast<std::byte const*>(task), call, "task");
    engine_of(tasks, call).add(c::bytes_at(&first, tasks->task_bytes));
  });
}

int skua_collection_add_work(skua_collection* tasks, void const* task, double work) {
  return guarded([&] {
    constexpr char const* call = "skua_collection_add_work";
    std::byte const& first = given(static_cast<std::byte const*>(task), call, "task");
    engine_of(tasks, call).add_weighed(c::bytes_at(&first, tasks->task_bytes), work);
  });
}

int skua_collection_process(skua_collection* tasks) {
  return guarded([&] { engine_of(tasks, "skua_collection_process").process(); });
}
int skua_collection_restore(skua_collection* tasks, char const* how) {
  return guarded([&] {
    constexpr char const* call = "skua_collection_restore";
    engine_of(tasks, call).restore_as(&given(how, call, "how"));
  });
}
int skua_collection_rebalance(skua_collection* tasks, char const* how) {
  return guarded([&] {
    constexpr char const* call = "skua_collection_rebalance";
    engine_of(tasks, call).rebalance(&given(how, call, "how"));
  });
}

int skua_collection_checkpoint(skua_collection* tasks, char const* path, void const* state, size_t count) {
  return guarded([&] {
    constexpr char const* call = "skua_collection_checkpoint";
    if (count > 0) static_cast<void>(given(static_cast<std::byte const*>(state), call, "state"));
    engine_of(tasks, call).checkpoint(&given(path, call, "path"), c::bytes_at(state, count));
  });
}
int skua_collection_restart(skua_collection* tasks, char const* path, void* state, size_t count) {
  return guarded([&] {
    constexpr char const* call = "skua_collection_restart";
    if (count > 0) static_cast<void>(given(static_cast<std::byte*>(state), call, "state"));
    std::vector<std::byte> const got = engine_of(tasks, call).restart(&given(path, call, "path"));
    if (got.size() != count) {
      throw skua::usage_error(std::string(call) + ": the file has a state of " + std::to_string(got.size()) +
                              " bytes; wanted: " + std::to_string(count));
    }
    if (count > 0) std::memcpy(state, got.data(), count);
  });
}

int skua_collection_report(skua_collection* tasks, skua_report* report) {
  return guarded([&] {
    constexpr char const* call = "skua_collection_report";
    skua_report& to = given(report, call, "report");
    skua::collection_report const r = engine_of(tasks, call).report();
    to = {r.iteration, r.ranks, r.tasks, r.moved, r.seconds, r.mean_busy, r.most_busy};
  });
}

int skua_collection_own_report(skua_collection* tasks, skua_rank_report* report) {
  return guarded([&] {
    constexpr char const* call = "skua_collection_own_report";
    given(report, call, "report") = as_c(engine_of(tasks, call).own_report());
  });
}
int skua_collection_report_by_rank(skua_collection* tasks, skua_rank_report* reports, size_t count) {
  return guarded([&] {
    constexpr char const* call = "skua_collection_report_by_rank";
    skua::ranks_report const all = engine_of(tasks, call).report_by_rank();
    if (all.ranks.empty()) return;
    skua_rank_report& first = given(reports, call, "reports");
    if (count <= all.ranks.back().rank) {
      throw skua::usage_error(std::string(call) + ": room for " + std::to_string(count) +
                              " ranks; wanted: skua_ranks_size");
    }
    std::span<skua_rank_report> const to(&first, count);
    for (std::size_t r = 0; r < count; ++r) to[r] = as_c({.rank = static_cast<std::uint32_t>(r)});
    for (skua::rank_report const& r : all.ranks) to[r.rank] = as_c(r);
  });
}

uint32_t skua_site_rank(skua_site const* site) { return site->of.rank(); }
uint32_t skua_site_worker(skua_site const* site) { return site->of.worker(); }
uint32_t skua_site_workers(skua_site const* site) { return site->of.workers(); }
int skua_site_spawn(skua_site* site, void const* task) {
  return guarded([&] {
    constexpr char const* call = "skua_site_spawn";
    std::byte const& first = given(static_cast<std::byte const*>(task), call, "task");
    skua_site& here = given(site, call, "site");
    here.of.spawn(c::bytes_at(&first, here.task_bytes));
  });
}
void skua_site_progress(skua_site* site) { site->of.progress(); }
}
