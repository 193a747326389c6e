// SPDX-License-Identifier: MIT
#include "skua/parts/memory/bind.hpp"

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

std::error_code as_error(int number) noexcept { return {number, std::generic_category()}; }

}  // namespace

numa_id home_of(place_id place, std::span<numa_id const> homes) noexcept {
  return index(place) < homes.size() ? homes[index(place)] : no_numa_node;
}

std::error_code bind_pages(std::span<std::byte> pages, numa_id node, page_kernel const& kernel) {
  if (index(node) >= most_numa_nodes) return std::make_error_code(std::errc::invalid_argument);
  numa_set only;
  only.insert(node);
  return as_error(kernel.bind(pages, page_rule::prefer, only));
}

std::error_code interleave_pages(std::span<std::byte> pages, std::span<numa_id const> nodes,
                                 page_kernel const& kernel) {
  numa_set all;
  for (numa_id const node : nodes) {
    if (index(node) >= most_numa_nodes) return std::make_error_code(std::errc::invalid_argument);
    all.insert(node);
  }
  if (all.empty()) return std::make_error_code(std::errc::invalid_argument);
  return as_error(kernel.bind(pages, page_rule::interleave, all));
}

std::error_code bind_pages(std::span<std::byte> pages, std::span<page_run const> runs, std::span<numa_id const> homes,
                           page_kernel const& kernel) {
  for (std::size_t i = 0; i < runs.size();) {
    numa_id const node = home_of(runs[i].place, homes);
    std::size_t const first = runs[i].first;
    std::size_t end = first;
    for (; i < runs.size() && runs[i].first == end && home_of(runs[i].place, homes) == node; ++i) end += runs[i].bytes;
    expects(end <= pages.size(), "runs lie inside the pages");
    if (node == no_numa_node) continue;
    if (std::error_code const fault = bind_pages(pages.subspan(first, end - first), node, kernel)) {
      static_cast<void>(
          unbind_pages(pages, kernel));  // a kernel that refuses to bind may refuse this too; then nothing was bound
      return fault;
    }
  }
  return {};
}

std::error_code unbind_pages(std::span<std::byte> pages, page_kernel const& kernel) {
  return as_error(kernel.bind(pages, page_rule::local, {}));
}

}}}  // namespace skua::v0::runtime
