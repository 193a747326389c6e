// SPDX-License-Identifier: MIT
// oneTBB's concurrent_unordered_map and concurrent_unordered_set: any number of threads insert, look up and iterate at once; nobody erases
// meanwhile. All elements stand in one list, to which threads only prepend, so iterators never meet a change. Lookups go through an index in
// shards, each with a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "skua/tbb/enumerable_thread_specific.hpp"

namespace skua { inline namespace v0 { namespace tbb {

/// What both are. `key_of(value)` is the part of a value that is hashed. Functions named unsafe_, clear, swap, rehash and assignments are for one
/// thread, alone. Elements stay where they are until erased. The memory is the process's own: Allocator is only a name.
template <class Key, class Value, Key const& (*key_of)(Value const&), class Hash, class Equal, class Allocator>
class concurrent_unordered {
  struct node {
    template <class... Arguments>
    explicit node(Arguments&&... of) : value(std::forward<Arguments>(of)...) {}
    Value value;
    std::size_t hash = 0;
    node* next = nullptr;      ///< the one that was prepended before; fixed once others see this node
    node* previous = nullptr;  ///< the one that was prepended after; only for threads that are alone
  };
  struct sought {
    Key const& key;
    std::size_t hash;
  };
  struct hash_of {
    using is_transparent = void;
    std::size_t operator()(node const* n) const noexcept { return n->hash; }
    std::size_t operator()(sought const& s) const noexcept { return s.hash; }
  };
  struct is_equal {
    using is_transparent = void;
    Equal equal{};
    bool operator()(node const* a, node const* b) const { return equal(key_of(a->value), key_of(b->value)); }
    bool operator()(sought const& s, node const* n) const {
      return s.hash == n->hash && equal(s.key, key_of(n->value));
    }
    bool operator()(node const* n, sought const& s) const { return (*this)(s, n); }
  };
  using index = std::unordered_set<node*, hash_of, is_equal>;
  struct shard {
    mutable std::shared_mutex lock;
    index nodes;
  };
  static constexpr std::size_t shards = 64;

  template <class Element>
  class basic_iterator {
    friend class concurrent_unordered;

   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::remove_const_t<Element>;
    using difference_type = std::ptrdiff_t;
    using reference = Element&;
    using pointer = Element*;

    basic_iterator() = default;
    explicit basic_iterator(node* at) noexcept : at_(at) {}
    operator basic_iterator<Element const>() const noexcept
      requires(!std::is_const_v<Element>)
    {
      return basic_iterator<Element const>(at_);
    }
    [[nodiscard]] reference operator*() const noexcept { return at_->value; }
    [[nodiscard]] pointer operator->() const noexcept { return &at_->value; }
    basic_iterator& operator++() noexcept {
      at_ = at_->next;
      return *this;
    }
    basic_iterator operator++(int) noexcept { return basic_iterator(std::exchange(at_, at_->next)); }
    friend bool operator==(basic_iterator const&, basic_iterator const&) = default;

   private:
    node* at_ = nullptr;
  };
  static constexpr bool is_set = std::is_same_v<Key, Value>;

 public:
  using key_type = Key;
  using value_type = Value;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using hasher = Hash;
  using key_equal = Equal;
  using allocator_type = Allocator;
  using reference = Value&;
  using const_reference = Value const&;
  using const_iterator = basic_iterator<Value const>;
  using iterator = std::conditional_t<is_set, const_iterator, basic_iterator<Value>>;
  using range_type = objects_range<std::conditional_t<is_set, Value const, Value>>;
  using const_range_type = objects_range<Value const>;

  concurrent_unordered() = default;
  explicit concurrent_unordered(size_type, Hash const& hash = Hash(), Equal const& equal = Equal())
      : hash_(hash), equal_(equal) {
    clear();
  }
  template <std::input_iterator It>
  concurrent_unordered(It first, It last, size_type = 0, Hash const& hash = Hash(), Equal const& equal = Equal())
      : concurrent_unordered(0, hash, equal) {
    insert(first, last);
  }
  concurrent_unordered(std::initializer_list<Value> all) { insert(all.begin(), all.end()); }
  concurrent_unordered(concurrent_unordered const& other) : concurrent_unordered(0, other.hash_, other.equal_) {
    insert(other.begin(), other.end());
  }
  concurrent_unordered(concurrent_unordered&& other) : concurrent_unordered(0, other.hash_, other.equal_) {
    swap(other);
  }
  concurrent_unordered& operator=(concurrent_unordered other) {
    swap(other);
    return *this;
  }
  ~concurrent_unordered() { drop_all(); }

