// SPDX-License-Identifier: MIT
// What the kernel does for pages, as far as we ask it: an interface, so that tests can be a kernel that refuses, or one
// with four NUMA nodes. Every function answers 0 or the error number; none throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "skua/parts/memory/numa_nodes.hpp"

namespace skua::runtime {

/// On which node of a set a page is put when it is touched first. All but `local` fall back to other nodes where the
/// wanted one is full: a full node costs speed, it never ends the program (docs/decisions/0009).
enum class page_rule : std::uint8_t {
  local,       ///< the toucher's own; takes an empty set
  prefer,      ///< the one of the set
  interleave,  ///< page by page round the set
};

enum class page_advice : std::uint8_t {
  small,     ///< one page at a time (MADV_NOHUGEPAGE)
  huge,      ///< huge pages where the range is aligned for them (MADV_HUGEPAGE)
  populate,  ///< bring all pages in now, as if written by this thread, contents kept (MADV_POPULATE_WRITE)
};

class page_kernel {
 public:
  /// mbind(2) with MPOL_MF_MOVE: the rule for pages yet to come; those that are there move, as far as they can.
  /// EPERM, ENOSYS: forbidden, mostly in containers. EINVAL: a node that does not exist or may not be used here.
  /// ENOMEM: more differently bound stretches than the process may have mappings (vm.max_map_count).
  [[nodiscard]] virtual int bind(std::span<std::byte> pages, page_rule rule, numa_set const& nodes) const noexcept = 0;
  /// move_pages(2) without nodes: found[i] = the node of the page at pages[i], or -errno: -ENOENT = mapped but not touched
  /// yet, -EFAULT = not mapped, or only ever read (then it is the kernel's page of zeros); before Linux 6.12 also not
  /// touched yet.
  [[nodiscard]] virtual int locate(std::span<void* const> pages, std::span<int> found) const noexcept = 0;
  /// msync(2) with MS_ASYNC, which does nothing but look: ENOMEM = some of these pages are not mapped.
  [[nodiscard]] virtual int find(std::span<std::byte> pages) const noexcept = 0;
  /// madvise(2), for one page or more. EINVAL: this kernel does not know such advice.
  [[nodiscard]] virtual int advise(std::span<std::byte> pages, page_advice advice) const noexcept = 0;

 protected:
  ~page_kernel() = default;
};

/// The kernel that runs us.
[[nodiscard]] page_kernel const& running_kernel() noexcept;

/// Bytes of a page.
[[nodiscard]] std::size_t small_page_bytes() noexcept;
/// Bytes of a huge page, as the kernel gives them to those who ask; 0 if it has none.
[[nodiscard]] std::size_t huge_page_bytes() noexcept;

/// "Operation not permitted"
[[nodiscard]] std::string error_text(int error);

}  // namespace skua::runtime

namespace skua {

using runtime::page_advice;

}  // namespace skua
