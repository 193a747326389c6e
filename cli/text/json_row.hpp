// SPDX-License-Identifier: MIT
// What all JSON documents and rows (CSV, too) have in common, whichever subcommand writes them. docs/json.md lists every
// key for readers; tests/cli/json_test.py holds that page and the command together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/text/report.hpp"

namespace skua::cli {

/// The keys that every row begins with.
struct common_keys {
  std::string runner;  ///< a policy with its options as typed, or a peer
  std::uint32_t workers = 1;
  std::optional<double> median_s = {};  ///< unset: these runs have no times
  std::optional<bool> verified = {};    ///< unset: nothing was checked
  bool simulated = false;
};

/// What the table for people calls them; empty: it leaves them out.
struct common_heads {
  std::string runner = "policy";
  std::string workers = "workers";
  std::string median = "time";
  std::string verified = {};
};

/// A row that begins with the common keys. `more` are the subcommand's own.
[[nodiscard]] std::vector<named_cell> row_of(common_keys const& common, std::vector<named_cell> more,
                                             common_heads const& heads = {});

/// {"subcommand", "app", "options", "simulated", "interrupted"}: how every document about an app begins, once all that it
/// says is known.
[[nodiscard]] json document_of(std::string_view subcommand, std::string_view app, json options, bool simulated);

/// {"same core": 3, ...}: the distances at which anybody stole.
template <class Name>
[[nodiscard]] json by_distance(std::span<std::uint64_t const> steals, Name&& name_of) {
  json all = json::object();
  for (std::size_t d = 0; d < steals.size(); ++d) {
    if (steals[d] > 0) all[name_of(d)] = steals[d];
  }
  return all;
}

}  // namespace skua::cli
