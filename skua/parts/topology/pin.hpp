// SPDX-License-Identifier: MIT
// Pins a worker's thread to its PU, and reports whether that succeeded.
#pragma once

#include <cstdint>
#include <string>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua { inline namespace v0 { namespace runtime {

enum class pinning : std::uint8_t {
  pinned,     ///< the thread runs only on its worker's PU
  not_asked,  ///< pinning is off
  pointless,  ///< without benefit or meaning: another machine's topology, several workers per PU
  refused,    ///< asked for, but the system refused
};

struct pin_result {
  pinning outcome = pinning::not_asked;
  std::string why = {};  ///< one clause of text
};

/// What pin_this_thread would answer, without asking the kernel: `refused` comes only from hwloc's support bit.
[[nodiscard]] pin_result may_pin(layout const& where, bool asked);

/// Pins the calling thread to the PU of worker `w`. One system call; does not restore the
/// thread's mask (saved_affinity does that).
[[nodiscard]] pin_result pin_this_thread(layout const& where, worker_id w, bool asked);

}}}  // namespace skua::v0::runtime
