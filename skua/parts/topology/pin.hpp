// SPDX-License-Identifier: MIT
// Pins a worker's thread to its PU, and reports truthfully whether that happened.
#pragma once

#include <cstdint>
#include <string>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua { inline namespace v0 { namespace runtime {

enum class pinning : std::uint8_t {
  pinned,     ///< the thread runs only on its worker's PU
  not_asked,  ///< nobody asked for it
  pointless,  ///< it would not help or not mean anything: another machine's topology, several workers per PU
  refused,    ///< it was asked for, and the system refused
};

struct pin_result {
  pinning what = pinning::not_asked;
  std::string why = {};  ///< one clause for people
};

/// What pin_this_thread would answer, without asking the kernel: `refused` comes only from hwloc's support bit.
[[nodiscard]] pin_result may_pin(layout const& where, bool asked);

/// Pins the calling thread to the PU of worker `w`. One system call; does not restore the
/// thread's mask (saved_affinity does that).
[[nodiscard]] pin_result pin_this_thread(layout const& where, worker_id w, bool asked);

}}}  // namespace skua::v0::runtime