  /// The element of that key, and whether this call has made it.
  std::pair<iterator, bool> insert(Value const& value) {
    iterator const found = find_node(key_of(value));
    return found == end() ? emplace(value) : std::pair(found, false);
  }
  std::pair<iterator, bool> insert(Value&& value) {
    iterator const found = find_node(key_of(value));
    return found == end() ? emplace(std::move(value)) : std::pair(found, false);
  }
  iterator insert(const_iterator, Value const& value) { return insert(value).first; }
  template <std::input_iterator It>
  void insert(It first, It last) {
    for (; first != last; ++first) insert(*first);
  }
  void insert(std::initializer_list<Value> all) { insert(all.begin(), all.end()); }
  template <class... Arguments>
  std::pair<iterator, bool> emplace(Arguments&&... of) {
    auto made = std::make_unique<node>(std::forward<Arguments>(of)...);
    made->hash = hash_(key_of(made->value));
    shard& in = shard_of(made->hash);
    std::scoped_lock const alone(in.lock);
    auto const [at, is_new] = in.nodes.insert(made.get());
    if (is_new) prepend(*made.release());
    return {iterator(*at), is_new};
  }
  template <class... Arguments>
  iterator emplace_hint(const_iterator, Arguments&&... of) {
    return emplace(std::forward<Arguments>(of)...).first;
  }

  [[nodiscard]] iterator find(Key const& key) { return find_node(key); }
  [[nodiscard]] const_iterator find(Key const& key) const { return find_node(key); }
  [[nodiscard]] bool contains(Key const& key) const { return find(key) != end(); }
  [[nodiscard]] size_type count(Key const& key) const { return contains(key) ? 1 : 0; }
  [[nodiscard]] std::pair<iterator, iterator> equal_range(Key const& key) { return one_of(find(key)); }
  [[nodiscard]] std::pair<const_iterator, const_iterator> equal_range(Key const& key) const {
    return one_of(find(key));
  }

  [[nodiscard]] iterator begin() noexcept { return iterator(first()); }
  [[nodiscard]] iterator end() noexcept { return iterator(); }
  [[nodiscard]] const_iterator begin() const noexcept { return const_iterator(first()); }
  [[nodiscard]] const_iterator end() const noexcept { return const_iterator(); }
  [[nodiscard]] const_iterator cbegin() const noexcept { return begin(); }
  [[nodiscard]] const_iterator cend() const noexcept { return end(); }
  [[nodiscard]] range_type range() { return range_type(*this, 1); }
  [[nodiscard]] const_range_type range() const { return const_range_type(*this, 1); }

  [[nodiscard]] size_type size() const noexcept {
    return size_.load(std::memory_order_relaxed);  // relaxed: says nothing of the elements
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] size_type max_size() const noexcept { return shards_[0].nodes.max_size(); }
  [[nodiscard]] Hash hash_function() const { return hash_; }
  [[nodiscard]] Equal key_eq() const { return equal_; }
  [[nodiscard]] Allocator get_allocator() const { return {}; }

  iterator unsafe_erase(const_iterator at) {
    node* const gone = at.at_;
    iterator const behind(gone->next);
    shard_of(gone->hash).nodes.erase(gone);
    if (gone->next != nullptr) gone->next->previous = gone->previous;
    if (gone->previous != nullptr) {
      gone->previous->next = gone->next;
    } else {
      first_.store(gone->next, std::memory_order_relaxed);  // relaxed: this thread is alone
    }
    size_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: the same
    delete gone;
    return behind;
  }
  iterator unsafe_erase(const_iterator from, const_iterator to) {
    while (from != to) from = unsafe_erase(from);
    return iterator(to.at_);
  }
  size_type unsafe_erase(Key const& key) {
    const_iterator const at = find(key);
    if (at == end()) return 0;
    unsafe_erase(at);
    return 1;
  }
  void clear() {
    drop_all();
    first_.store(nullptr, std::memory_order_relaxed);  // relaxed: this thread is alone
    size_.store(0, std::memory_order_relaxed);         // relaxed: the same
    for (shard& s : shards_) s.nodes = index(0, hash_of(), is_equal{equal_});
  }
  void reserve(size_type n) {
    for (shard& s : shards_) s.nodes.reserve(n / shards + 1);
  }
  void rehash(size_type n) { reserve(n); }
  void swap(concurrent_unordered& other) {
    for (std::size_t s = 0; s < shards; ++s) shards_[s].nodes.swap(other.shards_[s].nodes);
    std::swap(hash_, other.hash_);
    std::swap(equal_, other.equal_);
    // relaxed, all: this thread is alone
    first_.store(other.first_.exchange(first(), std::memory_order_relaxed), std::memory_order_relaxed);
    size_.store(other.size_.exchange(size(), std::memory_order_relaxed), std::memory_order_relaxed);
  }
  friend void swap(concurrent_unordered& a, concurrent_unordered& b) { a.swap(b); }

