// SPDX-License-Identifier: MIT
// oneTBB's concurrent_hash_map, whose accessors lock an element each. The index is cut into shards with a lock of their own, which is never held while
// a call waits for an element.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "skua/tbb/enumerable_thread_specific.hpp"
#include "skua/tbb/parking_lock.hpp"

namespace skua { inline namespace v0 { namespace tbb {

template <class Key>
struct tbb_hash_compare {
  [[nodiscard]] static std::size_t hash(Key const& key) { return std::hash<Key>()(key); }
  [[nodiscard]] static bool equal(Key const& a, Key const& b) { return a == b; }
};

/// Any thread may call find, insert, emplace, erase, count, size and empty at once; the other functions, and iterators, are for one thread,
/// alone. An accessor keeps its element, even if somebody erases that meanwhile. erase waits until no accessor has the element, so a thread
/// that holds one must not erase the same key by value. Throws what the user's functions and the allocations throw; then nothing has changed.
/// The memory is the process's own: Allocator is only a name.
template <class Key, class T, class HashCompare = tbb_hash_compare<Key>,
          class Allocator = std::allocator<std::pair<Key const, T>>>
class concurrent_hash_map {
 public:
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<Key const, T>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = value_type&;
  using const_reference = value_type const&;
  using pointer = value_type*;
  using const_pointer = value_type const*;
  using allocator_type = Allocator;
  using range_type = objects_range<value_type>;
  using const_range_type = objects_range<value_type const>;

 private:
  struct element {
    template <class... Arguments>
    explicit element(Arguments&&... of) : value(std::forward<Arguments>(of)...) {}
    value_type value;
    std::size_t hash = 0;
    parking_lock<false> lock{};
    std::atomic<bool> is_erased{false};  ///< set under the shard's lock, read under the element's
  };
  using owner = std::shared_ptr<element>;
  struct sought {
    Key const& key;
    std::size_t hash;
  };
  struct hash_of {
    using is_transparent = void;
    std::size_t operator()(owner const& e) const noexcept { return e->hash; }
    std::size_t operator()(sought const& s) const noexcept { return s.hash; }
  };
  struct is_equal {
    using is_transparent = void;
    HashCompare compare{};
    bool operator()(owner const& a, owner const& b) const { return compare.equal(a->value.first, b->value.first); }
    bool operator()(sought const& s, owner const& e) const {
      return s.hash == e->hash && compare.equal(s.key, e->value.first);
    }
    bool operator()(owner const& e, sought const& s) const { return (*this)(s, e); }
  };
  using index = std::unordered_set<owner, hash_of, is_equal>;
  struct shard {
    mutable std::mutex lock;
    index elements;
  };
  static constexpr std::size_t shards = 64;

  template <class Value>
  class basic_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = concurrent_hash_map::value_type;
    using difference_type = std::ptrdiff_t;
    using reference = Value&;
    using pointer = Value*;

    basic_iterator() = default;
    basic_iterator(shard const* in, shard const* end) : in_(in), end_(end) {
      if (in_ != end_) at_ = in_->elements.begin();
      skip_empty();
    }
    operator basic_iterator<Value const>() const
      requires(!std::is_const_v<Value>)
    {
      return basic_iterator<Value const>(in_, end_, at_);
    }
    basic_iterator(shard const* in, shard const* end, typename index::const_iterator at)
        : in_(in), end_(end), at_(at) {}

    [[nodiscard]] reference operator*() const noexcept { return (*at_)->value; }
    [[nodiscard]] pointer operator->() const noexcept { return &(*at_)->value; }
    basic_iterator& operator++() {
      ++at_;
      skip_empty();
      return *this;
    }
    basic_iterator operator++(int) {
      basic_iterator const before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(basic_iterator const& a, basic_iterator const& b) noexcept {
      return a.in_ == b.in_ && (a.in_ == a.end_ || a.at_ == b.at_);
    }

   private:
    void skip_empty() {
      while (in_ != end_ && at_ == in_->elements.end())
        if (++in_ != end_) at_ = in_->elements.begin();
    }
    shard const* in_ = nullptr;
    shard const* end_ = nullptr;
    typename index::const_iterator at_{};
  };

 public:
  using iterator = basic_iterator<value_type>;
  using const_iterator = basic_iterator<value_type const>;

  /// Locks an element, for reading, until its end.
  class const_accessor {
    friend class concurrent_hash_map;

   public:
    using value_type = concurrent_hash_map::value_type const;

    const_accessor() = default;
    ~const_accessor() { release(); }
    const_accessor(const_accessor const&) = delete;
    const_accessor& operator=(const_accessor const&) = delete;

