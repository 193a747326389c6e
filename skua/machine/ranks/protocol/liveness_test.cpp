// SPDX-License-Identifier: MIT
// Who is taken for dead, and when; lost_rank_test has it with real ranks and real time.
#include "skua/machine/ranks/protocol/liveness.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace skua { inline namespace v0 { namespace ranks { namespace {

constexpr std::uint64_t ms = 1'000'000;

class watched_network final : public transport {
 public:
  watched_network(rank_number me, rank_number all) : lives(all, life::unknown), me_(me) {}
  [[nodiscard]] rank_number rank() const noexcept override { return me_; }
  [[nodiscard]] rank_number ranks() const noexcept override { return static_cast<rank_number>(lives.size()); }
  [[nodiscard]] neighbours node() const noexcept override { return {me_, me_ + 1}; }
  [[nodiscard]] life life_of(rank_number rank) const override { return lives.at(rank); }
  void send(rank_number to, message_header head, std::span<std::byte const>) override {
    EXPECT_EQ(head.kind, kind::alive);
    EXPECT_EQ(head.collection, 0U);
    told.push_back(to);
  }
  void send_in_place(rank_number, message_header, std::span<std::byte const>, std::uint64_t) override {}
  bool poll(receiver&) override { return false; }
  [[nodiscard]] std::uint64_t now_ns() const noexcept override { return began_ns; }
  void rest(std::uint32_t) override {}

  std::uint64_t began_ns = 1000 * ms;
  std::vector<life> lives;
  std::vector<rank_number> told;

 private:
  rank_number me_;
};

/// `me` of four ranks, with a deadline of 80 ms: a look is due every 10 ms. Times are from its beginning.
struct watch {
  explicit watch(rank_number me) : network(me, 4), who(network, 80 * ms), live(4) {}

  std::vector<std::pair<rank_number, std::string>> look(std::uint64_t at_ns) {
    network.told.clear();
    std::vector<std::pair<rank_number, std::string>> found;
    for (auto const& d : who.look(network.began_ns + at_ns, live)) found.emplace_back(d.rank, d.reason);
    return found;
  }
  void heard(rank_number from, std::uint64_t at_ns) { who.heard(from, network.began_ns + at_ns); }
  /// Looks as often as it is due, from one time to the next, and finds nobody dead.
  void look_until(std::uint64_t from_ns, std::uint64_t to_ns) {
    for (std::uint64_t at = from_ns; at <= to_ns; at += 10 * ms) EXPECT_TRUE(look(at).empty()) << at / ms;
  }

  watched_network network;
  liveness who;
  live_ranks live;
};

using deaths = std::vector<std::pair<rank_number, std::string>>;
using told = std::vector<rank_number>;

TEST(liveness, rank_0_tells_all_others_that_live_that_it_is_there_and_they_tell_rank_0) {
  watch root(0);
  EXPECT_TRUE(root.look(10 * ms - 1).empty());
  EXPECT_EQ(root.network.told, told{}) << "it is not due";
  EXPECT_TRUE(root.look(10 * ms).empty());
  EXPECT_EQ(root.network.told, (told{1, 2, 3}));
  EXPECT_TRUE(root.look(19 * ms).empty());
  EXPECT_EQ(root.network.told, told{}) << "since the last look";
  root.live.remove(2);
  EXPECT_TRUE(root.look(20 * ms).empty());
  EXPECT_EQ(root.network.told, (told{1, 3}));
  watch other(2);
  EXPECT_TRUE(other.look(10 * ms).empty());
  EXPECT_EQ(other.network.told, told{0});
}