 private:
  static std::size_t shard_number(std::size_t hash) noexcept {
    constexpr std::size_t spread = 0x9e3779b97f4a7c15U;  // 2^64 / the golden ratio: the index takes the low bits
    return (hash * spread) >> 58U;
  }
  [[nodiscard]] shard& shard_of(std::size_t hash) noexcept { return shards_[shard_number(hash)]; }
  [[nodiscard]] node* first() const noexcept {
    return first_.load(std::memory_order_acquire);  // acquire: the nodes of the list. Pairs with: prepend
  }
  [[nodiscard]] iterator find_node(Key const& key) const {
    std::size_t const hash = hash_(key);
    shard const& in = shards_[shard_number(hash)];
    std::shared_lock const with_readers(in.lock);
    auto const at = in.nodes.find(sought{key, hash});
    return at == in.nodes.end() ? iterator() : iterator(*at);
  }
  template <class Iterator>
  static std::pair<Iterator, Iterator> one_of(Iterator at) {
    return {at, at == Iterator() ? at : std::next(at)};
  }
  void prepend(node& n) noexcept {
    n.next = first_.load(std::memory_order_relaxed);  // relaxed: the exchange below tells
    // acq_rel: the node, and all that it leads to: a lookup may reach it by another way than first(). Pairs with: first, and itself
    while (!first_.compare_exchange_weak(n.next, &n, std::memory_order_acq_rel, std::memory_order_relaxed)) {}
    if (n.next != nullptr) n.next->previous = &n;
    size_.fetch_add(1, std::memory_order_relaxed);  // relaxed: as in size
  }
  void drop_all() noexcept {
    for (node* n = first(); n != nullptr;) delete std::exchange(n, n->next);
  }

  std::array<shard, shards> shards_;
  std::atomic<node*> first_{nullptr};
  std::atomic<size_type> size_{0};
  [[no_unique_address]] Hash hash_{};
  [[no_unique_address]] Equal equal_{};
};

template <class Key, class T>
Key const& key_of_pair(std::pair<Key const, T> const& value) noexcept {
  return value.first;
}
template <class Key>
Key const& key_itself(Key const& value) noexcept {
  return value;
}

template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>,
          class Allocator = std::allocator<Key>>
using concurrent_unordered_set = concurrent_unordered<Key, Key, &key_itself<Key>, Hash, Equal, Allocator>;

/// With the functions that look for a value by its key.
template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>,
          class Allocator = std::allocator<std::pair<Key const, T>>>
class concurrent_unordered_map
    : public concurrent_unordered<Key, std::pair<Key const, T>, &key_of_pair<Key, T>, Hash, Equal, Allocator> {
  using all = concurrent_unordered<Key, std::pair<Key const, T>, &key_of_pair<Key, T>, Hash, Equal, Allocator>;

 public:
  using mapped_type = T;
  using all::all;

  T& operator[](Key const& key) {
    auto const found = this->find(key);
    if (found != this->end()) return found->second;
    return this->emplace(std::piecewise_construct, std::forward_as_tuple(key), std::forward_as_tuple()).first->second;
  }
  [[nodiscard]] T& at(Key const& key) { return const_cast<T&>(std::as_const(*this).at(key)); }
  [[nodiscard]] T const& at(Key const& key) const {
    auto const found = this->find(key);
    if (found == this->end()) throw std::out_of_range("concurrent_unordered_map::at: no such key");
    return found->second;
  }
};

}}}  // namespace skua::v0::tbb