    [[nodiscard]] bool empty() const noexcept { return element_ == nullptr; }
    void release() noexcept {
      if (element_ == nullptr) return;
      if (is_writer_) {
        element_->lock.unlock();
      } else {
        element_->lock.unlock_shared();
      }
      element_.reset();
    }
    [[nodiscard]] value_type& operator*() const noexcept { return element_->value; }
    [[nodiscard]] value_type* operator->() const noexcept { return &element_->value; }

   protected:
    explicit const_accessor(bool as_writer) : is_writer_(as_writer) {}
    owner element_{};
    bool is_writer_ = false;
  };
  /// The same for writing.
  class accessor : public const_accessor {
   public:
    using value_type = concurrent_hash_map::value_type;

    accessor() : const_accessor(true) {}
    [[nodiscard]] value_type& operator*() const noexcept { return this->element_->value; }
    [[nodiscard]] value_type* operator->() const noexcept { return &this->element_->value; }
  };

  concurrent_hash_map() = default;
  explicit concurrent_hash_map(HashCompare const& compare) : compare_(compare) { clear(); }
  explicit concurrent_hash_map(Allocator const&) {}
  explicit concurrent_hash_map(size_type) {}
  concurrent_hash_map(size_type, HashCompare const& compare) : concurrent_hash_map(compare) {}
  template <std::input_iterator It>
  concurrent_hash_map(It first, It last) {
    insert(first, last);
  }
  concurrent_hash_map(std::initializer_list<value_type> all) { insert(all); }
  concurrent_hash_map(concurrent_hash_map const& other) : concurrent_hash_map(other.compare_) {
    insert(other.begin(), other.end());
  }
  concurrent_hash_map(concurrent_hash_map&& other) : concurrent_hash_map(other.compare_) { swap(other); }
  concurrent_hash_map& operator=(concurrent_hash_map other) {
    swap(other);
    return *this;
  }

  /// Locks the element for the accessor; false if there is none.
  bool find(const_accessor& result, Key const& key) const { return look_up(result, key); }
  bool find(accessor& result, Key const& key) { return look_up(result, key); }
  [[nodiscard]] size_type count(Key const& key) const {
    std::size_t const hash = compare_.hash(key);
    shard const& in = shard_of(hash);
    std::scoped_lock const alone(in.lock);
    return in.elements.find(sought{key, hash}) == in.elements.end() ? 0 : 1;
  }

  /// Makes the element T(), or a copy of the given value, unless there is one; true if it has made it. Locks it for the accessor either way.
  bool insert(const_accessor& result, Key const& key) { return add(&result, key, make_default(key)); }
  bool insert(accessor& result, Key const& key) { return add(&result, key, make_default(key)); }
  bool insert(const_accessor& result, value_type const& value) { return add(&result, value.first, make(value)); }
  bool insert(accessor& result, value_type const& value) { return add(&result, value.first, make(value)); }
  bool insert(const_accessor& result, value_type&& value) { return emplace(result, std::move(value)); }
  bool insert(accessor& result, value_type&& value) { return emplace(result, std::move(value)); }
  bool insert(value_type const& value) { return add(nullptr, value.first, make(value)); }
  bool insert(value_type&& value) { return emplace(std::move(value)); }
  template <std::input_iterator It>
  void insert(It first, It last) {
    for (; first != last; ++first) insert(*first);
  }
  void insert(std::initializer_list<value_type> all) { insert(all.begin(), all.end()); }
  template <class... Arguments>
  bool emplace(const_accessor& result, Arguments&&... of) {
    return add_made(&result, std::make_shared<element>(std::forward<Arguments>(of)...));
  }
  template <class... Arguments>
  bool emplace(accessor& result, Arguments&&... of) {
    return add_made(&result, std::make_shared<element>(std::forward<Arguments>(of)...));
  }
  template <class... Arguments>
  bool emplace(Arguments&&... of) {
    return add_made(nullptr, std::make_shared<element>(std::forward<Arguments>(of)...));
  }

  /// True if this call has erased it.
  bool erase(Key const& key) {
    std::size_t const hash = compare_.hash(key);
    owner const gone = take_out(hash, [&](index& from) { return from.find(sought{key, hash}); });
    if (gone == nullptr) return false;
    gone->lock.lock();  // until nobody has it
    gone->lock.unlock();
    return true;
  }
  /// The accessor is empty afterwards.
  bool erase(const_accessor& one) {
    owner const gone = take_out(one.element_->hash, [&](index& from) {
      auto const at = from.find(one.element_);
      return at != from.end() && *at == one.element_ ? at : from.end();
    });
    one.release();
    return gone != nullptr;
  }

