// SPDX-License-Identifier: MIT
// A report as a sentence.
#include <cstdio>
#include <string>

#include "skua/program/collection/host.hpp"

namespace skua { inline namespace v0 {

namespace {

std::string with_commas(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

}  // namespace

std::string in_words(collection_report const& r) {
  char share[64];
  std::snprintf(share, sizeof share, "ideal balance would run %.0f %% faster", 100 * r.idle_share());
  std::string said = share;
  if (r.run_again > 0) said += "; " + with_commas(r.run_again) + " tasks of a rank that died ran again";
  if (r.dropped > 0) said += "; at least " + with_commas(r.dropped) + " tasks of a rank that died may be missing";
  if (r.ranks < 2) return said;
  said += r.moved == 0 ? "; no task was stolen"
                       : "; stealing moved " + with_commas(r.moved) + " of " + with_commas(r.tasks) + " tasks";
  return said;
}

}}  // namespace skua::v0
