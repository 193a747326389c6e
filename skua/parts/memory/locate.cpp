// SPDX-License-Identifier: MIT
#include "skua/parts/memory/locate.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/memory/bind.hpp"

namespace skua {
namespace {

constexpr std::size_t pages_per_call = 4096;

page_home meaning_of(int found) noexcept {
  if (found >= 0) return {.state = page_state::on_node, .node = numa_id{static_cast<std::uint32_t>(found)}};
  if (found == -ENOENT) return {.state = page_state::untouched};
  if (found == -EFAULT) return {.state = page_state::unmapped};
  return {};
}

}  // namespace

page_homes locate_pages(std::span<std::byte const> bytes, page_kernel const& kernel) {
  page_homes all;
  if (bytes.empty()) return all;
  std::size_t const page = small_page_bytes();
  std::size_t const into_page = reinterpret_cast<std::uintptr_t>(bytes.data()) % page;
  std::size_t const count = (into_page + bytes.size() + page - 1) / page;
  all.pages.resize(count);
  std::vector<void*> asked(std::min(count, pages_per_call));
  std::vector<int> found(asked.size());
  for (std::size_t done = 0; done < count; done += asked.size()) {
    asked.resize(std::min(asked.size(), count - done));
    for (std::size_t i = 0; i < asked.size(); ++i) {
      // The kernel only looks at the address.
      asked[i] = const_cast<std::byte*>(bytes.data()) - into_page + (done + i) * page;
    }
    std::span<int> const answers(found.data(), asked.size());
    if (int const error = kernel.locate(asked, answers); error != 0) {
      return {.pages = std::vector<page_home>(count), .refusal = {error, std::generic_category()}};
    }
    std::ranges::transform(answers, all.pages.begin() + static_cast<std::ptrdiff_t>(done), meaning_of);
  }
  return all;
}

page_census count_pages(std::span<page_home const> pages) {
  page_census sums;
  std::map<numa_id, std::size_t> by_node;
  for (page_home const& p : pages) {
    if (p.state == page_state::on_node) ++by_node[p.node];
    if (p.state == page_state::untouched) ++sums.untouched;
    if (p.state == page_state::unmapped) ++sums.unmapped;
    if (p.state == page_state::unknown) ++sums.unknown;
  }
  for (auto const& [node, n] : by_node) sums.nodes.push_back({.node = node, .pages = n});
  return sums;
}

std::string to_text(page_census const& census) {
  std::string text;
  auto const add = [&text](std::string const& what, std::size_t pages) {
    if (pages == 0) return;
    text += (text.empty() ? "" : ", ") + what + ": " + std::to_string(pages) + (pages == 1 ? " page" : " pages");
  };
  for (auto const& [node, pages] : census.nodes) add("node " + std::to_string(index(node)), pages);
  add("untouched", census.untouched);
  add("unmapped", census.unmapped);
  add("unknown", census.unknown);
  return text.empty() ? "no pages" : text;
}

double part_at_home(std::span<page_home const> pages, std::span<page_run const> runs, std::span<numa_id const> homes) {
  std::size_t const page = small_page_bytes();
  std::size_t counted = 0;
  std::size_t at_home = 0;
  for (page_run const& run : runs) {
    numa_id const home = home_of(run.place, homes);
    if (home == no_node) continue;
    expects((run.first + run.bytes) / page <= pages.size(), "runs lie inside the pages");
    for (page_home const& p : pages.subspan(run.first / page, run.bytes / page)) {
      if (p.state != page_state::on_node) continue;
      ++counted;
      at_home += p.node == home ? 1 : 0;
    }
  }
  return counted == 0 ? 1.0 : static_cast<double>(at_home) / static_cast<double>(counted);
}

}  // namespace skua
