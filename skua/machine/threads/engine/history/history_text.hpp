// SPDX-License-Identifier: MIT
// What policies have learnt, as JSON (docs/history.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skua/machine/threads/engine/history/code_place.hpp"
#include "skua/machine/threads/engine/history/run_identity.hpp"
#include "skua/policy/call_choice.hpp"
#include "skua/policy/known_time.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// What `auto` has chosen for a call site. The choice's `code` is 0.
struct known_call {
  code_place place;
  policies::call_choice choice;
  friend bool operator==(known_call const&, known_call const&) = default;
};

struct history {
  /// 1 has times and the number of workers only.
  static constexpr std::uint64_t newest_version = 2;

  std::uint64_t version = newest_version;
  run_identity of = {};  ///< no workers: there is no history
  std::vector<policies::known_time> times = {};
  std::vector<known_call> calls = {};
  friend bool operator==(history const&, history const&) = default;
};

[[nodiscard]] std::string text_of(history const& known);
/// Reads what text_of wrote; an empty text, as before a program's first run, is no history. Of a newer version it reads the version
/// only. Throws usage_error, which begins with the name and says which entry is wrong.
[[nodiscard]] history read_history(std::string_view name, std::string_view text);

}}}  // namespace skua::v0::runtime
