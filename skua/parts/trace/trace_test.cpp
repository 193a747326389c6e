// SPDX-License-Identifier: MIT
// What was noted is read back, whatever happened to the process or the file.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/trace/trace_file.hpp"
#include "skua/parts/trace/trace_format.hpp"
#include "skua/parts/trace/trace_reader.hpp"

namespace skua { inline namespace v0 { namespace trace { namespace {

class trace_on_disk : public ::testing::Test {
 protected:
  trace_on_disk() {
    std::string where = (std::filesystem::temp_directory_path() / "skua_trace_XXXXXX").string();
    folder_ = ::mkdtemp(where.data());
  }
  ~trace_on_disk() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(char const* name = "t") const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

event numbered(std::uint64_t i) { return {.what = kind::mark, .other = 7, .id = i, .value = i * i}; }

TEST_F(trace_on_disk, events_are_read_back_in_order_with_times_in_nanoseconds) {
  {
    auto const file = trace_file::make({.path = path(), .tracks = 2, .description = R"({"policy":"adws"})"});
    track first = file->track_of(0);
    track second = file->track_of(1);
    for (std::uint64_t i = 0; i < 100; ++i) first.note(numbered(i));
    second.note({.what = kind::sleeping});
  }
  trace_data const read = read_trace(path());
  EXPECT_EQ(read.description, R"({"policy":"adws"})");
  EXPECT_TRUE(read.is_complete);
  ASSERT_EQ(read.tracks.size(), 2u);
  ASSERT_EQ(read.tracks[0].events.size(), 100u);
  EXPECT_EQ(read.tracks[0].lost, 0u);
  for (std::uint64_t i = 0; i < 100; ++i) {
    event expected = numbered(i);
    expected.ticks = read.tracks[0].events[i].ticks;
    EXPECT_EQ(read.tracks[0].events[i], expected);
  }
  EXPECT_EQ(read.tracks[1].events.at(0).what, kind::sleeping);
  EXPECT_GE(read.ended_ns, read.tracks[0].events.back().ticks);
  EXPECT_GE(read.ended_ns, 2'000'000u) << "making the file waits 2 ms between two readings of the clocks";
}

TEST_F(trace_on_disk, a_ring_keeps_the_newest_events_and_counts_the_others) {
  std::uint64_t capacity = 0;
  {
    auto const file = trace_file::make({.path = path(), .bytes = 1});
    capacity = file->capacity();
    track t = file->track_of(0);
    for (std::uint64_t i = 0; i < capacity + 10; ++i) t.note(numbered(i));
  }
  EXPECT_EQ(capacity, least_events);
  trace_data const read = read_trace(path());
  ASSERT_EQ(read.tracks[0].events.size(), capacity);
  EXPECT_EQ(read.tracks[0].lost, 10u);
  EXPECT_EQ(read.tracks[0].events.front().id, 10u);
  EXPECT_EQ(read.tracks[0].events.back().id, capacity + 9);
}

TEST_F(trace_on_disk, a_process_that_is_killed_leaves_what_it_noted) {
  pid_t const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto const file = trace_file::make({.path = path()});
    track t = file->track_of(0);
    for (std::uint64_t i = 0; i < 50; ++i) t.note(numbered(i));
    static_cast<void>(::raise(SIGKILL));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  trace_data const read = read_trace(path());
  EXPECT_FALSE(read.is_complete);
  ASSERT_EQ(read.tracks[0].events.size(), 50u);
  EXPECT_EQ(read.tracks[0].events.back().id, 49u);
}

TEST_F(trace_on_disk, equal_names_have_one_position_and_what_has_no_room_is_nameless) {
  std::string const long_name(names_bytes, 'x');
  static char const first[] = "fib";
  static char const same[] = "fib";
  std::uint32_t a = 0, b = 0, none = 1;
  {
    auto const file = trace_file::make({.path = path()});
    track t = file->track_of(0);
    a = t.name(first);
    b = file->track_of(0).name(same);
    none = t.name(long_name.c_str());
    EXPECT_EQ(t.name(first), a);
    EXPECT_EQ(t.name(nullptr), 0u);
  }
  EXPECT_EQ(a, b);
  EXPECT_EQ(none, 0u);
  trace_data const read = read_trace(path());
  EXPECT_EQ(read.name(a), "fib");
  EXPECT_EQ(read.name(0), "");
  EXPECT_EQ(read.name(1u << 30), "");
}

TEST_F(trace_on_disk, names_whose_addresses_share_a_slot_keep_their_positions) {
  static char texts[6][1024] = {"a", "b", "c", "d", "e", "f"};  // more than the slots in which one may be
  auto const file = trace_file::make({.path = path()});
  track t = file->track_of(0);
  std::array<std::uint32_t, 6> first{};
  for (std::size_t i = 0; i < 6; ++i) first[i] = t.name(static_cast<char const*>(texts[i]));
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(t.name(static_cast<char const*>(texts[i])), first[i]);
      EXPECT_EQ(t.name(std::string_view(texts[i])), first[i]);
    }
  }
}

TEST_F(trace_on_disk, an_event_holds_up_to_three_successors) {
  for (std::uint16_t n = 0; n <= most_successors; ++n) {
    event e{.what = kind::node_ended, .id = id_of_node(7, 1)};
    std::vector<std::uint64_t> right;
    for (std::uint32_t i = 0; i < n; ++i) {
      add_successor(e, 0xffff'fff0 + i);
      right.push_back(id_of_node(7, 0xffff'fff0 + i));
    }
    std::vector<std::uint64_t> found;
    for_each_successor(e, [&](std::uint64_t to) { found.push_back(to); });
    EXPECT_EQ(found, right);
    e.count = 0xffff;  // a damaged event
    found.clear();
    for_each_successor(e, [&](std::uint64_t to) { found.push_back(to); });
    EXPECT_EQ(found.size(), most_successors);
    e.what = kind::mark;
    for_each_successor(e, [](std::uint64_t) { FAIL(); });
  }
}

TEST_F(trace_on_disk, runs_of_flows_are_numbered_from_1) {
  auto const file = trace_file::make({.path = path(), .tracks = 2});
  EXPECT_EQ(file->track_of(0).next_flow(), 1u);
  EXPECT_EQ(file->track_of(1).next_flow(), 2u);
}

TEST_F(trace_on_disk, a_second_trace_of_the_same_name_gets_a_number_and_later_runs_remove_it) {
  {
    auto const one = trace_file::make({.path = path()});
    auto const two = trace_file::make({.path = path()});
    auto const three = trace_file::make({.path = path()});
    EXPECT_EQ(one->path(), path());
    EXPECT_EQ(two->path(), path() + "-2");
    EXPECT_EQ(three->path(), path() + "-3");
  }
  EXPECT_EQ(files_of_trace(path()), (std::vector{path(), path() + "-2", path() + "-3"}));
  { auto const again = trace_file::make({.path = path()}); }
  EXPECT_EQ(files_of_trace(path()), std::vector{path()});
}

TEST_F(trace_on_disk, nothing_of_an_earlier_trace_shows_through) {
  for (std::uint64_t n : {2000u, 3u}) {
    auto const file = trace_file::make({.path = path()});
    track t = file->track_of(0);
    for (std::uint64_t i = 0; i < n; ++i) t.note(numbered(i));
  }
  EXPECT_EQ(read_trace(path()).tracks[0].events.size(), 3u);
}

TEST_F(trace_on_disk, virtual_time_is_taken_as_it_is) {
  {
    auto const file = trace_file::make({.path = path(), .is_virtual = true});
    track t = file->track_of(0);
    t.note_at({.ticks = 5, .what = kind::working});
    t.note_at({.ticks = 1'000'000'000, .what = kind::idling});
  }
  trace_data const read = read_trace(path());
  EXPECT_TRUE(read.is_virtual);
  EXPECT_TRUE(read.is_complete);
  EXPECT_EQ(read.tracks[0].events.at(0).ticks, 5u);
  EXPECT_EQ(read.ended_ns, 1'000'000'000u);
}

TEST_F(trace_on_disk, where_nothing_can_be_written_the_error_names_the_path) {
  for (std::string const& wrong : {path("no/such/folder"), folder_.string()}) {
    try {
      static_cast<void>(trace_file::make({.path = wrong, .chosen_by = "SKUA_TRACE"}));
      FAIL() << wrong;
    } catch (usage_error const& e) {
      EXPECT_NE(std::string(e.what()).find("SKUA_TRACE is '" + wrong + "'"), std::string::npos) << e.what();
    }
  }
  EXPECT_THROW(static_cast<void>(trace_file::make({.path = "/dev/null"})), usage_error);
}

TEST_F(trace_on_disk, names_and_paths_with_control_characters_reach_no_terminal) {
  std::uint32_t at = 0;
  {
    auto const file = trace_file::make({.path = path()});
    at = file->add_name(
        "a\x1b[31m\x7f\xc2\x9b"
        "b\xc3\xa9");
  }
  EXPECT_EQ(read_trace(path()).name(at), "a?[31m???b\xc3\xa9") << "as long as before, and other letters stay";
  try {
    static_cast<void>(read_trace(path("\x1b[2J")));
    FAIL() << "it is not there";
  } catch (usage_error const& fault) {
    EXPECT_EQ(std::string(fault.what()).find('\x1b'), std::string::npos);
  }
}

TEST_F(trace_on_disk, a_device_without_end_is_no_trace) {
  try {
    static_cast<void>(read_trace("/dev/zero"));
    FAIL() << "it was read";
  } catch (usage_error const& fault) {
    EXPECT_STREQ(fault.what(), "trace '/dev/zero' is no file, and longer than 256 MiB");
  }
}

TEST_F(trace_on_disk, files_that_are_no_traces_are_refused_and_short_ones_give_what_they_have) {
  EXPECT_THROW(static_cast<void>(read_trace(path("none"))), usage_error);
  EXPECT_THROW(static_cast<void>(files_of_trace(path("none"))), usage_error);
  std::ofstream(path("text")) << "hello";
  EXPECT_THROW(static_cast<void>(read_trace(path("text"))), usage_error);
  std::ofstream(path("zeros")) << std::string(page_bytes, '\0');
  EXPECT_THROW(static_cast<void>(read_trace(path("zeros"))), usage_error);
  {
    auto const file = trace_file::make({.path = path()});
    track t = file->track_of(0);
    for (std::uint64_t i = 0; i < 100; ++i) t.note(numbered(i));
  }
  std::uint64_t const first_events = page_bytes * 2 + names_bytes + sizeof(track_control);
  std::filesystem::resize_file(path(), first_events + 10 * sizeof(event) + 7);
  trace_data const read = read_trace(path());
  EXPECT_EQ(read.tracks[0].events.size(), 10u);
  EXPECT_EQ(read.tracks[0].lost, 0u);
  EXPECT_EQ(read.tracks[0].missing, 90u);
  EXPECT_TRUE(read.tracks[0].is_cut);
  EXPECT_GT(read.cut_bytes, 0u);
  for (std::uint64_t size = 0; size < first_events; size += 97) {
    std::filesystem::resize_file(path(), size);
    try {
      trace_data const nothing = read_trace(path());
      EXPECT_TRUE(nothing.tracks[0].events.empty() && nothing.tracks[0].is_cut) << size;
    } catch (usage_error const&) {  // also well
    }
  }
}

TEST_F(trace_on_disk, of_a_ring_cut_short_the_newest_events_without_a_gap_are_kept) {
  for (std::uint64_t const n : {least_events / 2, least_events, least_events + 10, 2 * least_events}) {
    {
      auto const file = trace_file::make({.path = path(), .tracks = 2, .bytes = 1});
      track t = file->track_of(0);
      for (std::uint64_t i = 0; i < n; ++i) t.note(numbered(i));
    }
    EXPECT_EQ(read_trace(path()).cut_bytes, 0u);
    std::uint64_t const ring = page_bytes * 2 + names_bytes + sizeof(track_control);
    for (std::uint64_t slots : {1023u, 700u, 512u, 511u, 11u, 10u, 9u, 1u, 0u}) {
      std::filesystem::resize_file(path(), ring + slots * sizeof(event));
      trace_data const read = read_trace(path());
      auto const& all = read.tracks[0];
      ASSERT_EQ(all.lost + all.events.size() + all.missing, n) << slots;
      for (std::uint64_t i = 0; i < all.events.size(); ++i) ASSERT_EQ(all.events[i].id, all.lost + i) << slots;
      EXPECT_EQ(all.is_cut, all.missing > 0);
      EXPECT_TRUE(read.tracks[1].is_cut && read.tracks[1].events.empty());
      if (n == least_events + 10 && slots >= 10) {
        EXPECT_FALSE(all.is_cut) << "the newest ones stand first";
      }
    }
  }
}

TEST_F(trace_on_disk, lengths_that_contradict_each_other_are_refused) {
  { auto const file = trace_file::make({.path = path(), .tracks = 3, .bytes = 1}); }
  header right;
  std::fstream(path(), std::ios::binary | std::ios::in).read(reinterpret_cast<char*>(&right), sizeof right);
  auto const expect_refused = [&](auto&& change) {
    header wrong = right;
    change(wrong);
    std::fstream(path(), std::ios::binary | std::ios::in | std::ios::out)
        .write(reinterpret_cast<char const*>(&wrong), sizeof wrong);
    EXPECT_THROW(static_cast<void>(read_trace(path())), usage_error);
  };
  for (std::uint64_t const size : {std::uint64_t{1}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    expect_refused([&](header& h) { h.track_capacity = size == 1 ? 1 : std::bit_floor(size); });
    expect_refused([&](header& h) { h.tracks_at += size; });
    expect_refused([&](header& h) { h.file_bytes += size; });
    expect_refused([&](header& h) { h.names_at = size - 1; });
    expect_refused([&](header& h) { h.description_size = h.names_at + size; });
  }
  expect_refused([](header& h) { h.tracks = ~0u; });
  expect_refused([](header& h) { h.rank = h.ranks; });
  expect_refused([](header& h) { h.names_size = names_bytes + 1; });
  std::ofstream(path(), std::ios::binary | std::ios::in | std::ios::out)
      .write(reinterpret_cast<char const*>(&right), sizeof right);
  EXPECT_EQ(read_trace(path()).tracks.size(), 3u);
  std::ofstream(path(), std::ios::app) << "x";
  EXPECT_THROW(static_cast<void>(read_trace(path())), usage_error);
}

}}}}  // namespace skua::v0::trace
