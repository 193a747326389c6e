// SPDX-License-Identifier: MIT
// Whether a process of this machine lives, as the system sees it.
#pragma once

#include <cstdint>

#include "skua/machine/ranks/transport/transport.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// A process number, and the space in which it means something: containers of a node may have their own.
struct process_name {
  std::int64_t number = 0;
  std::uint64_t space = 0;  ///< 0: not known

  /// Of the calling process.
  [[nodiscard]] static process_name own() noexcept;
};

/// Reads /proc: 5 to 20 us. ended: also a zombie, which a killed process is until its launcher has noticed. there: also
/// if a debugger holds it, or if the system does not say.
[[nodiscard]] transport::life life_of_process(std::int64_t number) noexcept;

}}}  // namespace skua::v0::ranks
