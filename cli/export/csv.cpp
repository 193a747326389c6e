// SPDX-License-Identifier: MIT
// Comma-separated values: every event of a trace as it was noted, for spreadsheets and data frames. Edges of flows, of which an
// event holds several, have a line each.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "cli/export/formats.hpp"
#include "cli/export/stays.hpp"
#include "cli/text/report.hpp"
#include "cli/text/short_name.hpp"

namespace skua::cli {
namespace {

using trace::kind;

/// Does `other` of such an event stand for a name?
bool is_named(kind k) noexcept {
  return k == kind::task_began || k == kind::member_began || k == kind::node_began || k == kind::region_opened ||
         k == kind::mark || k == kind::called || k == kind::construct_began || k == kind::scheduler_changed ||
         k == kind::call_choice;
}

/// Tasks have names that the compiler made, the others those that people gave.
std::string name_in(trace::trace_data const& t, trace::event const& e) {
  std::string_view const said = t.name(e.other);
  bool const is_given = said.empty() || e.what == kind::mark || e.what == kind::region_opened ||
                        e.what == kind::construct_began || e.what == kind::scheduler_changed ||
                        e.what == kind::call_choice;
  return is_given ? quoted_for_csv(said) : quoted_for_csv(short_name(said));
}

struct place {
  std::uint64_t at_ns;
  std::uint32_t pool, track;
  std::size_t index;
};

}  // namespace

std::string csv_of(std::span<trace::trace_data const> traces) {
  std::vector<std::uint64_t> const offsets = offsets_of(traces);
  std::vector<std::uint32_t> const numbers = pool_numbers(traces);
  std::vector<place> order;
  for (std::uint32_t p = 0; p < traces.size(); ++p) {
    for (std::uint32_t w = 0; w < traces[p].tracks.size(); ++w) {
      auto const& events = traces[p].tracks[w].events;
      for (std::size_t i = 0; i < events.size(); ++i) order.push_back({events[i].ticks + offsets[p], p, w, i});
    }
  }
  std::ranges::stable_sort(order, {}, &place::at_ns);
  std::string text = "time_ns,rank,pool,worker,event,name,detail,count,other,id,value\n";
  auto const line = [&](place const& at, std::string_view what, std::string const& name, trace::event const& e,
                        std::string const& other) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{}\n", at.at_ns, traces[at.pool].rank,
                   numbers[at.pool], at.track, what, name, e.detail, e.count, other, e.id, e.value);
  };
  for (place const& at : order) {
    trace::trace_data const& t = traces[at.pool];
    trace::event const& e = t.tracks[at.track].events[at.index];
    bool const named = is_named(e.what);
    if (e.what == kind::node_ended) {
      line(at, trace::name_of(e.what), "", {.id = e.id}, "");
    } else if (e.what != kind::released) {
      line(at, trace::name_of(e.what), named ? name_in(t, e) : "", e, named ? "" : std::to_string(e.other));
    }
    trace::for_each_successor(e, [&](std::uint64_t to) { line(at, "edge", "", {.id = e.id, .value = to}, ""); });
  }
  return text;
}

}  // namespace skua::cli
