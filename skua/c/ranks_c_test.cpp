// SPDX-License-Identifier: MIT
// skua/ranks.h on one rank: what each function does, and its codes and texts. examples/ranks.c runs on many.
#include "skua/ranks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

namespace {

struct counted {
  std::atomic<std::uint64_t> sum{0};
  int outcome = SKUA_TASK_DONE;
};

int add_up(void* data, void const* task, skua_site* site) {
  auto& to = *static_cast<counted*>(data);
  std::uint64_t const k = *static_cast<std::uint64_t const*>(task);
  to.sum += k;
  EXPECT_LT(skua_site_worker(site), skua_site_workers(site));
  EXPECT_EQ(skua_site_rank(site), 0U);
  skua_site_progress(site);
  std::uint64_t const child = k / 2;
  int const spawned = k > 1 && k % 2 == 0 ? skua_site_spawn(site, &child) : SKUA_OK;
  EXPECT_EQ(spawned, SKUA_OK);
  return to.outcome;
}

class c_ranks : public ::testing::Test {
 protected:
  c_ranks() { EXPECT_EQ(skua_ranks_alone(&ranks_), SKUA_OK); }
  ~c_ranks() override { EXPECT_EQ(skua_ranks_end(ranks_), SKUA_OK); }
  skua_ranks* ranks_ = nullptr;
};

TEST_F(c_ranks, run_their_tasks_again_in_each_iteration) {
  for (std::uint32_t const workers : {0U, 2U}) {
    int const used = workers > 0 ? skua_ranks_use_workers(ranks_, workers) : SKUA_OK;
    EXPECT_EQ(used, SKUA_OK) << skua_error_text();
    counted seen;
    skua_collection* tasks = nullptr;
    ASSERT_EQ(skua_collection_make(ranks_, "numbers", sizeof(std::uint64_t), add_up, &seen, &tasks), SKUA_OK)
        << skua_error_text();
    for (std::uint64_t k = 1; k <= 8; ++k)
      EXPECT_EQ(k % 2 == 0 ? skua_collection_add(tasks, &k) : skua_collection_add_work(tasks, &k, 1.5), SKUA_OK);
    for (int iteration = 0; iteration < 3; ++iteration) {
      seen.sum = 0;
      ASSERT_EQ(skua_collection_process(tasks), SKUA_OK) << skua_error_text();
      EXPECT_EQ(seen.sum, 36U + 1 + (2 + 1) + 3 + (4 + 2 + 1)) << "with their children";
      skua_report r{};
      EXPECT_EQ(skua_collection_report(tasks, &r), SKUA_OK);
      EXPECT_EQ(r.tasks, 15U);
      skua_rank_report own{};
      skua_rank_report each[2]{};
      EXPECT_EQ(skua_collection_own_report(tasks, &own), SKUA_OK);
      EXPECT_EQ(own.tasks, 15U);
      EXPECT_EQ(own.seconds, r.seconds);
      EXPECT_EQ(skua_collection_report_by_rank(tasks, each, 2), SKUA_OK);
      EXPECT_EQ(each[0].tasks, 15U);
      EXPECT_EQ(each[1].rank, 1U);
      EXPECT_EQ(skua_collection_report_by_rank(tasks, each, 0), SKUA_USAGE_ERROR);
      EXPECT_EQ(skua_collection_report_by_rank(tasks, nullptr, 1), SKUA_USAGE_ERROR);
      EXPECT_EQ(skua_collection_restore(tasks, iteration == 0 ? "auto" : "hierarchical"), SKUA_OK) << skua_error_text();
    }
    skua_collection_end(tasks);
  }
}

TEST_F(c_ranks, keep_tasks_and_a_state_in_a_file) {
  std::string const path = (std::filesystem::temp_directory_path() / ("c_ranks_" + std::to_string(getpid()))).string();
  counted seen;
  skua_collection* tasks = nullptr;
  ASSERT_EQ(skua_collection_make(ranks_, "numbers", sizeof(std::uint64_t), add_up, &seen, &tasks), SKUA_OK);
  std::uint64_t const one = 1;
  EXPECT_EQ(skua_collection_add(tasks, &one), SKUA_OK);
  int state = 7;
  EXPECT_EQ(skua_collection_checkpoint(tasks, path.c_str(), &state, sizeof state), SKUA_USAGE_ERROR) << "nothing ran";
  EXPECT_EQ(skua_collection_process(tasks), SKUA_OK);
  EXPECT_EQ(skua_collection_checkpoint(tasks, path.c_str(), &state, sizeof state), SKUA_OK) << skua_error_text();
  int found = 0;
  EXPECT_EQ(skua_collection_restart(tasks, path.c_str(), &found, sizeof found), SKUA_OK) << skua_error_text();
  EXPECT_EQ(found, 7);
  EXPECT_EQ(skua_collection_restart(tasks, path.c_str(), &found, 1), SKUA_USAGE_ERROR);
  EXPECT_EQ(skua_collection_restart(tasks, "/no/such/file", &found, sizeof found), SKUA_RESOURCE_ERROR);
  skua_collection_end(tasks);
  std::filesystem::remove(path);
}

TEST_F(c_ranks, say_what_was_wrong) {
  counted seen;
  skua_collection* tasks = nullptr;
  EXPECT_EQ(skua_collection_make(nullptr, "n", 8, add_up, nullptr, &tasks), SKUA_USAGE_ERROR);
  EXPECT_STREQ(skua_error_text(), "skua_collection_make: ranks is NULL");
  EXPECT_EQ(skua_collection_make(ranks_, nullptr, 8, add_up, nullptr, &tasks), SKUA_USAGE_ERROR);
  EXPECT_EQ(skua_collection_make(ranks_, "n", 0, add_up, nullptr, &tasks), SKUA_USAGE_ERROR);
  EXPECT_EQ(skua_collection_make(ranks_, "n", 8, nullptr, nullptr, &tasks), SKUA_USAGE_ERROR);
  EXPECT_EQ(skua_collection_process(nullptr), SKUA_USAGE_ERROR);
  ASSERT_EQ(skua_collection_make(ranks_, "n", 8, add_up, &seen, &tasks), SKUA_OK);
  std::uint64_t const one = 1;
  EXPECT_EQ(skua_collection_add_work(tasks, &one, -1), SKUA_USAGE_ERROR);
  EXPECT_EQ(skua_collection_add(tasks, nullptr), SKUA_USAGE_ERROR);
  EXPECT_EQ(skua_collection_restore(tasks, "auto"), SKUA_USAGE_ERROR);
  seen.outcome = -3;
  EXPECT_EQ(skua_collection_add(tasks, &one), SKUA_OK);
  EXPECT_EQ(skua_collection_process(tasks), SKUA_ERROR);
  EXPECT_STREQ(skua_error_text(), "a task of 'n' returned -3");
  skua_collection_end(tasks);
  EXPECT_EQ(skua_sum_doubles(ranks_, nullptr, 1), SKUA_USAGE_ERROR);
  EXPECT_EQ(skua_ranks_end(nullptr), SKUA_OK);
}

TEST_F(c_ranks, reduce_and_broadcast) {
  double x[2] = {1.5, -2};
  std::int64_t n[1] = {-7};
  EXPECT_EQ(skua_sum_doubles(ranks_, x, 2), SKUA_OK);
  EXPECT_EQ(skua_max_doubles(ranks_, x, 2), SKUA_OK);
  EXPECT_EQ(skua_min_doubles(ranks_, x, 2), SKUA_OK);
  EXPECT_EQ(skua_sum_integers(ranks_, n, 1), SKUA_OK);
  EXPECT_EQ(skua_max_integers(ranks_, n, 1), SKUA_OK);
  EXPECT_EQ(skua_min_integers(ranks_, n, 1), SKUA_OK);
  EXPECT_EQ(skua_broadcast(ranks_, x, sizeof x, 0), SKUA_OK) << skua_error_text();
  EXPECT_EQ(skua_broadcast(ranks_, x, sizeof x, 1), SKUA_USAGE_ERROR);
  EXPECT_EQ(skua_barrier(ranks_), SKUA_OK);
  EXPECT_EQ(x[0] + x[1], -0.5);
  EXPECT_EQ(n[0], -7);
  EXPECT_EQ(skua_ranks_rank(ranks_) + 1, skua_ranks_size(ranks_));
}

TEST_F(c_ranks, have_matrices_that_do_what_they_are_asked) {
  skua_matrix *a = nullptr, *b = nullptr;
  ASSERT_EQ(skua_matrix_by_rows(ranks_, "A", 4, 4, &a), SKUA_OK) << skua_error_text();
  ASSERT_EQ(skua_matrix_in_tiles(ranks_, "B", 4, 4, 2, 2, &b), SKUA_OK) << skua_error_text();
  skua_rectangle const where{1, 2, 2, 2};
  double const block[4] = {1, 2, 3, 4};
  EXPECT_EQ(skua_matrix_put(a, &where, block, 2), SKUA_OK);
  EXPECT_EQ(skua_matrix_accumulate(a, &where, block, 2, 2), SKUA_OK);
  EXPECT_EQ(skua_matrix_sync(a), SKUA_OK);
  double got[4] = {};
  EXPECT_EQ(skua_matrix_get(a, &where, got, 2), SKUA_OK);
  EXPECT_EQ(got[3], 12);
  double trace = 0;
  EXPECT_EQ(skua_matrix_trace(a, &trace), SKUA_OK);
  EXPECT_EQ(trace, 9) << "element 2, 2";
  EXPECT_EQ(skua_matrix_transpose(b, a), SKUA_OK);
  EXPECT_EQ(skua_matrix_symmetrise(a), SKUA_OK);
  EXPECT_EQ(skua_matrix_scale(a, 2), SKUA_OK);
  EXPECT_EQ(skua_matrix_copy(b, a), SKUA_OK);
  EXPECT_EQ(skua_matrix_add(a, 1, a, -1, b), SKUA_OK);
  double sum = 1;
  EXPECT_EQ(skua_matrix_dot(a, a, &sum), SKUA_OK);
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(skua_matrix_fill(a, 1), SKUA_OK);
  std::uint32_t owner = 7;
  EXPECT_EQ(skua_matrix_owner(a, 3, 3, &owner), SKUA_OK);
  EXPECT_EQ(owner, 0U);
  skua_rectangle const outside{3, 3, 2, 1};
  EXPECT_EQ(skua_matrix_get(a, &outside, got, 2), SKUA_USAGE_ERROR);
  EXPECT_NE(std::string(skua_error_text()).find("rows [3, 3 + 2)"), std::string::npos) << skua_error_text();
  std::string const path = (std::filesystem::temp_directory_path() / ("c_matrix_" + std::to_string(getpid()))).string();
  EXPECT_EQ(skua_matrix_write(a, path.c_str()), SKUA_OK) << skua_error_text();
  EXPECT_EQ(skua_matrix_read(b, path.c_str()), SKUA_OK) << skua_error_text();
  std::filesystem::remove(path);
  skua_matrix_end(a);
  skua_matrix_end(b);
}

}  // namespace
