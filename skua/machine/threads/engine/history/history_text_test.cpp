// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/history/history_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "skua/parts/base/error.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

std::string refusal(std::string_view text) {
  try {
    static_cast<void>(read_history("a.json", text));
  } catch (usage_error const& e) {
    return e.what();
  }
  return "accepted";
}

TEST(history_text, no_text_is_no_history) {
  EXPECT_EQ(read_history("a.json", ""), history{});
  EXPECT_EQ(read_history("a.json", " \n"), history{});
}

known_call one_call() {
  return {.place = {.module = "solver", .build = "00ff", .offset = ~std::uint64_t{0}},
          .choice = {.call = "solve(\"x\")::<lambda()>",
                     .scheduler = "random",
                     .why = policies::evidence::measured,
                     .since_call = 3,
                     .since_group = 40,
                     .calls = 12,
                     .calls_ns = 5e9,
                     .groups = 1000,
                     .groups_ns = 4e9,
                     .lost_ns = 12'345,
                     .gain = 0.8125,
                     .changes = 2,
                     .others = {{.scheduler = "hierarchical", .trials = 3, .since_change = 1, .ratio = 1.75}},
                     .shapes = {{.number = ~std::uint64_t{1}, .usual_ns = 77}}}};
}

run_identity here() { return {.program = "solver", .machine = "a \"machine\"", .workers = 4}; }

TEST(history_text, text_and_what_is_known_are_two_forms_of_one_thing) {
  history const known{
      .of = here(),
      .times = {{.type = 65'535,
                 .address = address::at(1),
                 .leader = worker_id{3},
                 .width = 1,
                 .ns = std::uint64_t{1} << 60},
                {.type = 0, .address = address::at(0.3), .leader = worker_id{0}, .width = 4, .ns = 1}},
      .calls = {one_call(), {.place = {.module = "m", .build = "b", .offset = 1}, .choice = {.scheduler = "adws"}}}};
  EXPECT_EQ(read_history("a.json", text_of(known)), known);
  history const nothing{.of = here()};
  EXPECT_EQ(read_history("a.json", text_of(nothing)), nothing);
}

TEST(history_text, a_file_of_version_1_has_times_only) {
  history const old = read_history(
      "a.json", R"({"workers": 2, "times": [{"type": 1, "address": 0, "leader": 1, "width": 1, "ns": 5}]})");
  EXPECT_EQ(old.version, 1U);
  EXPECT_EQ(old.of, (run_identity{.program = {}, .machine = {}, .workers = 2}));
  EXPECT_EQ(old.times.size(), 1U);
  EXPECT_TRUE(old.calls.empty());
}

TEST(history_text, of_a_newer_version_only_the_version_is_read) {
  history const newer = read_history("a.json", R"({"version": 3, "times": [17], "future": {}})");
  EXPECT_EQ(newer.version, 3U);
  EXPECT_TRUE(newer.times.empty());
}

