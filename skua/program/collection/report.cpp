// SPDX-License-Identifier: MIT
// A report as a sentence, and that of the ranks as a table.
#include <array>
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
  if (r.needed > 0) {
    std::snprintf(share, sizeof share, "; %.0f %% of what tasks used lay on other ranks",
                  100 * static_cast<double>(r.needed_remotely) / static_cast<double>(r.needed));
    said += share;
  }
  said += r.moved == 0 ? "; no task was stolen"
                       : "; stealing moved " + with_commas(r.moved) + " of " + with_commas(r.tasks) + " tasks";
  return said;
}

namespace {

using figures = std::array<double, 11>;
enum class unit : std::uint8_t { count, seconds, bytes };
struct column {
  char const* name;
  unit in;
};
constexpr std::array<column, std::tuple_size_v<figures>> columns{{{"tasks", unit::count},
                                                                  {"stolen", unit::count},
                                                                  {"given", unit::count},
                                                                  {"busy", unit::seconds},
                                                                  {"process()", unit::seconds},
                                                                  {"balancing", unit::seconds},
                                                                  {"received", unit::bytes},
                                                                  {"sent", unit::bytes},
                                                                  {"got", unit::bytes},
                                                                  {"put", unit::bytes},
                                                                  {"added", unit::bytes}}};

figures figures_of(rank_report const& r) {
  auto const number = [](std::uint64_t n) { return static_cast<double>(n); };
  return {number(r.tasks), number(r.stolen), number(r.given),      r.busy,
          r.seconds,       r.balancing,      number(r.received),   number(r.sent),
          number(r.got),   number(r.put),    number(r.accumulated)};
}

std::string cell(double value, unit in) {
  constexpr std::array<char const*, 5> sizes{"B", "KiB", "MiB", "GiB", "TiB"};
  char text[32];
  if (in == unit::count) {
    std::snprintf(text, sizeof text, "%12.6g", value);
  } else if (in == unit::seconds) {
    std::snprintf(text, sizeof text, "%10.4g s", value);
  } else {
    std::size_t size = 0;
    for (; value >= 1024 && size + 1 < sizes.size(); ++size) value /= 1024;
    std::snprintf(text, sizeof text, size == 0 ? "%10.0f %s" : "%8.1f %s", value, sizes[size]);
  }
  return text;
}

std::string row(std::string const& name, figures const& all) {
  std::string line = name + std::string(name.size() < 10 ? 10 - name.size() : 1, ' ');
  for (std::size_t c = 0; c < columns.size(); ++c) line += cell(all[c], columns[c].in);
  return line + "\n";
}

std::string heading() {
  std::string line = "rank      ";
  for (column const& c : columns) {
    char text[32];
    std::snprintf(text, sizeof text, "%12s", c.name);
    line += text;
  }
  return line + "\n";
}

}  // namespace

std::string in_words(ranks_report const& r, std::size_t most_rows) {
  if (r.ranks.empty()) return {};
  std::string said = heading();
  for (rank_report const& one : r.ranks) {
    if (r.ranks.size() <= most_rows) said += row(std::to_string(one.rank), figures_of(one));
  }
  std::array<figures, 3> over_ranks{};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    spread const s = r.of([c](rank_report const& one) { return figures_of(one)[c]; });
    over_ranks[0][c] = s.least;
    over_ranks[1][c] = s.mean;
    over_ranks[2][c] = s.greatest;
  }
  said += row("least", over_ranks[0]) + row("mean", over_ranks[1]) + row("greatest", over_ranks[2]);
  char text[64];
  std::snprintf(text, sizeof text, "imbalance of busy (greatest / mean): %.3f\n", r.of(&rank_report::busy).imbalance());
  return said + text;
}

}}  // namespace skua::v0
