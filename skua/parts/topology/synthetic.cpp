// SPDX-License-Identifier: MIT
// Machines from a line of words: "package:4 numa:1 l3:1 core:16 pu:1" = 4 packages, in each 1 NUMA node, in that 1 L3
// cluster, in that 16 cores with 1 PU each.
//
// Words (any case; the names of hwloc's synthetic notation are among them):
//   package socket pack | numa numanode node numa_node | l3 l3cache | l2 l2cache | core | pu thread
//   and, counted but not kept: group die l4 l4cache l1 l1cache l1d l1dcache l1i l1icache
// A word without `pu` at the end of the line gets pu:1. [numa] is numa:1. Attributes in parentheses may give size= or
// memory= of a cache or a NUMA node (bytes, or with kB, MB, GB, TB in powers of 1024); others are ignored.
//
// Cores of several speeds: "core:12(speed=8x1,4x0.6)" = 8 cores of speed 1, then 4 of 0.6, in any unit. A list that is shorter than
// the machine begins again; it must come out even.
//
// hwloc gives the same tree (topology_test.cpp compares them), but takes 37 s and 1.7 GB for 65,536 cores below 256 L3
// clusters; this code takes milliseconds.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/options.hpp"
#include "skua/parts/topology/core_kinds.hpp"
#include "skua/parts/topology/reading.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::string_view example = "\"package:4 numa:1 l3:1 core:16 pu:1\"";

struct word {
  std::optional<level> kind;  // nullopt: counted but not kept
  std::uint32_t count = 1;
  std::uint64_t bytes = 0;
  std::vector<double> speeds = {};  // of cores, in turn; empty: all alike
};

struct description_reader {
  std::string_view description;

  [[noreturn]] void refuse(std::string const& why) const {
    throw usage_error("synthetic topology is '" + std::string{description} + "': " + why + "; allowed: words as in " +
                      std::string{example});
  }

  [[nodiscard]] std::optional<level> kind_of(std::string_view name) const;
  [[nodiscard]] std::uint64_t bytes_of(std::string_view attributes) const;
  [[nodiscard]] std::vector<double> speeds_of(std::string_view attributes) const;
  [[nodiscard]] word word_of(std::string_view text) const;
  [[nodiscard]] std::vector<word> words() const;
  void check_order(std::span<word const> all) const;
};

