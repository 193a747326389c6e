// SPDX-License-Identifier: MIT
// oneTBB's parallel_pipeline: items pass through a chain of filters, of which some take one at a time, and some in order; only so many items are
// under way at once. Skua's own form is a flow with at_most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/conventional.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace tbb {

/// serial_in_order: one item at a time, in the order in which the first such filter had them. serial_out_of_order: one at a time. parallel: any.
enum class filter_mode : std::uint8_t { parallel, serial_in_order, serial_out_of_order };

namespace pipeline {
class run;
}

/// The argument of the first filter.
class flow_control {
  friend class pipeline::run;

 public:
  /// The input ends: what the filter returns after that is dropped.
  void stop() noexcept { stopped_ = true; }

 private:
  bool stopped_ = false;
};

namespace pipeline {

/// What lies between two filters: a value of a type that only they know.
struct any_value {
  any_value() = default;
  virtual ~any_value() = default;
  any_value(any_value const&) = delete;
  any_value& operator=(any_value const&) = delete;
};
template <class T>
struct value_of final : any_value {
  template <class... From>
  explicit value_of(From&&... from) : value(std::forward<From>(from)...) {}
  T value;
};
using held = std::unique_ptr<any_value>;

struct stage {
  filter_mode mode;
  std::function<held(held, flow_control&)> call;
};

template <class Input, class Output, class Body>
held call(Body const& body, held input, flow_control& control) {
  auto const made = [&]() -> decltype(auto) {
    if constexpr (std::is_void_v<Input>) {
      return std::invoke(body, control);
    } else {
      return std::invoke(body, std::move(static_cast<value_of<std::remove_cvref_t<Input>>&>(*input).value));
    }
  };
  if constexpr (std::is_void_v<Output>) {
    made();
    return nullptr;
  } else {
    return std::make_unique<value_of<std::remove_cvref_t<Output>>>(made());
  }
}

/// An item under way.
struct item {
  held value;
  std::size_t at = 0;                  ///< the stage that is next
  std::optional<std::uint64_t> order;  ///< since the first filter that keeps order
};

/// One call of parallel_pipeline. Invariants, of each serial stage: at most one item is in it (`is_busy`); items that wait there were not eligible
/// when they came, and whoever leaves the stage starts the next one that is. So an item that waits holds no task.
class run {
 public:
  run(std::vector<stage> const& stages, std::size_t most) : stages_(stages), gates_(stages.size()), free_(most) {}

  void operator()(task_group& group) {
    group_ = &group;
    read_more();
  }

 private:
  struct gate {
    std::mutex lock{};
    bool is_busy = false;
    std::uint64_t next = 0;                 ///< of a stage in order: whose turn it is
    std::map<std::uint64_t, item> waits{};  ///< by order, or by arrival
    std::uint64_t arrivals = 0;
  };

  /// Starts the first filter as often as it may run now.
  void read_more() {
    for (;;) {
      {
        std::scoped_lock const alone(input_);
        if (is_over_ || free_ == 0 || (stages_[0].mode != filter_mode::parallel && is_reading_)) return;
        --free_;
        is_reading_ = true;
      }
      group_->run([this] { read(); });
    }
  }
  void read() {
    flow_control control;
    item one{.value = stages_[0].call(nullptr, control), .at = 1, .order = {}};
    {
      std::scoped_lock const alone(input_);
      is_reading_ = false;
      if (control.stopped_) {
        is_over_ = true;
        ++free_;
        return;
      }
      if (stages_[0].mode == filter_mode::serial_in_order) one.order = read_++;
    }
    read_more();
    pass(std::move(one), false);
  }
  /// Takes an item through the stages, until it waits for another item or has left the last one. `is_inside`: its gate has let it in.
  void pass(item one, bool is_inside) {
    flow_control none;
    for (; one.at < stages_.size(); ++one.at) {
      stage const& now = stages_[one.at];
      gate& door = gates_[one.at];
      bool const is_serial = now.mode != filter_mode::parallel;
      if (is_serial && !std::exchange(is_inside, false) && !enters(door, now.mode, one)) return;
      one.value = now.call(std::move(one.value), none);
      if (!is_serial) continue;
      if (std::optional<item> next = leave(door, now.mode))
        group_->run([this, n = std::make_shared<item>(std::move(*next))] { pass(std::move(*n), true); });
    }
    {
      std::scoped_lock const alone(input_);
      ++free_;
    }
    read_more();
  }
  /// False: the item waits in the gate now.
  static bool enters(gate& door, filter_mode mode, item& one) {
    std::scoped_lock const alone(door.lock);
    bool const in_order = mode == filter_mode::serial_in_order;
    if (in_order && !one.order) one.order = door.arrivals++;  // the first such filter chooses the order
    if (!door.is_busy && (!in_order || *one.order == door.next)) {
      door.is_busy = true;
      return true;
    }
    std::uint64_t const key = in_order ? *one.order : door.arrivals++;
    door.waits.emplace(key, std::move(one));
    return false;
  }
  static std::optional<item> leave(gate& door, filter_mode mode) {
    std::scoped_lock const alone(door.lock);
    door.is_busy = false;
    bool const in_order = mode == filter_mode::serial_in_order;
    if (in_order) ++door.next;
    auto const first = door.waits.begin();
    if (first == door.waits.end() || (in_order && first->first != door.next)) return std::nullopt;
    door.is_busy = true;
    std::optional<item> next(std::move(first->second));
    door.waits.erase(first);
    return next;
  }

