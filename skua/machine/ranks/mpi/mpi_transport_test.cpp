// SPDX-License-Identifier: MIT
// What only MPI can show: traffic of the program beside ours, parts of the ranks, and bodies in pieces.
#include "skua/machine/ranks/mpi/mpi_transport.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <numeric>
#include <vector>

#include "skua/machine/ranks/mpi/over.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

int world_size() {
  int n = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}
int world_rank() {
  int n = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &n);
  return n;
}

class collector final : public receiver {
 public:
  void on_message(message const& m) override {
    from.push_back(m.head.sender);
    bodies.emplace_back(m.body.begin(), m.body.end());
  }
  void on_sent(std::uint64_t token) override { sent.push_back(token); }
  std::vector<rank_number> from;
  std::vector<std::vector<std::byte>> bodies;
  std::vector<std::uint64_t> sent;
};

std::vector<std::byte> pattern(std::size_t n, rank_number from) {
  std::vector<std::byte> b(n);
  for (std::size_t at = 0; at < n; ++at) b[at] = static_cast<std::byte>(at * 31 + from);
  return b;
}

// Each rank sends to the next one: empty, small, larger than a letter, and of several pieces.
TEST(mpi_transport, carries_bodies_of_any_size) {
  mpi_transport network(MPI_COMM_WORLD, {.letter_bytes = 256, .piece_bytes = 1000});
  std::vector<std::size_t> const sizes{0, 1, 256, 257, 1000, 1001, 12'345, 0, 100'000};
  rank_number const next = (network.rank() + 1) % network.ranks();
  rank_number const last = (network.rank() + network.ranks() - 1) % network.ranks();
  std::vector<std::vector<std::byte>> kept;
  for (std::size_t const n : sizes) kept.push_back(pattern(n, network.rank()));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i % 2 == 0) {
      network.send(next, {}, kept[i]);
    } else {
      network.send_in_place(next, {}, kept[i], i);
    }
  }
  collector got;
  while (got.bodies.size() < sizes.size() || got.sent.size() < sizes.size() / 2) network.poll(got);
  EXPECT_EQ(got.from, std::vector<rank_number>(sizes.size(), last));
  std::size_t sum = 0;
  for (auto const& b : got.bodies) {
    EXPECT_EQ(b, pattern(b.size(), last));
    sum += b.size();
  }
  EXPECT_EQ(sum, std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(mpi_transport, keeps_to_itself_beside_traffic_of_the_program_with_any_tag) {
  auto const world = mpi::over(MPI_COMM_WORLD);
  int const next = (world_rank() + 1) % world_size();
  int const last = (world_rank() + world_size() - 1) % world_size();
  constexpr int tags = 4;
  std::vector<int> sent(tags);
  std::vector<MPI_Request> requests(tags);
  for (int tag = 0; tag < tags; ++tag) {
    sent[static_cast<std::size_t>(tag)] = 100 * world_rank() + tag;
    MPI_Isend(&sent[static_cast<std::size_t>(tag)], 1, MPI_INT, next, tag, MPI_COMM_WORLD,
              &requests[static_cast<std::size_t>(tag)]);
  }
  int ran = 0;
  task_collection<int> all(*world, {}, [&](int) { ++ran; });
  if (world_rank() == 0) {
    for (int n = 0; n < 100; ++n) all.add(n);
  }
  all.process();
  for (int tag = tags; tag-- > 0;) {
    int got = 0;
    MPI_Recv(&got, 1, MPI_INT, last, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, 100 * last + tag);
  }
  MPI_Waitall(tags, requests.data(), MPI_STATUSES_IGNORE);
  EXPECT_EQ(world->sum(std::uint64_t(ran)), 100U);
}

// Longer and shorter than the memory that is kept, and in several pieces.
TEST(mpi_transport, sums_of_any_length_one_after_the_other_use_memory_again) {
  mpi_transport network(MPI_COMM_WORLD, {.piece_bytes = 1000, .kept_bytes = 400 * sizeof(double)});
  double const ranks = network.ranks();
  for (std::size_t const n : {300U, 100U, 400U, 401U, 5000U, 1U, 300U, 399U, 125U, 400U}) {
    std::vector<double> own(n);
    for (std::size_t i = 0; i < n; ++i) own[i] = static_cast<double>(i + n) + network.rank();
    network.start_sum(own);
    while (!network.take_sum(own)) {}
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(own[i], ranks * static_cast<double>(i + n) + ranks * (ranks - 1) / 2) << i << " of " << n;
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(mpi_transport, works_on_a_part_of_the_ranks) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, -world_rank(), &half);
  {
    auto const some = mpi::over(half);
    int ran = 0;
    task_collection<int> all(*some, {}, [&](int) { ++ran; });
    for (int n = 0; n < 10; ++n) all.add(n);
    all.process();
    EXPECT_EQ(some->sum(std::uint64_t(ran)), 10U * some->size());
  }
  MPI_Comm_free(&half);
}

}}}}  // namespace skua::v0::ranks
