// SPDX-License-Identifier: MIT
// The slow paths of a join of two: polls, steals, failures.
#include "skua/machine/threads/fork/join/second_child.hpp"

#include <memory>
#include <new>
#include <utility>

#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// True if the exception that is being handled is a `cancelled`.
bool is_cancellation() noexcept {
  try {
    throw;
  } catch (cancelled const&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

second_kind const& second_child::kind() const noexcept { return static_cast<second_kind const&>(*task::kind); }

place_id second_child::place() const noexcept { return kind().place == nullptr ? no_place_hint : kind().place(*this); }

bool second_child::comes_back(open_join<>& self, fork_slot<>& at) {
  switch (fiber_at(at).poll_for_join(at)) {
    case advice::go_on: return false;
    case advice::expose:
    case advice::full: return at.deque->take_back(at);  // false: stolen, so it is too late to expose the group
    case advice::stop: break;
  }
  static_cast<second_child&>(self).give_up(at);
}

void second_child::wait_stolen(fiber& owner) {
  owner.wait_stolen(*this, 1);
  std::uint64_t const state = flags();
  if ((state & failed) != 0) rethrow_theirs();
  if ((state & dropped) != 0) throw cancelled{};
}

void second_child::first_threw(open_join<>& self, fork_slot<>& at) {
  if (at.deque->pop(at)) throw;
  fiber& owner = fiber_at(at);
  auto& stolen = static_cast<second_child&>(self);
  bool const they_were_first = (stolen.raise(abandoned) & failed) != 0;
  owner.raise_alarm();
  stolen.end_stolen(owner, they_were_first || is_cancellation());
  throw;
}

/// poll() said stop before the first child began.
void second_child::give_up(fork_slot<>& at) {
  if (!at.deque->pop(at)) {
    fiber& owner = fiber_at(at);
    raise(abandoned);
    owner.raise_alarm();
    end_stolen(owner, true);
  }
  throw cancelled{};
}

void second_child::run_stolen(task& t, std::uint64_t, fiber& thief) noexcept {
  auto& self = static_cast<second_child&>(static_cast<group&>(t));
  stop_node const node{self.watched(), &self, nullptr, nullptr, self.place()};
  thief.watch(&node);
  std::uint64_t outcome = dropped;  // also if it throws `cancelled`
  if (!thief.is_stopped()) {
    try {
      self.kind().call(self, thief);
      outcome = 0;
    } catch (cancelled const&) {
    } catch (...) {
      ::new (static_cast<void*>(std::addressof(self.error_))) std::exception_ptr(std::current_exception());
      outcome = failed;
    }
  }
  thief.task_ends(outcome != 0);
  thief.finish_piece(self, 1, outcome);
}

hint second_child::hint_of(task const& t, std::uint64_t) noexcept {
  auto const& self = static_cast<second_child const&>(static_cast<group const&>(t));
  place_id const hinted = self.place();
  return hinted != no_place_hint ? as_hint(at{hinted}) : stop_node::inherited(self.watched());
}

/// For a stolen child whose value is not used: waits for it. Throws its exception if it `wins`.
void second_child::end_stolen(fiber& owner, bool wins) {
  owner.wait_stolen(*this, 1);
  std::uint64_t const state = flags();
  if ((state & failed) != 0) {
    if (wins) rethrow_theirs();
    std::destroy_at(std::addressof(error_));
  } else if ((state & dropped) == 0 && kind().destroy != nullptr) {
    kind().destroy(*this);
  }
}

void second_child::rethrow_theirs() {
  std::exception_ptr const theirs = std::move(error_);
  std::destroy_at(std::addressof(error_));
  std::rethrow_exception(theirs);
}

}}}  // namespace skua::v0::runtime