std::string lower(std::string_view text) {
  std::string result{text};
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::optional<level> description_reader::kind_of(std::string_view name) const {
  using entry = std::pair<std::string_view, std::optional<level>>;
  static constexpr std::array<entry, 24> known{{
      {"package", level::package},
      {"socket", level::package},
      {"pack", level::package},
      {"numa", level::numa_node},
      {"node", level::numa_node},
      {"numanode", level::numa_node},
      {"numa_node", level::numa_node},
      {"l3", level::l3},
      {"l3cache", level::l3},
      {"l2", level::l2},
      {"l2cache", level::l2},
      {"core", level::core},
      {"pu", level::pu},
      {"thread", level::pu},
      {"group", {}},
      {"die", {}},
      {"l4", {}},
      {"l4cache", {}},
      {"l1", {}},
      {"l1cache", {}},
      {"l1d", {}},
      {"l1dcache", {}},
      {"l1i", {}},
      {"l1icache", {}},
  }};
  std::string const key = lower(name);
  auto const found = std::ranges::find(known, std::string_view{key}, &entry::first);
  if (found == known.end()) {
    refuse("\"" + std::string{name} + "\" is none of package, numa, l3, l2, core, pu, each with a colon and its count");
  }
  return found->second;
}

/// The value of "(size=32MB ...)" or "(memory=1GB ...)", given without the parentheses.
std::uint64_t description_reader::bytes_of(std::string_view attributes) const {
  std::string const text = lower(attributes);
  for (std::string_view const key : {"size=", "memory="}) {
    auto const at = text.find(key);
    if (at == std::string::npos) continue;
    char const* const begin = text.data() + at + key.size();
    std::uint64_t value = 0;
    auto const [end, wrong] = std::from_chars(begin, text.data() + text.size(), value);
    if (wrong != std::errc{} || value > (std::uint64_t{1} << 50))
      refuse("\"" + std::string{attributes} + "\" gives no size in bytes");
    std::string_view const unit = std::string_view{text}.substr(static_cast<std::size_t>(end - text.data()), 2);
    unsigned const shift = unit == "kb" ? 10U : unit == "mb" ? 20U : unit == "gb" ? 30U : unit == "tb" ? 40U : 0U;
    if (value > (~std::uint64_t{0} >> shift)) refuse("\"" + std::string{attributes} + "\" is too large");
    return value << shift;
  }
  return 0;
}

/// The list of "(speed=8x1,4x0.6 ...)", given without the parentheses: 8 times 1, then 4 times 0.6.
std::vector<double> description_reader::speeds_of(std::string_view attributes) const {
  constexpr std::string_view key = "speed=";
  std::string const text = lower(attributes);
  auto const at = text.find(key);
  if (at == std::string::npos) return {};
  std::vector<double> speeds;
  char const* next = text.data() + at + key.size();
  char const* const end = text.data() + std::min(text.find(' ', at), text.size());
  auto const fail = [&] {
    refuse("\"" + std::string{attributes} + "\" gives no speeds from 0.001 to 1000000, as in (speed=8x1,4x0.6)");
  };
  while (true) {
    std::uint32_t count = 1;
    if (auto const [x, wrong] = std::from_chars(next, end, count); wrong == std::errc{} && x != end && *x == 'x') {
      next = x + 1;
    } else {
      count = 1;
    }
    double speed = 0;
    auto const [after, wrong] = std::from_chars(next, end, speed);
    if (wrong != std::errc{} || !(speed >= 1e-3 && speed <= 1e6) || count == 0 || count > max_workers - speeds.size())
      fail();
    speeds.insert(speeds.end(), count, speed);
    if (after == end) return speeds;
    if (*after != ',') fail();
    next = after + 1;
  }
}

word description_reader::word_of(std::string_view text) const {
  word result;
  std::string_view rest = text;
  bool const bracketed = rest.starts_with('[') && rest.ends_with(']');
  if (bracketed) rest = rest.substr(1, rest.size() - 2);
  if (auto const open = rest.find('('); open != std::string_view::npos) {
    if (!rest.ends_with(')')) refuse("\"" + std::string{text} + "\" has no closing parenthesis at its end");
    std::string_view const attributes = rest.substr(open + 1, rest.size() - open - 2);
    result.bytes = bytes_of(attributes);
    result.speeds = speeds_of(attributes);
    rest = rest.substr(0, open);
  }
  if (!bracketed) {
    auto const colon = rest.find(':');
    if (colon == std::string_view::npos)
      refuse("\"" + std::string{text} + "\" has no count, such as " + std::string{rest} + ":2");
    std::string_view const digits = rest.substr(colon + 1);
    auto const [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), result.count);
    if (wrong != std::errc{} || end != digits.data() + digits.size() || result.count == 0 ||
        result.count > max_workers) {
      refuse("the count in \"" + std::string{text} + "\" is not a whole number from 1 to " +
             std::to_string(max_workers));
    }
    rest = rest.substr(0, colon);
  }
  result.kind = kind_of(rest);
  bool const has_bytes =
      !result.kind || *result.kind == level::numa_node || *result.kind == level::l3 || *result.kind == level::l2;
  if (result.bytes > 0 && !has_bytes) refuse("\"" + std::string{text} + "\": only caches and NUMA nodes have a size");
  if (!result.speeds.empty() && result.kind != level::core)
    refuse("\"" + std::string{text} + "\": only cores have a speed");
  if (bracketed && result.kind != level::numa_node) refuse("only numa may be in brackets");
  return result;
}

