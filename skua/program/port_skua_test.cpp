// SPDX-License-Identifier: MIT
// The same cases on Skua's interface, exported the way a machine exports it.
#include <utility>

#include "skua/program/blocked_range.hpp"
#include "skua/program/executor_test.hpp"
#include "skua/program/parallel.hpp"
#include "skua/program/parallel_reduce.hpp"
#include "skua/program/partitioner.hpp"
#include "skua/program/task_group.hpp"

namespace api {

using executor = skua::runtime::testing::toy_executor;
using skua::affinity_partitioner, skua::auto_partitioner, skua::simple_partitioner, skua::static_partitioner;
using skua::blocked_range, skua::blocked_range2d, skua::blocked_range3d, skua::split, skua::proportional_split;
using skua::canceled, skua::complete, skua::not_complete, skua::task_group_status, skua::task_group_context;
using skua::feeder;
using task_group = skua::runtime::basic_task_group<executor>;

template <class... Args>
decltype(auto) parallel_for(Args&&... args) {
  return skua::runtime::on::parallel_for<executor>(std::forward<Args>(args)...);
}
template <class... Args>
decltype(auto) parallel_for_each(Args&&... args) {
  return skua::runtime::on::parallel_for_each<executor>(std::forward<Args>(args)...);
}
template <class... Args>
decltype(auto) parallel_reduce(Args&&... args) {
  return skua::runtime::on::parallel_reduce<executor>(std::forward<Args>(args)...);
}
template <class... Args>
decltype(auto) parallel_deterministic_reduce(Args&&... args) {
  return skua::runtime::on::parallel_deterministic_reduce<executor>(std::forward<Args>(args)...);
}
template <class... Args>
decltype(auto) parallel_scan(Args&&... args) {
  return skua::runtime::on::parallel_scan<executor>(std::forward<Args>(args)...);
}
template <class... Args>
decltype(auto) parallel_sort(Args&&... args) {
  return skua::runtime::on::parallel_sort<executor>(std::forward<Args>(args)...);
}
template <class... Args>
decltype(auto) parallel_invoke(Args&&... args) {
  return skua::runtime::on::parallel_invoke<executor>(std::forward<Args>(args)...);
}

bool is_current_task_group_canceling() {
  auto const* const on = skua::runtime::testing::current;
  return on != nullptr && on->stop_requested();
}

}  // namespace api

#include "skua/program/port_cases_test.hpp"