TEST(history_text, every_mistake_is_named) {
  EXPECT_EQ(refusal("{\"workers\": 2"),
            "a.json: no JSON from byte 14 on; allowed: a file that a run of arms or auto has written");
  EXPECT_EQ(refusal(R"({"workers": 1e999})").find("a.json: a number that is too large: "), 0U);
  EXPECT_EQ(refusal("[]"), "a.json: it has no list \"times\"; allowed: a file that a run of arms or auto has written");
  EXPECT_EQ(refusal(R"({"times": []})"), "a.json: \"workers\" is missing; allowed: 1 to 65536");
  EXPECT_EQ(refusal(R"({"workers": 0, "times": []})"), "a.json: \"workers\" is 0; allowed: 1 to 65536");
  EXPECT_EQ(refusal(R"({"workers": 2, "times": [], "call": []})"),
            "a.json: \"call\" is no part of it; allowed: version, workers, program, machine, times, calls");
  EXPECT_EQ(refusal(R"({"version": "2", "workers": 2, "times": []})"),
            "a.json: \"version\" is \"2\"; allowed: 1 to 1152921504606846976");
  EXPECT_EQ(refusal(R"({"version": "\u001b[2J", "workers": 2, "times": []})").find('\x1b'), std::string::npos);
  EXPECT_EQ(refusal(R"({"version": 2, "workers": 2, "times": []})"), "a.json: \"program\" is missing; allowed: a text");
  EXPECT_EQ(refusal(R"({"version": 2, "workers": 2, "program": "p", "machine": 4, "times": []})"),
            "a.json: \"machine\" is 4; allowed: a text");
  EXPECT_EQ(refusal(R"({"workers": 2, "times": [1]})"),
            "a.json, entry 1 of \"times\": \"type\" is missing; allowed: 0 to 65535");
  EXPECT_EQ(refusal(R"({"workers": 2, "times": [{"type": 1, "address": 1, "leader": 0, "width": 1, "ns": 1}]})"),
            "a.json, entry 1 of \"times\": \"address\" is 1; allowed: 0 or more and less than 1");
  EXPECT_EQ(refusal(R"({"workers": 2, "times": [{"type": 1, "address": 0.5, "leader": 2, "width": 1, "ns": 1}]})"),
            "a.json, entry 1 of \"times\": \"leader\" is 2; allowed: 0 to 1");
  EXPECT_EQ(refusal(R"({"workers": 2, "times": [{"type": 1, "address": 0.5, "leader": 1, "width": -1, "ns": 1}]})"),
            "a.json, entry 1 of \"times\": \"width\" is -1; allowed: 1 to 2");
  EXPECT_EQ(refusal(R"({"workers": 2, "times": [{"type": 1, "address": 0.5, "leader": 1, "width": 1}]})"),
            "a.json, entry 1 of \"times\": \"ns\" is missing; allowed: 1 to 1152921504606846976");
}

/// The message for the second of two calls, in which `from` was replaced by `to`.
std::string refusal_of_call(std::string_view from, std::string_view to) {
  std::string text = text_of({.of = here(), .calls = {one_call(), one_call()}});
  auto const at = text.rfind(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::string const said = refusal(text);
  constexpr std::string_view where = "a.json, entry 2 of \"calls\": ";
  EXPECT_TRUE(said.starts_with(where)) << said;
  return said.substr(std::min(said.size(), where.size()));
}

TEST(history_text, every_mistake_in_a_call_is_named) {
  EXPECT_EQ(refusal_of_call("\"module\"", "\"modul\""), "\"module\" is missing; allowed: a text");
  EXPECT_EQ(refusal_of_call("\"00ff\"", "255"), "\"build\" is 255; allowed: a text");
  EXPECT_EQ(refusal_of_call("18446744073709551615", "-1"), "\"offset\" is -1; allowed: 0 to 18446744073709551615");
  EXPECT_EQ(refusal_of_call("\"measured\"", "\"guessed\""),
            "\"evidence\" is \"guessed\"; allowed: first, spawns, measured, tiny");
  EXPECT_EQ(refusal_of_call("\"since_call\":3", "\"since_call\":0"),
            "\"since_call\" is 0; allowed: 1 to 1152921504606846976");
  EXPECT_EQ(refusal_of_call("\"calls_ns\":5000000000", "\"calls_ns\":0.5"),
            "\"calls_ns\" is 0.5; allowed: 0 to 1152921504606846976");
  EXPECT_EQ(refusal_of_call("\"gain\":0.8125", "\"gain\":-1"), "\"gain\" is -1; allowed: 0 to 1e9");
  EXPECT_EQ(refusal_of_call("\"changes\":2", "\"changes\":1e9"), "\"changes\" is 1000000000.0; allowed: 0 to 1000000");
  EXPECT_EQ(refusal_of_call("\"trials\":[", "\"trials\":1,\"was\":["), "\"trials\" is 1; allowed: a list");
  EXPECT_EQ(refusal_of_call("\"ratio\":1.75", "\"ratio\":\"1\""), "\"ratio\" is \"1\"; allowed: 0 to 1e9");
  EXPECT_EQ(refusal_of_call("\"ns\":77", "\"ns\":[]"), "\"ns\" is []; allowed: 0 to 1152921504606846976");
  EXPECT_EQ(refusal_of_call("{\"shape\":", "[],{\"shape\":"),
            "\"shape\" is missing; allowed: 0 to 18446744073709551615");
  std::string const no_list = text_of({.of = here()});
  EXPECT_EQ(refusal(std::string(no_list).replace(no_list.find("\"calls\": [\n]"), 12, "\"calls\": 1")),
            "a.json: \"calls\" is no list; allowed: a file that a run of arms or auto has written");
}

}}}}  // namespace skua::v0::runtime
