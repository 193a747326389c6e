// SPDX-License-Identifier: MIT
// Each format is read again and says what the timeline says.
#include "cli/export/formats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <protozero/pbf_message.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/export/perfetto_fields.hpp"
#include "cli/export/sample_trace.hpp"
#include "cli/export/stays.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {
namespace {

using namespace perfetto;
using protozero::pbf_message;

timeline busy_timeline() {
  trace::trace_data const t = busy_trace();
  return timeline_of({&t, 1});
}

struct read_event {
  std::uint64_t at_ns = 0, track = 0, name = 0;
  std::int64_t counter = -1;
  type what{};
  std::vector<std::uint64_t> from, to;
};

struct read_file {
  std::vector<read_event> events;
  std::map<std::uint64_t, std::string> names, tracks;
  std::map<std::uint64_t, std::uint64_t> parents;
};

read_event event_of(pbf_message<track_event> in) {
  read_event e;
  while (in.next()) {
    switch (in.tag()) {
      case track_event::what: e.what = static_cast<type>(in.get_enum()); break;
      case track_event::track_uuid: e.track = in.get_uint64(); break;
      case track_event::name_iid: e.name = in.get_uint64(); break;
      case track_event::counter_value: e.counter = in.get_int64(); break;
      case track_event::flow_ids: e.from.push_back(in.get_fixed64()); break;
      case track_event::terminating_flow_ids: e.to.push_back(in.get_fixed64()); break;
      default: in.skip();
    }
  }
  return e;
}

void read_names(pbf_message<interned_data> in, read_file& to) {
  while (in.next()) {
    if (in.tag() != interned_data::event_names) {
      in.skip();
      continue;
    }
    pbf_message<interned_text> one = in.get_message();
    std::uint64_t number = 0;
    while (one.next()) {
      if (one.tag() == interned_text::iid) {
        number = one.get_uint64();
      } else {
        to.names[number] = one.get_string();
      }
    }
  }
}

void read_track(pbf_message<track_descriptor> in, read_file& to) {
  std::uint64_t uuid = 0;
  while (in.next()) {
    switch (in.tag()) {
      case track_descriptor::uuid: uuid = in.get_uint64(); break;
      case track_descriptor::parent_uuid: to.parents[uuid] = in.get_uint64(); break;
      case track_descriptor::name: to.tracks[uuid] = in.get_string(); break;
      case track_descriptor::process: {
        pbf_message<process_descriptor> p = in.get_message();
        while (p.next(process_descriptor::process_name)) to.tracks[uuid] = p.get_string();
        break;
      }
      case track_descriptor::thread: {
        pbf_message<thread_descriptor> t = in.get_message();
        while (t.next(thread_descriptor::thread_name)) to.tracks[uuid] = t.get_string();
        break;
      }
      default: in.skip();
    }
  }
}

read_file decoded(std::string const& bytes) {
  read_file all;
  pbf_message<trace_file> file(bytes);
  while (file.next(trace_file::packet)) {
    pbf_message<trace_packet> p = file.get_message();
    std::uint64_t at = 0;
    while (p.next()) {
      switch (p.tag()) {
        case trace_packet::timestamp: at = p.get_uint64(); break;
        case trace_packet::interned: read_names(p.get_message(), all); break;
        case trace_packet::descriptor: read_track(p.get_message(), all); break;
        case trace_packet::event:
          all.events.push_back(event_of(p.get_message()));
          all.events.back().at_ns = at;
          break;
        default: p.skip();
      }
    }
  }
  return all;
}

TEST(perfetto, every_slice_that_begins_ends_on_its_track_and_inner_ones_first) {
  timeline const t = busy_timeline();
  read_file const read = decoded(perfetto_of(t));
  std::map<std::uint64_t, std::vector<std::uint64_t>> open;
  std::map<std::uint64_t, std::uint64_t> last;
  std::size_t slices = 0;
  for (read_event const& e : read.events) {
    EXPECT_TRUE(read.tracks.contains(e.track)) << e.track;
    if (e.what == type::slice_begin) {
      ++slices;
      open[e.track].push_back(e.at_ns);
    } else if (e.what == type::slice_end) {
      ASSERT_FALSE(open[e.track].empty());
      EXPECT_GE(e.at_ns, open[e.track].back());
      open[e.track].pop_back();
    } else {
      continue;
    }
    EXPECT_GE(e.at_ns, last[e.track]);
    last[e.track] = e.at_ns;
  }
  for (auto const& [track, left] : open) EXPECT_TRUE(left.empty()) << track;
  EXPECT_EQ(slices, t.slices.size());
}

TEST(perfetto, flows_have_two_ends_and_names_their_texts) {
  timeline const t = busy_timeline();
  read_file const read = decoded(perfetto_of(t));
  std::multiset<std::uint64_t> from, to;
  std::set<std::string> said;
  for (read_event const& e : read.events) {
    from.insert(e.from.begin(), e.from.end());
    to.insert(e.to.begin(), e.to.end());
    if (e.what == type::slice_begin || e.what == type::instant) {
      ASSERT_TRUE(read.names.contains(e.name));
      said.insert(read.names.at(e.name));
    }
  }
  EXPECT_EQ(from, to);
  EXPECT_EQ(from, (std::multiset<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(said, (std::set<std::string>{"a \"quoted\", \\ text", "asleep", "child", "idle", "iteration 0", "leaf",
                                         "root", "sent to worker 0", "stolen by worker 1", "working"}));
}

TEST(perfetto, a_steal_between_ranks_flows_from_the_victims_track_to_the_thiefs) {
  read_file const read = decoded(perfetto_of(timeline_of(ranks_that_steal(110))));
  std::map<std::uint64_t, read_event> thief;  // by number of a flow
  for (read_event const& e : read.events) {
    for (std::uint64_t const flow : e.to) {
      if (read.names.at(e.name) == "stole from rank 0") thief[flow] = e;
    }
  }
  ASSERT_EQ(thief.size(), 1u);
  auto const victim = std::ranges::find_if(
      read.events, [&](read_event const& e) { return e.from == std::vector{thief.begin()->first}; });
  ASSERT_NE(victim, read.events.end());
  EXPECT_EQ(read.names.at(victim->name), "stolen by rank 1");
  EXPECT_EQ(victim->at_ns, 110u);
  EXPECT_EQ(victim->track, 2u) << "worker 0 of the first of two processes";
  EXPECT_EQ(thief.begin()->second.track, 9u) << "behind the seven tracks of the first process";
}

TEST(perfetto, workers_are_threads_of_the_pool_and_counters_have_all_samples) {
  timeline const t = busy_timeline();
  read_file const read = decoded(perfetto_of(t));
  std::set<std::string> tracks;
  for (auto const& [uuid, name] : read.tracks) tracks.insert(name);
  EXPECT_EQ(tracks, (std::set<std::string>{"activity", "fib, adws", "waiting tasks", "worker 0", "worker 1",
                                           "working workers"}));
  for (auto const& [child, parent] : read.parents) EXPECT_TRUE(read.tracks.contains(parent)) << child;
  std::size_t samples = 0;
  for (read_event const& e : read.events) samples += e.what == type::counter ? 1 : 0;
  EXPECT_EQ(samples, t.samples.size());
}

TEST(chrome_json, has_a_line_for_each_slice_point_sample_and_end_of_an_arrow) {
  timeline const t = busy_timeline();
  json const read = json::parse(chrome_json_of(t));
  std::map<std::string, std::size_t> phases;
  std::map<std::uint64_t, std::string> arrows;
  double last_stay = 0;
  for (json const& e : read["traceEvents"]) {
    std::string const phase = e["ph"].get<std::string>();
    ++phases[phase];
    if (phase == "s" || phase == "f") arrows[e["id"].get<std::uint64_t>()] += phase;
    if (phase == "X" && e["name"] == "root" && e["ts"] == 0.04) last_stay = e["dur"].get<double>();
  }
  EXPECT_EQ(phases["X"] + phases["i"], t.slices.size() + t.points.size());
  EXPECT_EQ(last_stay, 0.01) << "10 ns, in microseconds";
  EXPECT_EQ(phases["C"], t.samples.size());
  ASSERT_EQ(arrows.size(), t.arrows.size());
  for (auto const& [id, ends] : arrows) EXPECT_EQ(ends, "sf") << id;
}

TEST(perfetto, an_edge_is_a_flow_between_the_slices_of_its_nodes) {
  trace::trace_data const written = flow_trace();
  timeline const t = timeline_of({&written, 1});
  std::multiset<std::uint64_t> from, to;
  for (read_event const& e : decoded(perfetto_of(t)).events) {
    from.insert(e.from.begin(), e.from.end());
    to.insert(e.to.begin(), e.to.end());
  }
  EXPECT_EQ(from, to);
  EXPECT_EQ(from.size(), 7u) << "five edges, and two stays that go on";
}

TEST(chrome_json, an_edge_is_an_arrow_and_a_node_says_which_one_it_is) {
  trace::trace_data const written = flow_trace();
  json const read = json::parse(chrome_json_of(timeline_of({&written, 1})));
  std::map<std::string, std::size_t> edges;
  std::set<std::uint64_t> nodes;
  for (json const& e : read["traceEvents"]) {
    if (e["name"] == "edge") ++edges[e["ph"].get<std::string>()];
    if (e.value("cat", "") != "node") continue;
    EXPECT_EQ(e["args"]["flow"], 3);
    nodes.insert(e["args"]["node"].get<std::uint64_t>());
  }
  EXPECT_EQ(edges, (std::map<std::string, std::size_t>{{"f", 5}, {"s", 5}}));
  EXPECT_EQ(nodes, (std::set<std::uint64_t>{0, 1, 2, 3, 5}));
}

TEST(csv, an_edge_has_a_line) {
  trace::trace_data const written = flow_trace();
  std::istringstream in(csv_of({&written, 1}));
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  std::uint64_t const first = trace::id_of_node(3, 0);
  auto const line = [&](std::uint64_t to) {
    return "10,0,1,0,edge,,0,0,," + std::to_string(first) + "," + std::to_string(first + to);
  };
  for (std::uint64_t const to : {1u, 2u, 3u, 4u}) EXPECT_EQ(std::ranges::count(all, line(to)), 1) << to;
  EXPECT_EQ(std::ranges::count_if(all, [](std::string const& l) { return l.find(",edge,") != std::string::npos; }), 6);
  EXPECT_EQ(std::ranges::count(all, "10,0,1,0,node_ended,,0,0,," + std::to_string(first) + ",0"), 1);
  EXPECT_EQ(std::ranges::count(all, "2,0,1,0,node_began,gemm,0,1,," + std::to_string(first) + ",0"), 1);
}

TEST(chrome_json, a_steal_between_ranks_leads_from_process_to_process) {
  json const read = json::parse(chrome_json_of(timeline_of(ranks_that_steal(110))));
  std::set<std::string> ends;
  for (json const& e : read["traceEvents"]) {
    if (e["name"] == "stolen" && e["cat"] == "arrow")
      ends.insert(e["ph"].get<std::string>() + e["pid"].dump() + " " + e["ts"].dump());
  }
  EXPECT_EQ(ends, (std::set<std::string>{"s1 0.11", "f2 0.121", "s2 0.13", "f2 0.13"}));
}

TEST(csv, has_a_line_for_each_event_in_the_order_of_time_and_quotes_names) {
  std::vector<trace::trace_data> const traces{busy_trace()};
  std::istringstream in(csv_of(traces));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "time_ns,rank,pool,worker,event,name,detail,count,other,id,value");
  std::vector<std::string> all;
  while (std::getline(in, line)) all.push_back(line);
  std::size_t events = 0;
  for (auto const& track : traces[0].tracks) events += track.events.size();
  EXPECT_EQ(all.size(), events);
  EXPECT_EQ(all.front(), "0,0,1,1,sleeping,,0,0,0,0,0");
  EXPECT_EQ(all.at(1), "1,0,1,0,working,,0,0,0,0,0");
  EXPECT_NE(std::ranges::find(all, R"(5,0,1,0,mark,"a ""quoted"", \ text",0,0,,0,7)"), all.end());
}

}  // namespace
}  // namespace skua::cli