  std::vector<stage> const& stages_;
  std::vector<gate> gates_;
  task_group* group_ = nullptr;
  std::mutex input_;  ///< of what follows
  std::size_t free_;
  bool is_reading_ = false;
  bool is_over_ = false;
  std::uint64_t read_ = 0;
};

}  // namespace pipeline

/// A chain of filters from Input to Output; one that begins and ends with void can run.
template <class Input, class Output>
class filter {
 public:
  filter() = default;
  template <class Body>
  filter(filter_mode mode, Body const& body)
      : stages_{{mode, [body](pipeline::held in, flow_control& control) {
                   return pipeline::call<Input, Output>(body, std::move(in), control);
                 }}} {}
  explicit filter(std::vector<pipeline::stage> stages) : stages_(std::move(stages)) {}

  template <class Next>
  [[nodiscard]] filter<Input, Next> operator&(filter<Output, Next> const& behind) const {
    std::vector<pipeline::stage> all = stages_;
    all.insert(all.end(), behind.stages().begin(), behind.stages().end());
    return filter<Input, Next>(std::move(all));
  }
  template <class Next>
  filter& operator&=(filter<Output, Next> const& behind) {
    return *this = *this & behind;
  }
  void clear() { stages_.clear(); }
  [[nodiscard]] std::vector<pipeline::stage> const& stages() const noexcept { return stages_; }

 private:
  std::vector<pipeline::stage> stages_;
};

/// A filter that calls body(item), or body(flow_control&) if Input is void.
template <class Input, class Output, class Body>
[[nodiscard]] filter<Input, Output> make_filter(filter_mode mode, Body const& body) {
  return filter<Input, Output>(mode, body);
}

/// Runs the chain until the first filter has stopped and all items have passed. At most `most` items are under way. Throws the first exception of
/// a filter, and drops what is under way; usage_error for 0. Work: the filters' and an allocation per item and filter.
inline void parallel_pipeline(std::size_t most, filter<void, void> const& chain) {
  if (most == 0) throw usage_error("parallel_pipeline: at most 0 items at once; allowed: 1 and more");
  if (chain.stages().empty()) return;
  pipeline::run all(chain.stages(), most);
  task_group group;
  group.run_and_wait([&] { all(group); });
}
/// Returns early when the context is cancelled.
inline void parallel_pipeline(std::size_t most, filter<void, void> const& chain, task_group_context& context) {
  parallel_invoke([&] { parallel_pipeline(most, chain); }, context);
}
template <class First, class Second, class... Rest>
void parallel_pipeline(std::size_t most, First const& first, Second const& second, Rest const&... rest) {
  if constexpr (sizeof...(rest) == 0) {
    parallel_pipeline(most, filter<void, void>(first & second));
  } else {
    parallel_pipeline(most, first & second, rest...);
  }
}

}}}  // namespace skua::v0::tbb
