// SPDX-License-Identifier: MIT
// What oneTBB has and Skua has not: the names, so that the compiler says in a sentence what to use. docs/from-onetbb.md says the same.
#pragma once

namespace skua { inline namespace v0 { namespace tbb {

template <class... T>
inline constexpr bool is_offered = false;

template <class Range, class Body>
void parallel_scan(Range const&, Body&) {
  static_assert(is_offered<Range>, "parallel_scan: Skua has the form (range, identity, scan, join) only");
}
template <class... Filters>
void parallel_pipeline(Filters&&...) {
  static_assert(is_offered<Filters...>, "parallel_pipeline: Skua has none; skua::flow is the nearest (docs/flows.md)");
}

template <class Any>
class missing_mutex {
  static_assert(is_offered<Any>,
                "Skua has no mutexes: use std::mutex, or oneTBB's own header; hold none across a wait, or use "
                "skua::isolate");
};
using mutex = missing_mutex<void>;
using spin_mutex = missing_mutex<void>;
using queuing_mutex = missing_mutex<void>;
using rw_mutex = missing_mutex<void>;
using spin_rw_mutex = missing_mutex<void>;

template <class... T>
class missing_container {
  static_assert(is_offered<T...>, "Skua has no containers: oneTBB's work inside of Skua's tasks, with its own header");
};
template <class... T>
using concurrent_vector = missing_container<T...>;
template <class... T>
using concurrent_queue = missing_container<T...>;
template <class... T>
using concurrent_hash_map = missing_container<T...>;
template <class... T>
using concurrent_unordered_map = missing_container<T...>;

namespace flow {
template <class Any>
class missing_graph {
  static_assert(is_offered<Any>, "flow::graph: Skua has skua::flow, which is made differently (docs/flows.md)");
};
using graph = missing_graph<void>;
}  // namespace flow

}}}  // namespace skua::v0::tbb
