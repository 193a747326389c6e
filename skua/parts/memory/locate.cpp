// SPDX-License-Identifier: MIT
#include "skua/parts/memory/locate.hpp"

#include <algorithm>
#include <cerrno>
#include <map>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/memory/bind.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::size_t pages_per_call = 4096;

page_home meaning_of(int found) noexcept {
  if (found >= 0) return {.state = page_state::on_node, .node = numa_id{static_cast<std::uint32_t>(found)}};
  if (found == -ENOENT) return {.state = page_state::untouched};
  if (found == -EFAULT) return {.state = page_state::unmapped};
  return {};
}

/// Old kernels report an untouched page as unmapped: asks again which of the two it is.
void tell_apart(std::span<std::byte> stretch, std::span<page_home> homes, page_kernel const& kernel) {
  std::size_t const page = small_page_bytes();
  if (std::ranges::find(homes, page_state::unmapped, &page_home::state) == homes.end()) return;
  bool const all_mapped = kernel.find(stretch) == 0;
  for (std::size_t i = 0; i < homes.size(); ++i) {
    if (homes[i].state != page_state::unmapped) continue;
    if (all_mapped || kernel.find(stretch.subspan(i * page, page)) == 0) homes[i].state = page_state::untouched;
  }
}

std::error_code locate_stretch(std::span<std::byte> stretch, std::span<page_home> homes, page_kernel const& kernel) {
  std::vector<void*> asked(homes.size());
  std::vector<int> found(homes.size());
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i] = stretch.data() + i * small_page_bytes();
  if (int const error = kernel.locate(asked, found); error != 0) return {error, std::generic_category()};
  std::ranges::transform(found, homes.begin(), meaning_of);
  tell_apart(stretch, homes, kernel);
  return {};
}

}  // namespace

page_homes locate_pages(std::span<std::byte const> bytes, page_kernel const& kernel) {
  page_homes all;
  if (bytes.empty()) return all;
  std::size_t const page = small_page_bytes();
  std::size_t const into_page = reinterpret_cast<std::uintptr_t>(bytes.data()) % page;
  std::size_t const count = (into_page + bytes.size() + page - 1) / page;
  // The kernel only looks at the addresses and writes nothing.
  std::byte* const first = const_cast<std::byte*>(bytes.data()) - into_page;
  all.pages.resize(count);
  for (std::size_t done = 0; done < count; done += pages_per_call) {
    std::size_t const these = std::min(pages_per_call, count - done);
    std::span<std::byte> const stretch{first + done * page, these * page};
    all.refusal = locate_stretch(stretch, std::span{all.pages}.subspan(done, these), kernel);
    if (all.refusal) {
      std::ranges::fill(all.pages, page_home{});
      break;
    }
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
    if (home == no_numa_node) continue;
    expects((run.first + run.bytes) / page <= pages.size(), "runs lie inside the pages");
    for (page_home const& p : pages.subspan(run.first / page, run.bytes / page)) {
      if (p.state != page_state::on_node) continue;
      ++counted;
      at_home += p.node == home ? 1 : 0;
    }
  }
  return counted == 0 ? 1.0 : static_cast<double>(at_home) / static_cast<double>(counted);
}

}}}  // namespace skua::v0::runtime
