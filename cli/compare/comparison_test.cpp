// SPDX-License-Identifier: MIT
// What a comparison concludes from rows whose times the test chooses.
#include "cli/compare/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/compare/invented_test.hpp"
#include "cli/compare/page_data.hpp"

namespace skua::cli { namespace {

std::vector<double> around(double s) { return {s * 0.99, s, s * 1.01}; }

bool says(std::vector<std::string> const& lines, std::string_view part) {
  return std::ranges::any_of(lines, [part](std::string const& line) { return line.find(part) != std::string::npos; });
}

contender const& of(comparison const& c, std::string_view name, unsigned workers) {
  return *std::ranges::find_if(c.all(),
                               [&](contender const& one) { return one.name() == name && one.workers() == workers; });
}

TEST(comparison, speed_ups_are_over_the_serial_elision_if_it_ran) {
  invented_rows all;
  all.policy("random", 1, around(1.2));
  all.serial(around(1));
  all.policy("random", 2, around(0.5));
  comparison const c(all.rows());
  EXPECT_EQ(name_of_reference(c), "the serial elision");
  EXPECT_DOUBLE_EQ(of(c, "random", 2).speed_up->middle, 2);
  EXPECT_DOUBLE_EQ(of(c, "random", 2).efficiency->middle, 1);
  EXPECT_EQ(c.worker_counts(), (std::vector{1U, 2U}));
}

TEST(comparison, without_serial_speed_ups_are_over_the_fastest_with_the_fewest_workers) {
  invented_rows all;
  all.policy("random", 4, around(0.25));
  all.policy("random", 2, around(0.6));
  all.peer("tbb", 2, around(0.5));
  comparison const c(all.rows());
  EXPECT_EQ(name_of_reference(c), "tbb on 2 workers");
  EXPECT_DOUBLE_EQ(of(c, "random", 4).speed_up->middle, 2);
  EXPECT_DOUBLE_EQ(of(c, "random", 4).efficiency->middle, 1) << "twice as fast with twice the workers";
}

TEST(comparison, everybody_is_compared_with_the_fastest_peer_on_as_many_workers) {
  invented_rows all;
  all.policy("adws", 2, around(0.4));
  all.peer("openmp", 2, around(0.5));
  all.peer("tbb", 2, around(0.8));
  all.policy("adws", 4, around(0.2));
  comparison const c(all.rows());
  EXPECT_DOUBLE_EQ(of(c, "adws", 2).ratio_to_peer->middle, 1.25);
  EXPECT_DOUBLE_EQ(of(c, "tbb", 2).ratio_to_peer->middle, 0.625);
  EXPECT_EQ(of(c, "tbb", 2).peer->name(), "openmp");
  EXPECT_FALSE(of(c, "adws", 4).ratio_to_peer);
}

TEST(comparison, who_gives_wrong_answers_is_neither_reference_nor_peer_nor_ranked) {
  invented_rows all;
  all.serial(around(1)).wrong_answers = 1;
  all.peer("openmp", 1, around(0.1)).wrong_answers = 2;
  all.peer("tbb", 1, around(0.9));
  all.policy("random", 1, around(0.8));
  comparison const c(all.rows());
  EXPECT_EQ(name_of_reference(c), "random on 1 worker");
  EXPECT_EQ(of(c, "random", 1).peer->name(), "tbb");
  EXPECT_EQ(c.ranking(1).size(), 2U);
  EXPECT_FALSE(of(c, "openmp", 1).speed_up);
  EXPECT_FALSE(of(c, "openmp", 1).ratio_to_peer);
  EXPECT_FALSE(says(summary_of(c), "openmp is the fastest"));
}

TEST(comparison, if_all_answers_are_wrong_there_is_nothing_to_compare_with) {
  invented_rows all;
  all.policy("random", 2, around(1)).wrong_answers = 1;
  comparison const c(all.rows());
  EXPECT_EQ(c.reference(), nullptr);
  EXPECT_EQ(name_of_reference(c), "");
  EXPECT_EQ(summary_of(c).front(), "No answer was right: there is nothing to compare.");
}

TEST(summary, a_clear_winner_is_named_with_the_distance_to_the_next_and_the_slowest) {
  invented_rows all;
  all.policy("adws", 2, around(0.1));
  all.policy("random", 2, around(0.3));
  all.peer("tbb", 2, around(0.2));
  EXPECT_EQ(
      summary_of(comparison(all.rows())).front(),
      "On 2 workers, adws is the fastest: 100.00 ms. The next, tbb, takes 2.00 times as long: 200.00 ms. The slowest, "
      "random, takes 3.00 times as long.");
}

TEST(summary, who_overlaps_with_the_fastest_is_within_the_spread) {
  invented_rows all;
  all.policy("adws", 2, around(0.1));
  all.policy("random", 2, around(0.101));
  all.peer("tbb", 2, around(0.1015));
  all.peer("openmp", 2, around(0.2));
  EXPECT_EQ(
      summary_of(comparison(all.rows())).front(),
      "On 2 workers, no runner is clearly the fastest: adws has the smallest median, 100.00 ms, and random and tbb "
      "are within the spread. The next, openmp, takes 2.00 times as long: 200.00 ms.");
}

TEST(summary, our_fastest_and_the_fastest_peer_may_overlap_where_the_next_does_not) {
  invented_rows all;
  all.policy("adws", 2, {0.1, 0.1, 0.2});
  all.policy("random", 2, {0.21, 0.21, 0.21});
  all.peer("tbb", 2, {0.15, 0.3, 0.4});
  EXPECT_TRUE(
      says(summary_of(comparison(all.rows())), "adws and the fastest peer, tbb, are within the spread of each other."));
}

TEST(summary, our_fastest_is_held_against_the_fastest_peer_wherever_they_stand) {
  invented_rows all;
  all.peer("tbb", 2, around(0.1));
  all.peer("openmp", 2, around(0.2));
  all.policy("random", 2, around(0.3));
  EXPECT_TRUE(says(summary_of(comparison(all.rows())),
                   "Skua's fastest, random, takes 3.00 times as long as the fastest peer, tbb."));
  invented_rows ours;
  ours.policy("adws", 2, around(0.1));
  ours.policy("random", 2, around(0.15));
  ours.peer("tbb", 2, around(0.2));
  EXPECT_TRUE(says(summary_of(comparison(ours.rows())), "The fastest peer, tbb, takes 2.00 times as long as adws."));
}

TEST(summary, the_largest_number_of_workers_has_its_speed_up_and_efficiency) {
  invented_rows all;
  all.serial(around(1));
  all.policy("random", 1, around(1));
  all.policy("random", 4, around(0.5));
  EXPECT_EQ(summary_of(comparison(all.rows())).back(),
            "On 4 workers, random is 2.00 times as fast as the serial elision: an efficiency of 50%.");
}

TEST(summary, who_is_slower_with_more_workers_takes_so_many_times_as_long) {
  invented_rows all;
  all.serial(around(1));
  all.policy("random", 2, around(4));
  EXPECT_EQ(summary_of(comparison(all.rows())).back(),
            "On 2 workers, random takes 4.00 times as long as the serial elision: an efficiency of 12%.");
}

TEST(summary, one_round_is_said_to_have_no_spread) {
  invented_rows all;
  all.policy("random", 1, {1});
  all.policy("adws", 1, {2});
  EXPECT_TRUE(says(summary_of(comparison(all.rows())), "One round has no spread"));
}

json document_with(std::size_t rows) {
  json document{{"app", "heat"}, {"options", {{"n", "640"}, {"input", "a b.pgm"}, {"check", "true"}}}};
  for (std::size_t i = 0; i < rows; ++i) document["rows"].push_back({{"runner", "as --json has it"}});
  return document;
}

TEST(page_data, a_page_has_the_rows_of_json_and_what_follows_from_them) {
  invented_rows all;
  all.serial(around(1));
  all.policy("random", 2, around(0.5));
  all.peer("tbb", 2, around(0.505)).wrong_answers = 1;
  json const data =
      page_data(comparison(all.rows()), document_with(3), {.command = "skua compare heat", .notes = {"n"}});
  EXPECT_EQ(data["question"], "Which runs heat --n 640 --input 'a b.pgm' --check fastest on 2 workers?");
  EXPECT_EQ(data["command"], "skua compare heat");
  EXPECT_EQ(data["notes"], json({"n"}));
  EXPECT_EQ(data["reference"]["name"], "the serial elision");
  EXPECT_EQ(data["worker_counts"], json({2}));
  EXPECT_EQ(data["spread"], "all rounds");
  auto const& rows = data["rows"];
  EXPECT_EQ(rows[0]["runner"], "as --json has it");
  EXPECT_EQ(rows[0]["kind"], "serial");
  EXPECT_EQ(rows[1]["kind"], "policy");
  EXPECT_EQ(rows[2]["kind"], "peer");
  EXPECT_DOUBLE_EQ(rows[1]["speed_up"]["middle"].get<double>(), 2);
  EXPECT_TRUE(rows[1]["to_peer"].is_null()) << "the only peer was wrong";
  EXPECT_EQ(rows[2]["wrong_answers"], 1);
}

TEST(page_data, a_ratio_says_whose_it_is_and_whether_it_is_beyond_the_spread) {
  invented_rows all;
  all.peer("tbb", 2, around(0.5));
  all.policy("near", 2, around(0.501));
  all.policy("far", 2, around(0.6));
  json const rows = page_data(comparison(all.rows()), document_with(3), {})["rows"];
  EXPECT_EQ(rows[1]["to_peer"]["peer"], "tbb");
  EXPECT_EQ(rows[1]["to_peer"]["is_apart"], false);
  EXPECT_EQ(rows[2]["to_peer"]["is_apart"], true);
}

}}  // namespace skua::cli
