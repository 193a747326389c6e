// SPDX-License-Identifier: MIT
#include "skua/parts/memory/page_kernel.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace skua { inline namespace v0 { namespace runtime {
namespace {

int mode_of(page_rule rule) noexcept {
  switch (rule) {
    case page_rule::prefer: return MPOL_PREFERRED;
    case page_rule::interleave: return MPOL_INTERLEAVE;
    default: return MPOL_DEFAULT;
  }
}

int advice_of(page_advice advice) noexcept {
  switch (advice) {
    case page_advice::small: return MADV_NOHUGEPAGE;
    case page_advice::huge: return MADV_HUGEPAGE;
    default: return MADV_POPULATE_WRITE;
  }
}

bool resident(std::byte& byte) noexcept {
  std::size_t const page = small_page_bytes();
  std::byte* const start = &byte - reinterpret_cast<std::uintptr_t>(&byte) % page;
  unsigned char in_core = 0;
  return mincore(start, page, &in_core) == 0 && (in_core & 1U) != 0;
}

/// Bare system calls: three of them do not justify a dependency on libnuma.
class linux_kernel final : public page_kernel {
 public:
  int bind(std::span<std::byte> pages, page_rule rule, numa_set const& nodes) const noexcept override {
    bool const none = nodes.empty();
    unsigned long const* const words = none ? nullptr : nodes.words().data();
    // The kernel reads one bit less than it is told.
    unsigned long const bits = none ? 0 : most_numa_nodes + 1;
    return syscall(__NR_mbind, pages.data(), pages.size(), mode_of(rule), words, bits, MPOL_MF_MOVE) == 0 ? 0 : errno;
  }

  int locate(std::span<void* const> pages, std::span<int> found) const noexcept override {
    int const* const nowhere_to_move = nullptr;
    return syscall(__NR_move_pages, 0, pages.size(), pages.data(), nowhere_to_move, found.data(), 0) == 0 ? 0 : errno;
  }

  int find(std::span<std::byte> pages) const noexcept override {
    return msync(pages.data(), pages.size(), MS_ASYNC) == 0 ? 0 : errno;
  }

  int advise(std::span<std::byte> pages, page_advice advice) const noexcept override {
    if (madvise(pages.data(), pages.size(), advice_of(advice)) != 0) return errno;
    // A user-mode emulator may nod at advice that it does not know.
    bool const nodded = advice == page_advice::populate && !resident(pages.back());
    return nodded ? EINVAL : 0;
  }
};

}  // namespace

page_kernel const& running_kernel() noexcept {
  static linux_kernel const kernel;
  return kernel;
}

std::size_t small_page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t huge_page_bytes() noexcept {
  std::size_t bytes = 0;
  std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> bytes;
  return bytes;
}

std::string error_text(int error) { return std::generic_category().message(error); }

}}}  // namespace skua::v0::runtime
