// SPDX-License-Identifier: MIT
// What oneTBB has and Skua has not: the names, so that the compiler says in a sentence what to use. docs/from-onetbb.md says the same.
#pragma once

namespace skua { inline namespace v0 { namespace tbb {

template <class... T>
inline constexpr bool is_offered = false;

template <class... T>
class missing_container {
  static_assert(is_offered<T...>,
                "Skua has neither ordered nor multiple concurrent containers, and no cache: use concurrent_hash_map or "
                "concurrent_unordered_map, or the standard's under a mutex");
};
template <class... T>
using concurrent_map = missing_container<T...>;
template <class... T>
using concurrent_multimap = missing_container<T...>;
template <class... T>
using concurrent_set = missing_container<T...>;
template <class... T>
using concurrent_multiset = missing_container<T...>;
template <class... T>
using concurrent_unordered_multimap = missing_container<T...>;
template <class... T>
using concurrent_unordered_multiset = missing_container<T...>;

template <class... T>
class flattened2d {
  static_assert(is_offered<T...>,
                "flattened2d: Skua has none; write two loops, over the threads' objects and over each");
};
template <class... T>
void flatten2d(T const&...) {
  static_assert(is_offered<T...>, "flatten2d: Skua has none; write two loops, over the threads' objects and over each");
}

namespace flow {
template <class... T>
class missing_node {
  static_assert(is_offered<T...>, "flow::graph: Skua has skua::flow, which is made differently (docs/flows.md)");
};
using graph = missing_node<void>;
using continue_msg = missing_node<void>;
template <class... T>
using broadcast_node = missing_node<T...>;
template <class... T>
using buffer_node = missing_node<T...>;
template <class... T>
using continue_node = missing_node<T...>;
template <class... T>
using function_node = missing_node<T...>;
template <class... T>
using input_node = missing_node<T...>;
template <class... T>
using join_node = missing_node<T...>;
template <class... T>
using limiter_node = missing_node<T...>;
template <class... T>
using multifunction_node = missing_node<T...>;
template <class... T>
using queue_node = missing_node<T...>;
template <class... T>
using sequencer_node = missing_node<T...>;
}  // namespace flow

}}}  // namespace skua::v0::tbb
