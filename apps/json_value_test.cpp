// SPDX-License-Identifier: MIT
#include "apps/json_value.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace skua::apps {
namespace {

using json = json_value;
using library = nlohmann::ordered_json;

/// Both values from the same braces, as text.
#define EXPECT_WRITES_AS_THE_LIBRARY(...) EXPECT_EQ((json __VA_ARGS__).dump(), (library __VA_ARGS__).dump())

TEST(json_value, scalars_are_written_as_the_library_writes_them) {
  EXPECT_WRITES_AS_THE_LIBRARY(());
  EXPECT_WRITES_AS_THE_LIBRARY((nullptr));
  EXPECT_WRITES_AS_THE_LIBRARY((true));
  EXPECT_WRITES_AS_THE_LIBRARY((-3));
  EXPECT_WRITES_AS_THE_LIBRARY((std::numeric_limits<std::int64_t>::min()));
  EXPECT_WRITES_AS_THE_LIBRARY((std::numeric_limits<std::uint64_t>::max()));
  EXPECT_WRITES_AS_THE_LIBRARY((2.0));
  EXPECT_WRITES_AS_THE_LIBRARY((0.1));
  EXPECT_WRITES_AS_THE_LIBRARY((0.1F));
  EXPECT_WRITES_AS_THE_LIBRARY((1e300));
  EXPECT_WRITES_AS_THE_LIBRARY((std::nan("")));
  EXPECT_WRITES_AS_THE_LIBRARY(("a \"quoted\"\n\tline \x01 \xc3\xa9"));
  EXPECT_WRITES_AS_THE_LIBRARY((std::string_view("seen")));
  EXPECT_WRITES_AS_THE_LIBRARY((std::string(1, '\0')));
}

TEST(json_value, lists_in_braces_mean_what_they_mean_to_the_library) {
  EXPECT_WRITES_AS_THE_LIBRARY({});
  EXPECT_WRITES_AS_THE_LIBRARY(({1, "two", 3.5, nullptr, {}}));
  EXPECT_WRITES_AS_THE_LIBRARY(({"a", "b"}));
  EXPECT_WRITES_AS_THE_LIBRARY(({{"a", "b"}}));
  EXPECT_WRITES_AS_THE_LIBRARY({{"a", "b"}});
  EXPECT_WRITES_AS_THE_LIBRARY(({{"z", 1}, {"a", {{"y", {1, 2}}, {"b", {"x", "y", "z"}}}}}));
  EXPECT_WRITES_AS_THE_LIBRARY(({{"a", 1}, {2, 3}}));
  EXPECT_WRITES_AS_THE_LIBRARY(({{"same", 1}, {"same", 2}}));
  EXPECT_WRITES_AS_THE_LIBRARY({{"values", std::vector{1, 2, 3}}});
  EXPECT_EQ(json::array({{"a", 1}, {"b", 2}}).dump(), library::array({{"a", 1}, {"b", 2}}).dump());
  EXPECT_EQ(json::array({{{"a", 1}, {"b", 2}}}).dump(), library::array({{{"a", 1}, {"b", 2}}}).dump());
  EXPECT_EQ(json::array().dump(), "[]");
  EXPECT_EQ(json::object().dump(), "{}");
  json assigned;
  assigned = {{"moves", 3}, {"seed", 1}};
  EXPECT_EQ(assigned.dump(), R"({"moves":3,"seed":1})");
}

TEST(json_value, ranges_are_arrays) {
  std::vector<std::string> const words{"a", "b"};
  std::array const numbers{0.5, 1.5};
  EXPECT_EQ(json(words).dump(), R"(["a","b"])");
  EXPECT_EQ(json(numbers).dump(), "[0.5,1.5]");
  EXPECT_EQ(json(std::span(numbers)).dump(), "[0.5,1.5]");
  EXPECT_EQ(json(std::vector<bool>{true, false}).dump(), "[true,false]");
  EXPECT_EQ(json(std::vector<std::vector<int>>{{1}, {}}).dump(), "[[1],[]]");
}

TEST(json_value, indented_text_is_that_of_the_library) {
  std::string const text = R"({"b":[1,{"c":[]},{}],"a":null,"n":[1.5,-2,18446744073709551615]})";
  EXPECT_EQ(json::parse(text).dump(2), library::parse(text).dump(2));
  EXPECT_EQ(json::parse(text).dump(), text);
}

TEST(json_value, what_is_no_utf_8_is_refused_or_replaced) {
  json const value{{"name", "a\xff"}};
  EXPECT_THROW(static_cast<void>(value.dump()), std::exception);
  EXPECT_EQ(value.dump_repaired(), "{\"name\":\"a\xef\xbf\xbd\"}");
}

TEST(json_value, what_is_no_json_is_discarded) {
  for (char const* const text : {"", "{", "[1,", "nul", "{\"a\" 1}", "1 2"}) {
    EXPECT_TRUE(json::parse(text).is_discarded()) << text;
    EXPECT_FALSE(json::parse(text).is_object()) << text;
  }
}

TEST(json_value, keys_are_found_added_and_kept_in_their_order) {
  json value;
  value["z"] = 1;
  value["a"]["inner"].push_back("x");
  value["z"] = 2;
  EXPECT_EQ(value.dump(), R"({"z":2,"a":{"inner":["x"]}})");
  EXPECT_TRUE(value.contains("a"));
  EXPECT_FALSE(value.contains("b"));
  EXPECT_EQ(value.find("b"), value.end());
  EXPECT_EQ(value.at("a").front().back(), "x");
  EXPECT_EQ(value.value("z", 0), 2);
  EXPECT_EQ(value.value("b", "none"), "none");
  value.update({{"b", 3}, {"z", 4}});
  EXPECT_EQ(value.dump(), R"({"z":4,"a":{"inner":["x"]},"b":3})");
  std::string seen;
  for (auto const& [key, one] : value.items()) seen += key + "=" + one.dump() + ";";
  EXPECT_EQ(seen, R"(z=4;a={"inner":["x"]};b=3;)");
}

TEST(json_value, sorting_reaches_every_object_and_no_array) {
  json const value{{"b", {{"z", 1}, {"y", {{{"d", 1}, {"c", 2}}, 3, 1}}}}, {"a", 0}, {"B", 0}};
  EXPECT_EQ(value.sorted().dump(), nlohmann::json::parse(value.dump()).dump());
}

TEST(json_value, a_wrong_kind_or_a_missing_item_is_an_error) {
  json const value{{"a", 1}};
  EXPECT_THROW(static_cast<void>(value["b"]), std::out_of_range);
  EXPECT_THROW(static_cast<void>(value["a"][0]), std::out_of_range);
  EXPECT_THROW(static_cast<void>(value["a"].get<std::string>()), std::logic_error);
  EXPECT_THROW(static_cast<void>(value["a"].get<bool>()), std::logic_error);
  EXPECT_THROW(static_cast<void>(value.get<int>()), std::logic_error);
  json number = 1;
  EXPECT_THROW(number.push_back(1), std::logic_error);
  EXPECT_THROW(number["a"] = 1, std::logic_error);
}

TEST(json_value, numbers_are_equal_if_their_values_are) {
  EXPECT_EQ(json(1), json(1U));
  EXPECT_EQ(json(1), json(1.0));
  EXPECT_NE(json(1), json(1.5));
  EXPECT_NE(json(1), json(true));
  EXPECT_NE(json(1), json("1"));
  EXPECT_EQ(json(), json(nullptr));
  EXPECT_NE(json::discarded(), json::discarded());
  EXPECT_EQ(json({1, {{"a", "b"}}}), json({1.0, {{"a", "b"}}}));
  EXPECT_NE(json({{"a", 1}, {"b", 2}}), json({{"b", 2}, {"a", 1}}));
  EXPECT_NE(json::array(), json::object());
}

TEST(json_value, kinds_and_numbers_are_told_apart_as_in_the_library) {
  json const read = json::parse("[1,-1,1.5,true,null,\"x\"]");
  EXPECT_TRUE(read[0].is_number_unsigned());
  EXPECT_TRUE(read[1].is_number_integer() && !read[1].is_number_unsigned());
  EXPECT_TRUE(read[2].is_number_float() && read[2].is_number() && !read[2].is_number_integer());
  EXPECT_TRUE(read[3].is_boolean() && read[4].is_null() && read[5].is_string());
  EXPECT_EQ(read[2].get<int>(), 1);
  EXPECT_EQ(read[0].get<double>(), 1.0);
}

TEST(json_value, copies_are_apart_and_what_was_moved_from_is_null) {
  json first{{"list", {1, 2}}};
  json second = first;
  second["list"].push_back(3);
  EXPECT_EQ(first.dump(), R"({"list":[1,2]})");
  json const third = std::move(second);
  EXPECT_EQ(third["list"].size(), 3U);
  EXPECT_TRUE(second.is_null());  // NOLINT(bugprone-use-after-move): the next lines depend on it
  first = std::move(first["list"]);
  EXPECT_EQ(first.dump(), "[1,2]");
  first = first[1];
  EXPECT_EQ(first.dump(), "2");
}

TEST(json_value, a_failing_test_shows_the_text) {
  std::ostringstream shown;
  shown << json{{"a", 1}};
  EXPECT_EQ(shown.str(), R"({"a":1})");
}

}  // namespace
}  // namespace skua::apps