  [[nodiscard]] size_type size() const noexcept {
    return size_.load(std::memory_order_relaxed);  // relaxed: says nothing of the elements
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] size_type max_size() const noexcept { return shards_[0].elements.max_size(); }
  [[nodiscard]] size_type bucket_count() const {
    size_type sum = 0;
    for (shard const& s : shards_) sum += s.elements.bucket_count();
    return sum;
  }
  [[nodiscard]] Allocator get_allocator() const { return {}; }
  void rehash(size_type n = 0) {
    for (shard& s : shards_) s.elements.rehash(n / shards);
  }
  void clear() {
    for (shard& s : shards_) s.elements = index(0, hash_of(), is_equal{compare_});
    size_.store(0, std::memory_order_relaxed);  // relaxed: this thread is alone
  }
  void swap(concurrent_hash_map& other) {
    for (std::size_t s = 0; s < shards; ++s) shards_[s].elements.swap(other.shards_[s].elements);
    std::swap(compare_, other.compare_);
    // relaxed: this thread is alone
    size_.store(other.size_.exchange(size(), std::memory_order_relaxed), std::memory_order_relaxed);
  }
  friend void swap(concurrent_hash_map& a, concurrent_hash_map& b) { a.swap(b); }

  [[nodiscard]] iterator begin() { return {shards_.data(), shards_.data() + shards}; }
  [[nodiscard]] iterator end() { return {shards_.data() + shards, shards_.data() + shards}; }
  [[nodiscard]] const_iterator begin() const { return {shards_.data(), shards_.data() + shards}; }
  [[nodiscard]] const_iterator end() const { return {shards_.data() + shards, shards_.data() + shards}; }
  [[nodiscard]] range_type range(size_type grainsize = 1) { return range_type(*this, grainsize); }
  [[nodiscard]] const_range_type range(size_type grainsize = 1) const { return const_range_type(*this, grainsize); }

 private:
  /// std::hash of a number is the number, so the low bits alone would share out badly; the index takes the low bits.
  static std::size_t shard_number(std::size_t hash) noexcept {
    constexpr std::size_t spread = 0x9e3779b97f4a7c15U;  // 2^64 / the golden ratio [Knuth, TAOCP 6.4]
    return (hash * spread) >> 58U;
  }
  [[nodiscard]] shard& shard_of(std::size_t hash) noexcept { return shards_[shard_number(hash)]; }
  [[nodiscard]] shard const& shard_of(std::size_t hash) const noexcept { return shards_[shard_number(hash)]; }

  static auto make(value_type const& value) {
    return [&value] { return std::make_shared<element>(value); };
  }
  static auto make_default(Key const& key) {
    return [&key] {
      return std::make_shared<element>(std::piecewise_construct, std::forward_as_tuple(key), std::forward_as_tuple());
    };
  }
  static bool lock_for(const_accessor& result, owner const& found) {
    if (result.is_writer_) {
      found->lock.lock();
    } else {
      found->lock.lock_shared();
    }
    result.element_ = found;
    // relaxed: whoever erases it meanwhile may come before or after this
    if (!found->is_erased.load(std::memory_order_relaxed)) return true;
    result.release();
    return false;
  }
  bool look_up(const_accessor& result, Key const& key) const {
    result.release();
    std::size_t const hash = compare_.hash(key);
    for (;;) {
      owner found;
      {
        shard const& in = shard_of(hash);
        std::scoped_lock const alone(in.lock);
        auto const at = in.elements.find(sought{key, hash});
        if (at == in.elements.end()) return false;
        found = *at;
      }
      if (lock_for(result, found)) return true;
    }
  }
  template <class Make>
  bool add(const_accessor* result, Key const& key, Make const& make_it) {
    if (result == nullptr ? count(key) != 0 : look_up(*result, key)) return false;
    return add_made(result, make_it());
  }
  bool add_made(const_accessor* result, owner const& made) {
    if (result != nullptr) result->release();
    made->hash = compare_.hash(made->value.first);
    for (;;) {
      owner other;
      {
        shard& in = shard_of(made->hash);
        std::scoped_lock const alone(in.lock);
        auto const [at, is_new] = in.elements.insert(made);
        if (is_new) {
          size_.fetch_add(1, std::memory_order_relaxed);  // relaxed: as in size
          // Nobody has seen it: it is locked at once.
          return result == nullptr || lock_for(*result, made);
        }
        other = *at;
      }
      if (result == nullptr || lock_for(*result, other)) return false;
    }
  }
  template <class Find>
  owner take_out(std::size_t hash, Find const& find_it) {
    shard& in = shard_of(hash);
    std::scoped_lock const alone(in.lock);
    auto const at = find_it(in.elements);
    if (at == in.elements.end()) return nullptr;
    owner gone = *at;
    in.elements.erase(at);
    gone->is_erased.store(true, std::memory_order_relaxed);  // relaxed: as in lock_for
    size_.fetch_sub(1, std::memory_order_relaxed);           // relaxed: as in size
    return gone;
  }

  std::array<shard, shards> shards_;
  std::atomic<size_type> size_{0};
  HashCompare compare_{};
};

}}}  // namespace skua::v0::tbb
