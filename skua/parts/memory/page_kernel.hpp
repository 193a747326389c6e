// SPDX-License-Identifier: MIT
// The kernel's operations on pages that Skua uses. An interface, so that tests can supply a kernel that refuses, or one
// with four NUMA nodes. Every function returns 0 or an error number; none throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "skua/parts/memory/numa_nodes.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// On which node of a set the first touch puts a page. If the node is full, the kernel uses another one: a full node
/// costs speed, but never ends the program (docs/decisions/0009).
enum class page_rule : std::uint8_t {
  local,       ///< on the node of the touching thread; takes an empty set
  prefer,      ///< on the one node of the set
  interleave,  ///< round-robin over the set
};

/// The advice of madvise(2) that Skua gives.
enum class page_advice : std::uint8_t {
  small,     ///< one page at a time (MADV_NOHUGEPAGE)
  huge,      ///< huge pages where the range is aligned for them (MADV_HUGEPAGE)
  populate,  ///< allocate all pages now, as if this thread wrote them; keeps the contents (MADV_POPULATE_WRITE)
};

/// System calls on pages.
class page_kernel {
 public:
  /// mbind(2) with MPOL_MF_MOVE: sets the rule for future pages, and moves existing pages as far as possible.
  /// EPERM, ENOSYS: forbidden, mostly in containers. EINVAL: a node that does not exist, or that this process may not
  /// use. ENOMEM: more differently bound stretches than the process may have mappings (vm.max_map_count).
  [[nodiscard]] virtual int bind(std::span<std::byte> pages, page_rule rule, numa_set const& nodes) const noexcept = 0;
  /// move_pages(2) without nodes: sets found[i] to the node of the page at pages[i], or to -errno. -ENOENT: mapped but
  /// not touched yet. -EFAULT: not mapped, or only ever read (the kernel's page of zeros); before Linux 6.12 also for
  /// pages that are not touched yet.
  [[nodiscard]] virtual int locate(std::span<void* const> pages, std::span<int> found) const noexcept = 0;
  /// msync(2) with MS_ASYNC, used only as a check. ENOMEM: some of these pages are not mapped.
  [[nodiscard]] virtual int find(std::span<std::byte> pages) const noexcept = 0;
  /// madvise(2), for at least one page. EINVAL: this kernel does not know the advice.
  [[nodiscard]] virtual int advise(std::span<std::byte> pages, page_advice advice) const noexcept = 0;

 protected:
  ~page_kernel() = default;
};

/// The kernel that this process runs on.
[[nodiscard]] page_kernel const& running_kernel() noexcept;

/// The size of a small page, in bytes.
[[nodiscard]] std::size_t small_page_bytes() noexcept;
/// The size of the huge pages that madvise(2) requests, in bytes; 0 if the kernel has none.
[[nodiscard]] std::size_t huge_page_bytes() noexcept;

/// The text of an error number, such as "Operation not permitted".
[[nodiscard]] std::string error_text(int error);

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 { namespace memory {

using runtime::page_advice;

}}}  // namespace skua::v0::memory