TEST(liveness, a_look_is_due_every_50_ms_at_least) {
  watched_network network(1, 2);
  liveness who(network, 100'000 * ms);
  live_ranks const live(2);
  EXPECT_TRUE(who.look(network.began_ns + 49 * ms, live).empty());
  EXPECT_EQ(network.told, told{});
  EXPECT_TRUE(who.look(network.began_ns + 50 * ms, live).empty());
  EXPECT_EQ(network.told, told{0});
}

TEST(liveness, who_is_silent_for_longer_than_the_deadline_is_dead) {
  watch root(0);
  for (rank_number r = 1; r < 4; ++r) root.heard(r, 5 * ms);
  root.look_until(10 * ms, 70 * ms);
  EXPECT_TRUE(root.look(85 * ms).empty()) << "for exactly as long";
  root.heard(1, 90 * ms);
  root.heard(3, 90 * ms);
  EXPECT_EQ(root.look(100 * ms), (deaths{{2, "it was silent for 0.1 s"}}));
  watch other(2);
  other.look_until(10 * ms, 80 * ms);
  EXPECT_EQ(other.look(95 * ms), (deaths{{0, "it was silent for 0.1 s"}}));
  watch that_hears(2);
  that_hears.look_until(10 * ms, 80 * ms);
  that_hears.heard(0, 80 * ms);
  EXPECT_TRUE(that_hears.look(95 * ms).empty());
}

TEST(liveness, where_the_transport_can_tell_silence_is_no_death_and_an_end_is_one) {
  watch root(0);
  root.network.lives[1] = transport::life::there;
  root.network.lives[3] = transport::life::ended;
  EXPECT_EQ(root.look(10 * ms), (deaths{{3, "its process has ended"}}));
  root.live.remove(3);
  for (std::uint64_t at = 20; at <= 200; at += 10) {
    root.heard(2, at * ms);
    EXPECT_TRUE(root.look(at * ms).empty());
  }
}

TEST(liveness, who_is_stopped_for_longer_than_the_deadline_is_dead) {
  watch root(0);
  root.network.lives = {transport::life::there, transport::life::stopped, transport::life::there,
                        transport::life::there};
  root.look_until(10 * ms, 50 * ms);
  root.network.lives[1] = transport::life::there;  // it went on
  root.look_until(60 * ms, 60 * ms);
  root.network.lives[1] = transport::life::stopped;
  root.look_until(70 * ms, 150 * ms);
  EXPECT_EQ(root.look(160 * ms), (deaths{{1, "its process has been stopped for 0.1 s"}}));
  watch that_was_away(0);
  that_was_away.network.lives[1] = transport::life::stopped;
  for (rank_number r = 2; r < 4; ++r) that_was_away.network.lives[r] = transport::life::there;
  that_was_away.look_until(10 * ms, 20 * ms);
  EXPECT_TRUE(that_was_away.look(1000 * ms).empty()) << "the launcher has stopped all ranks";
}

TEST(liveness, a_process_is_asked_for_only_if_its_rank_was_not_heard) {
  watch root(0);
  root.network.lives[1] = transport::life::ended;
  root.heard(1, 5 * ms);
  for (rank_number r = 2; r < 4; ++r) root.heard(r, 5 * ms);
  EXPECT_TRUE(root.look(10 * ms).empty());
  EXPECT_EQ(root.look(20 * ms), (deaths{{1, "its process has ended"}}));
}

TEST(liveness, at_the_end_of_a_session_silence_is_no_death_and_an_end_is_one_after_a_time) {
  watch root(0);
  root.who.wait_for_the_end();
  root.network.lives[1] = transport::life::ended;
  root.look_until(10 * ms, 2010 * ms);
  EXPECT_EQ(root.look(2020 * ms), (deaths{{1, "its process has ended"}}));
}

TEST(liveness, a_silent_rank_is_told_every_eighth_of_the_deadline) {
  watched_network network(1, 2);
  liveness who(network, 4000 * ms);  // a look is due every 50 ms
  live_ranks const live(2);
  std::size_t before = 0;
  for (std::uint64_t at = 50; at <= 2000; at += 50) {
    static_cast<void>(who.look(network.began_ns + at * ms, live));
    before = network.told.size();
  }
  EXPECT_EQ(before, 4U);
  for (std::uint64_t at = 2050; at <= 2500; at += 50) {
    who.heard(0, network.began_ns + (at - 1) * ms);
    static_cast<void>(who.look(network.began_ns + at * ms, live));
  }
  EXPECT_EQ(network.told.size() - before, 10U);
}

TEST(liveness, nobody_is_blamed_for_a_time_in_which_this_rank_did_not_look) {
  watch root(0);
  root.look_until(10 * ms, 40 * ms);
  EXPECT_TRUE(root.look(1000 * ms).empty()) << "it was away for 960 ms, and had heard nobody for 40 ms";
  root.look_until(1010 * ms, 1040 * ms);
  EXPECT_EQ(root.look(1050 * ms).size(), 3U) << "40 ms before, and more than 40 since";
  // A look that is late by as much again is still one.
  watch other(0);
  other.look_until(20 * ms, 20 * ms);
  for (std::uint64_t at = 40; at <= 80; at += 20) EXPECT_TRUE(other.look(at * ms).empty());
  EXPECT_EQ(other.look(100 * ms).size(), 3U);
}

}}}}  // namespace skua::v0::ranks
