// SPDX-License-Identifier: MIT
// What a program asks of a pool's own threads: a name, and functions to call when they begin and end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>

#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct thread_options {
  std::string name = "skua";
  std::function<void(worker_id)> begins = {};
  std::function<void(worker_id)> ends = {};

  /// "skua/3". The kernel keeps 15 bytes: of a longer name the begin and the number.
  [[nodiscard]] std::string name_of(std::string const& which) const {
    constexpr std::size_t most = 15;
    std::string const end = "/" + which;
    return name.substr(0, most - std::min(most, end.size())) + end;
  }
};

/// Sets the name that ps, top, perf and debuggers show. No effect if the kernel refuses it.
void name_this_thread(std::string const& name) noexcept;

}}}  // namespace skua::v0::runtime
