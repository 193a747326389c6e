// SPDX-License-Identifier: MIT
// parallel_for_each whose body finds more items: the body adds them to a feeder, and the call returns when all are
// done.
// States, and the assumptions of each step: feeder.md.
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/callable.hpp"
#include "skua/program/executor.hpp"
#include "skua/program/wait_group.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Takes the items that the bodies of one parallel_for_each find.
template <class Item>
class feeder {
 public:
  feeder(feeder const&) = delete;
  feeder& operator=(feeder const&) = delete;

  /// Adds an item: the body is called on it once, at some time, on some worker, before parallel_for_each returns; not if
  /// the call has been cancelled or has failed. Only bodies of the call that made the feeder may use it, while they run.
  /// One allocation, whose failure it throws, as what the copy throws; then nothing was added.
  void add(Item const& item)
    requires std::copy_constructible<Item>
  {
    add_item(Item(item));
  }
  void add(Item&& item) { add_item(std::move(item)); }

 protected:
  feeder() = default;
  ~feeder() = default;

 private:
  virtual void add_item(Item&& item) = 0;
};

/// body(item, feeder), for such an item.
template <class Body, class Element, class Item>
concept feeding_body = std::invocable<Body const&, Element, feeder<Item>&>;

/// The same for the elements of [It, It), and for items that were added. Where both compile, body(here, element) is meant.
template <class Body, class Here, class It>
concept feeding_element_body =
    !element_body<Body, Here, It> &&
    (feeding_body<Body, element_of<It>, std::iter_value_t<It>> ||
     (!std::forward_iterator<It> && feeding_body<Body, std::iter_value_t<It>, std::iter_value_t<It>>)) &&
    (feeding_body<Body, std::iter_value_t<It>, std::iter_value_t<It>> ||
     feeding_body<Body, std::iter_value_t<It>&, std::iter_value_t<It>>);

/// One call of parallel_for_each with a feeder: a group of free tasks, one for each item that was added.
template <task_executor Executor, class Item, class Body>
class feeding final : public feeder<Item> {
  using its_here = typename Executor::here;

 public:
  feeding(its_here& here, Body const& body) noexcept : body_(body), surroundings_(here) {}

  /// Calls the body on pass(element) for the elements of [first, last), and waits for the items that they add. Throws
  /// the first exception of a body; `cancelled` if items were dropped because of a stop around the call.
  template <std::random_access_iterator It, class Pass>
  void run(its_here& here, It first, It last, Pass const& pass) {
    try {
      for_each(here, first, last, [this, &pass](std::iter_reference_t<It> element) {
        if (added_.stop_requested()) throw cancelled{};  // an item or element has failed: drops what has not begun
        try {
          std::invoke(body_, pass(std::forward<std::iter_reference_t<It>>(element)), static_cast<feeder<Item>&>(*this));
        } catch (cancelled const&) {
          throw;
        } catch (...) {
          // Now: the loop throws it only when all elements that began have ended.
          added_.fail(std::current_exception());
          throw;
        }
      });
    } catch (cancelled const&) {
      added_.cancel();
    } catch (...) {
      added_.fail(std::current_exception());
    }
    Executor::wait(added_);
    wait_group::outcome what = added_.take_outcome();
    if (what.failure) std::rethrow_exception(std::move(what.failure));
    if (what.cancelled) throw cancelled{};
  }

 private:
  struct item_task final : free_task<its_here>, task_memory<its_here> {
    item_task(feeding& f, Item&& i)
        : free_task<its_here>{.kind = &kind, .group = &f.added_}, owner(f), item(std::move(i)) {}

    static void run_and_finish(free_task<its_here>& task, its_here& here) noexcept {
      wait_group& group = *task.group;
      {
        std::unique_ptr<item_task> const self(&static_cast<item_task&>(task));
        if (here.stop_requested()) {
          group.cancel();
        } else {
          self->attempt(here);
        }
      }
      group.finish();  // after the item has been destroyed: it may refer to the frame that waits
    }

    void attempt(its_here& here) noexcept {
      try {
        // An rvalue, if the body takes one: the item is not used again.
        if constexpr (feeding_body<Body, Item, Item>) {
          std::invoke(owner.body_, std::move(item), static_cast<feeder<Item>&>(owner));
        } else {
          std::invoke(owner.body_, item, static_cast<feeder<Item>&>(owner));
        }
      } catch (cancelled const&) {
        if (here.stop_requested()) {
          this->group->cancel();
        } else {
          this->group->end_early();  // it has another cause, and must be reported
        }
      } catch (...) {
        this->group->fail(std::current_exception());
      }
    }

    static void const* surroundings_of(free_task<its_here> const& task) noexcept {
      return static_cast<item_task const&>(task).owner.surroundings_.name();
    }
    static constexpr free_task_kind<its_here> kind{
        .run = &run_and_finish, .name = type_text<Body>(), .surroundings_of = &surroundings_of};

    feeding& owner;
    Item item;
  };

  void add_item(Item&& item) override {
    auto task = std::make_unique<item_task>(*this, std::move(item));
    added_.add();
    try {
      Executor::spawn(*task);
    } catch (...) {
      added_.finish();
      throw;
    }
    static_cast<void>(task.release());
  }

  Body const& body_;
  typename Executor::surroundings const surroundings_;
  wait_group added_;
};

/// Calls body(element, feeder) for the elements of [first, last), and body(item, feeder) for all added items.
template <task_executor Executor, std::input_iterator It, class Body>
void feed(It first, It last, Body const& body) {
  using item = std::iter_value_t<It>;
  auto const over = [&body](auto begin, auto end, auto const& pass) {
    Executor::with_here([&](typename Executor::here& here) {
      feeding<Executor, item, Body> all(here, body);
      all.run(here, begin, end, pass);
    });
  };
  if constexpr (std::random_access_iterator<It>) {
    over(first, last, std::identity{});
  } else if constexpr (std::forward_iterator<It>) {
    std::vector<It> all;
    for (; first != last; ++first) all.push_back(first);
    over(all.begin(), all.end(), [](It it) -> decltype(auto) { return *it; });
  } else {
    std::vector<item> all;
    for (; first != last; ++first) all.push_back(*first);
    over(all.begin(), all.end(), [](item& element) -> decltype(auto) {
      // As for an added item: it is not used again.
      if constexpr (feeding_body<Body, item, item>) {
        return std::move(element);
      } else {
        return (element);
      }
    });
  }
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::feeder;

}}  // namespace skua::v0