/// Splits at spaces outside parentheses.
std::vector<word> description_reader::words() const {
  std::vector<word> all;
  std::size_t begin = 0;
  int open = 0;
  for (std::size_t i = 0; i <= description.size(); ++i) {
    char const c = i < description.size() ? description[i] : ' ';
    if (c == '(') ++open;
    if (c == ')') --open;
    bool const at_end = i == description.size();
    if (!at_end && (open > 0 || (c != ' ' && c != '\t' && c != '\n'))) continue;
    if (i > begin) all.push_back(word_of(description.substr(begin, i - begin)));
    begin = i + 1;
  }
  if (all.empty()) refuse("it is empty");
  if (all.back().kind != level::pu) all.push_back({.kind = level::pu});
  check_order(all);
  return all;
}

/// Outer before inner, each at most once; a NUMA node may stand anywhere above the cores.
void description_reader::check_order(std::span<word const> all) const {
  std::optional<level> last;
  bool numa_seen = false;
  std::uint64_t total = 1;
  for (word const& w : all) {
    total *= w.count;
    if (!w.speeds.empty() && total % w.speeds.size() != 0)
      refuse(std::to_string(w.speeds.size()) + " speeds for " + std::to_string(total) +
             " cores: the cores are no multiple of the speeds");
    if (total > max_workers) refuse("more than " + std::to_string(max_workers) + " PUs");
    if (!w.kind) continue;
    if (w.kind == level::numa_node) {
      if (numa_seen) refuse("numa occurs twice");
      if (last >= level::core) refuse("numa must come before core");
      numa_seen = true;
      continue;
    }
    if (last >= w.kind)
      refuse(std::string{level_name(*w.kind)} + " must come before " + std::string{level_name(*last)} +
             ", and only once");
    last = w.kind;
  }
}

}  // namespace

topology topology::synthetic(std::string_view description, std::span<std::uint64_t const> distances) {
  std::vector<word> const words = description_reader{description}.words();
  topology_reading read;
  read.source = "synthetic " + std::string{description};
  std::uint32_t total = 1;
  for (word const& w : words) total *= w.count;
  for (std::uint32_t i = 0; i < total; ++i) read.pus.push_back({.os_index = i});

  bool has_numa = false;
  std::uint32_t nodes = 1;
  std::uint32_t elements = 1;
  for (word const& w : words) {
    elements *= w.count;
    if (!w.kind || w.kind == level::pu) continue;
    if (w.kind == level::numa_node) {
      has_numa = true;
      nodes = elements;
    }
    bool const numbered = w.kind != level::l3 && w.kind != level::l2;
    std::uint32_t const each = total / elements;
    std::vector<double> speeds;
    for (std::uint32_t i = 0; i < total && !w.speeds.empty(); ++i)
      speeds.push_back(w.speeds[i / each % w.speeds.size()]);
    if (!speeds.empty()) set_speeds(speeds, read);
    for (std::uint32_t i = 0; i < elements; ++i) {
      read.elements.push_back(
          {.kind = *w.kind, .os_index = numbered ? i : no_index, .first = i * each, .pus = each, .bytes = w.bytes});
    }
  }
  if (!has_numa) read.elements.push_back({.kind = level::numa_node, .os_index = 0, .first = 0, .pus = total});
  if (!distances.empty()) {
    if (distances.size() != std::size_t{nodes} * nodes)
      throw usage_error("distances: " + std::to_string(distances.size()) + " numbers for " + std::to_string(nodes) +
                        " NUMA nodes; allowed: a row for each node, with a number for each");
    for (std::uint32_t n = 0; n < nodes; ++n) read.numa_order.push_back(n);
    read.numa_latency.assign(distances.begin(), distances.end());
  }
  return topology{read};
}

}}}  // namespace skua::v0::runtime
