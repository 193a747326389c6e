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

TEST(history_text, text_and_times_are_two_forms_of_one_thing) {
  history const known{
      .workers = 4,
      .times = {
          {.type = 65'535, .address = address::at(1), .leader = worker_id{3}, .width = 1, .ns = std::uint64_t{1} << 60},
          {.type = 0, .address = address::at(0.3), .leader = worker_id{0}, .width = 4, .ns = 1}}};
  EXPECT_EQ(read_history("a.json", text_of(known)), known);
  history const nothing{.workers = 4, .times = {}};
  EXPECT_EQ(read_history("a.json", text_of(nothing)), nothing);
}

TEST(history_text, every_mistake_is_named) {
  EXPECT_EQ(refusal("{\"workers\": 2"),
            "a.json: no JSON from byte 14 on; allowed: a file that a run of arms has written");
  EXPECT_EQ(refusal("[]"), "a.json: it has no list \"times\"; allowed: a file that a run of arms has written");
  EXPECT_EQ(refusal(R"({"times": []})"), "a.json: \"workers\" is missing; allowed: 1 to 65536");
  EXPECT_EQ(refusal(R"({"workers": 0, "times": []})"), "a.json: \"workers\" is 0; allowed: 1 to 65536");
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

}}}}  // namespace skua::v0::runtime
