// SPDX-License-Identifier: MIT
// A fake kernel with any number of NUMA nodes. It records on which node each page would be, and refuses the operations
// that the test tells it to. Also the nodes of the real kernel, for tests that need several.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "skua/parts/memory/page_kernel.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace testing {

class fake_kernel final : public page_kernel {
 public:
  explicit fake_kernel(std::uint32_t nodes = 4) : nodes_(nodes) {}

  int bind_error = 0;
  int locate_error = 0;
  int untouched_error = -ENOENT;  ///< -EFAULT before Linux 6.12
  int huge_error = 0;
  int populate_error = 0;
  std::size_t most_binds = std::numeric_limits<std::size_t>::max();  ///< as vm.max_map_count limits them
  std::function<numa_id()> toucher = [] { return numa_id{0}; };      ///< the node of the touching thread

  int bind(std::span<std::byte> pages, page_rule rule, numa_set const& nodes) const noexcept override {
    std::lock_guard const lock(mutex_);
    if (bind_error != 0) return bind_error;
    std::vector<numa_id> wanted;
    for (std::uint32_t n = 0; n < most_numa_nodes; ++n) {
      if (nodes.contains(numa_id{n})) wanted.push_back(numa_id{n});
    }
    if (!aligned(pages) || wanted.empty() != (rule == page_rule::local)) return EINVAL;
    if (!wanted.empty() && index(wanted.back()) >= nodes_) return EINVAL;
    if (rule != page_rule::local && ++binds_ > most_binds) return ENOMEM;
    for_each_page(pages, [&](std::uintptr_t page) {
      rules_[page] = wanted;
      if (placed_.contains(page) && !wanted.empty()) placed_[page] = choose(page);
    });
    return 0;
  }

  int locate(std::span<void* const> pages, std::span<int> found) const noexcept override {
    std::lock_guard const lock(mutex_);
    if (locate_error != 0) return locate_error;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      auto const at = placed_.find(reinterpret_cast<std::uintptr_t>(pages[i]));
      found[i] = at == placed_.end() ? untouched_error : static_cast<int>(index(at->second));
    }
    return 0;
  }

  /// Asks the real kernel: the fake one knows only mapped pages.
  int find(std::span<std::byte> pages) const noexcept override { return running_kernel().find(pages); }

  int advise(std::span<std::byte> pages, page_advice advice) const noexcept override {
    std::lock_guard const lock(mutex_);
    if (!aligned(pages)) return EINVAL;
    if (advice == page_advice::huge) return huge_error;
    if (advice != page_advice::populate) return 0;
    if (populate_error != 0) return populate_error;
    for_each_page(pages, [&](std::uintptr_t page) { placed_.try_emplace(page, choose(page)); });
    return 0;
  }

  [[nodiscard]] std::size_t binds() const noexcept { return binds_; }
  /// The nodes of the rule of a page.
  [[nodiscard]] std::vector<numa_id> wanted(std::byte const* page) const {
    auto const at = rules_.find(reinterpret_cast<std::uintptr_t>(page));
    return at == rules_.end() ? std::vector<numa_id>{} : at->second;
  }

 private:
  static bool aligned(std::span<std::byte> pages) noexcept {
    return reinterpret_cast<std::uintptr_t>(pages.data()) % small_page_bytes() == 0;
  }
  template <class F>
  static void for_each_page(std::span<std::byte> pages, F const& f) {
    auto const first = reinterpret_cast<std::uintptr_t>(pages.data());
    for (std::size_t at = 0; at < pages.size(); at += small_page_bytes()) f(first + at);
  }
  numa_id choose(std::uintptr_t page) const {
    auto const rule = rules_.find(page);
    if (rule == rules_.end() || rule->second.empty()) return toucher();
    return rule->second[page / small_page_bytes() % rule->second.size()];
  }

  std::uint32_t nodes_;
  mutable std::mutex mutex_;
  mutable std::size_t binds_ = 0;
  mutable std::map<std::uintptr_t, std::vector<numa_id>> rules_;
  mutable std::map<std::uintptr_t, numa_id> placed_;
};

/// The NUMA nodes that have memory, as the kernel lists them ("0-3,5"); one node if it lists none.
inline std::vector<numa_id> nodes_with_memory() {
  std::string list;
  std::getline(std::ifstream("/sys/devices/system/node/has_memory"), list);
  std::vector<numa_id> nodes;
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    std::istringstream words(range);
    std::uint32_t first = 0;
    words >> first;
    std::uint32_t last = first;
    if (words.get() == '-') words >> last;
    for (std::uint32_t n = first; n <= last; ++n) nodes.push_back(numa_id{n});
  }
  if (nodes.empty()) nodes.push_back(numa_id{0});
  return nodes;
}

}}}}  // namespace skua::v0::runtime::testing
