// SPDX-License-Identifier: MIT
// worker_local: an object per thread of a parallel computation, and their combination afterwards. oneTBB has combinable
// and enumerable_thread_specific for this.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/face/local_table.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/current.hpp"

namespace skua { inline namespace v0 {

/// Holds an object of type T per thread: for workers of any pool, and for threads from outside, inside and outside
/// their calls. The first `local()` of a thread makes its object, on cache lines of its own. An object lives until
/// `clear` or the end of the worker_local, even if its thread or the pool has ended.
///
/// Tasks that one thread runs one after the other use the same object. So do not call `here.join`, `scope` or `wait`
/// between `local()` and the last use of the reference: afterwards the task may continue on another thread, while other
/// tasks of the first thread use the object. Call `local()` again instead; it is cheap.
///
/// Any thread may call `local()` at any time. Only one thread may call the other functions, and only when all tasks
/// that use the worker_local have ended.
template <class T>
class worker_local {
  static_assert(std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>>, "worker_local<T>: T is a type of objects");

  struct alignas(runtime::cache_line_bytes) holder : runtime::local_node {
    explicit holder(worker_local& table) : value(table.make_->make()) {}
    T value;
  };
  struct factory {
    virtual ~factory() = default;
    virtual T make() = 0;
  };

  template <class Value, class Node>
  class basic_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = Value&;
    using pointer = Value*;

    basic_iterator() = default;
    explicit basic_iterator(Node* node) noexcept : node_(node) {}
    [[nodiscard]] reference operator*() const noexcept {
      return static_cast<std::conditional_t<std::is_const_v<Value>, holder const, holder>*>(node_)->value;
    }
    [[nodiscard]] pointer operator->() const noexcept { return &**this; }
    basic_iterator& operator++() noexcept {
      node_ = node_->next;
      return *this;
    }
    basic_iterator operator++(int) noexcept {
      basic_iterator const before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(basic_iterator const&, basic_iterator const&) = default;

   private:
    Node* node_ = nullptr;
  };

 public:
  using value_type = T;
  using iterator = basic_iterator<T, runtime::local_node>;
  using const_iterator = basic_iterator<T const, runtime::local_node const>;

  /// New objects are T(). Throws std::bad_alloc.
  worker_local()
    requires std::default_initializable<T>
      : worker_local([] { return T(); }) {}
  /// make() returns each new object. Several threads may call it at once. Throws std::bad_alloc.
  template <class Make>
    requires(std::is_invocable_r_v<T, std::decay_t<Make>&> && !std::same_as<std::decay_t<Make>, worker_local>)
  explicit worker_local(Make&& make) {
    struct factory_of final : factory {
      explicit factory_of(Make&& m) : function(std::forward<Make>(m)) {}
      T make() override { return std::invoke(function); }
      std::decay_t<Make> function;
    };
    make_ = std::make_unique<factory_of>(std::forward<Make>(make));
  }
  ~worker_local() { clear(); }
  worker_local(worker_local const&) = delete;
  worker_local& operator=(worker_local const&) = delete;

  /// Returns the calling thread's object, and makes it if there is none. If make() throws, or there is no memory
  /// (std::bad_alloc), the thread has no object. Cheap if the object exists (docs/measurements.md).
  [[nodiscard]] T& local() {
    if (runtime::local_node* const mine = table_.find(runtime::thread_number())) [[likely]]
      return static_cast<holder*>(mine)->value;
    return make_local();
  }
  /// The same; sets `exists` to whether the thread had an object before.
  [[nodiscard]] T& local(bool& exists) {
    runtime::local_node* const mine = table_.find(runtime::thread_number());
    exists = mine != nullptr;
    return exists ? static_cast<holder*>(mine)->value : make_local();
  }

  // The objects, in the order in which they were made.

  [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] iterator begin() noexcept { return iterator{table_.first()}; }
  [[nodiscard]] iterator end() noexcept { return iterator{}; }
  [[nodiscard]] const_iterator begin() const noexcept { return const_iterator{table_.first()}; }
  [[nodiscard]] const_iterator end() const noexcept { return const_iterator{}; }

  /// Calls f(object) for each object.
  template <class F>
    requires std::invocable<F&, T&>
  void for_each(F&& f) {
    for (T& value : *this) std::invoke(f, value);
  }

  /// Returns all objects combined by join(left, right), as a new T; make()'s value if there are none. Which thread made
  /// which object differs from run to run, so `join` should be associative and commutative.
  template <class Join>
    requires std::is_invocable_r_v<T, Join&, T, T const&>
  [[nodiscard]] T combine(Join&& join) const {
    const_iterator value = begin();
    if (value == end()) return make_->make();
    T sum(*value);
    while (++value != end()) sum = std::invoke(join, std::move(sum), *value);
    return sum;
  }

  /// Destroys all objects. The next `local()` of a thread makes a new object.
  void clear() noexcept {
    runtime::local_node* node = table_.first();
    table_.clear();
    while (node != nullptr) delete static_cast<holder*>(std::exchange(node, node->next));
  }

 private:
  [[gnu::noinline]] T& make_local() {
    auto made = std::make_unique<holder>(*this);
    // make() may have waited, so the task may now be on another thread, which may have an object already.
    runtime::local_node& mine = table_.insert(runtime::thread_number(), *made);
    if (&mine == made.get()) static_cast<void>(made.release());
    return static_cast<holder&>(mine).value;
  }

  std::unique_ptr<factory> make_;
  runtime::local_table table_;
};

}}  // namespace skua::v0
