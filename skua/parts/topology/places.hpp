// SPDX-License-Identifier: MIT
// The grammar of SKUA_PLACES, which is that of OMP_PLACES (OpenMP 5.2, 21.1.6):
//
//   list     = word | word(n) | interval {"," interval}
//   word     = threads | cores | ll_caches | numa_domains | sockets
//   interval = place | place:length | place:length:stride | !place
//   place    = "{" range {"," range} "}"
//   range    = n | n:length | n:length:stride | !n          numbers of PUs as the OS counts them
//
// "{0:4},{4:4}" and "{0:4}:2:4" are both two places of four PUs. "!" removes what it names from what precedes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime {

enum class place_word : std::uint8_t { threads, cores, ll_caches, numa_domains, sockets };

/// "cores(8)": one place per core, the first eight of them.
struct abstract_places {
  place_word word = place_word::cores;
  std::optional<std::uint32_t> count = {};
};

/// OS indices of PUs, place by place, in the order in which the text lists them, without repetition inside a place.
struct explicit_places {
  std::vector<std::vector<std::uint32_t>> places;
};

using places_spec = std::variant<abstract_places, explicit_places>;

/// Throws usage_error: `name` (a variable, or "places"), the text, what is wrong, and an example.
/// At most max_workers PUs over all places, counted with repetitions.
[[nodiscard]] places_spec read_places(std::string_view name, std::string_view text);

}}}  // namespace skua::v0::runtime
