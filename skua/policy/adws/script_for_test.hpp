// SPDX-License-Identifier: MIT
// ADWS by hand: what a machine would tell and ask, without one.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "skua/policy/adws/adws.hpp"
#include "skua/policy/protocol_checker.hpp"
#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws {

constexpr placement on(std::uint32_t w, lane where) { return {.worker = worker_id{w}, .lane = where}; }

inline constexpr adws_options as_in_the_paper{.widen = widening::never, .delays_steals = false};

/// A region of `workers`, run by hand.
class by_hand : public ::testing::Test {
 protected:
  explicit by_hand(std::uint32_t workers = 8, adws_options const& with = as_in_the_paper) { restart(workers, with); }

  void restart(std::uint32_t workers, adws_options const& with = as_in_the_paper) {
    restart(layout::flat(workers), with);
  }
  void restart(layout const& where, adws_options const& with) {
    workers_ = where.workers();
    policy_.emplace(where, 11, with);
    checked_.emplace(*policy_, workers_, protocol_checks{.of_machine = false});  // scripts leave calls out
  }

  worker_policy& of(std::uint32_t w) { return checked_->of_worker(worker_id{w}); }
  void begin(std::uint32_t w, task_tag const& t, bool open = false) { of(w).learn(begun{t, open}); }

  /// The root, taken in by worker `by` and begun on worker 0.
  task_tag root(std::uint32_t by = 0) {
    task_tag t{};
    EXPECT_EQ(of(by).place(t, cause::injected), on(0, lane::mailbox));
    begin(0, t);
    return t;
  }

  /// One child of a group, and where it goes.
  struct born {
    task_tag tag;
    placement to;
    [[nodiscard]] tag_fields is() const { return tag_fields::read(tag); }
  };
  struct family {
    task_tag group;
    std::vector<born> children;  ///< up to the one that is kept
    task_tag rest;               ///< of those after it
  };

  /// Worker w's running task meets a group with these works; the last child of it is kept in any case.
  family meet(std::uint32_t w, task_tag const& task, std::vector<double> const& works) {
    double total = 0;
    for (double const x : works) total += work_of(as_hint(work{x}));
    family f;
    task_tag mine = task;
    f.group = f.rest = of(w).meet(mine, total, works.size());
    for (double const x : works) {
      born b;
      b.tag = of(w).mark(f.rest, as_hint(work{x}));
      b.to = of(w).place(b.tag, cause::forked);
      f.children.push_back(b);
      if (b.to.worker == worker_id{w}) break;
    }
    return f;
  }

  /// The victims of worker w in 200 rounds: the workers of its steal range, without itself.
  std::set<std::uint32_t> victims(std::uint32_t w) {
    fruitless_round(of(w));  // what it has begun
    std::set<std::uint32_t> all;
    for (int i = 0; i < 200; ++i) {
      for (probe const& p : fruitless_round(of(w))) {
        if (p.kind == action::steal) all.insert(index(p.victim));
      }
    }
    return all;
  }
  /// first .. last, without w.
  static std::set<std::uint32_t> others(std::uint32_t w, std::uint32_t first, std::uint32_t last) {
    std::set<std::uint32_t> all;
    for (std::uint32_t v = first; v <= last; ++v) {
      if (v != w) all.insert(v);
    }
    return all;
  }

  /// May worker w, if it steals now, take something with this tag?
  bool takes(std::uint32_t w, task_tag const& t) {
    fruitless_round(of(w));  // what it has begun
    for (int rests = 0; rests < 1;) {
      probe const p = of(w).next_probe();
      if (p.kind == action::steal) return of(w).admits(t.words[0]);
      rests += p.kind == action::rest ? 1 : 0;
      if (p.kind != action::rest) of(w).learn(probed{p, runtime::outcome::empty});
    }
    return false;
  }

  std::uint32_t workers_ = 0;

 private:
  std::optional<almost_deterministic> policy_;
  std::optional<protocol_checker> checked_;
};

}}}}  // namespace skua::v0::policies::adws
