// SPDX-License-Identifier: MIT
// oneTBB's pipelines, scans, ranges of many dimensions and tasks that wait for threads; compiled and run against oneTBB and against Skua, as forms.cpp.
#include <gtest/gtest.h>
#include <tbb/tbb.h>

#include <atomic>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Adds up, for the form of parallel_scan whose body has the sum.
class running_sum {
 public:
  running_sum(std::vector<long> const& in, std::vector<long>& out) : in_(in), out_(out) {}
  running_sum(running_sum& other, tbb::split) : in_(other.in_), out_(other.out_) {}
  template <class Tag>
  void operator()(tbb::blocked_range<std::size_t> const& r, Tag) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) {
      sum += in_[i];
      if (Tag::is_final_scan()) out_[i] = sum;
    }
  }
  void reverse_join(running_sum& left) { sum = left.sum + sum; }
  void assign(running_sum& other) { sum = other.sum; }
  long sum = 0;

 private:
  std::vector<long> const& in_;
  std::vector<long>& out_;
};

TEST(parallel_scan, takes_a_body_that_has_the_sum) {
  for (std::size_t const n : {0U, 1U, 2U, 7U, 10'000U}) {
    std::vector<long> in(n);
    std::iota(in.begin(), in.end(), 1L);
    std::vector<long> out(n);
    running_sum body(in, out);
    tbb::parallel_scan(tbb::blocked_range<std::size_t>(0, n), body);
    EXPECT_EQ(body.sum, static_cast<long>(n * (n + 1) / 2));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], static_cast<long>((i + 1) * (i + 2) / 2));
  }
}

TEST(blocked_range_of_many_dimensions, is_divided_and_visited_once) {
  std::atomic<int> cells{0};
  tbb::blocked_rangeNd<int, 4> const all({0, 3}, {0, 5, 2}, {0, 7}, {1, 3});
  static_assert(tbb::blocked_rangeNd<int, 4>::ndims() == 4);
  tbb::parallel_for(all, [&](tbb::blocked_rangeNd<int, 4> const& r) {
    cells += static_cast<int>(r.dim(0).size() * r.dim(1).size() * r.dim(2).size() * r.dim(3).size());
  });
  EXPECT_EQ(cells.load(), 3 * 5 * 7 * 2);
}

TEST(parallel_pipeline, keeps_order_and_bound) {
  for (std::size_t const most : {1U, 3U, 16U}) {
    int next = 0;
    std::atomic<int> under_way{0};
    std::atomic<int> highest{0};
    std::vector<std::string> written;
    tbb::parallel_pipeline(
        most, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
                if (next == 500) {
                  control.stop();
                  return 0;
                }
                int const now = ++under_way;
                for (int seen = highest; seen < now && !highest.compare_exchange_weak(seen, now);) {}
                return next++;
              }) & tbb::make_filter<int, std::string>(tbb::filter_mode::parallel, [](int i) {
                return std::to_string(i);
              }) & tbb::make_filter<std::string, std::string>(tbb::filter_mode::serial_out_of_order, [](std::string s) {
                return s + "!";
              }) & tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order, [&](std::string const& s) {
                written.push_back(s);
                --under_way;
              }));
    ASSERT_EQ(written.size(), 500U);
    for (int i = 0; i < 500; ++i) ASSERT_EQ(written[static_cast<std::size_t>(i)], std::to_string(i) + "!");
    EXPECT_LE(highest.load(), static_cast<int>(most));
  }
}

TEST(parallel_pipeline, throws_what_a_filter_throws) {
  int next = 0;
  tbb::filter<void, int> const source(tbb::filter_mode::serial_out_of_order, [&](tbb::flow_control& control) {
    if (next == 1000) control.stop();
    return next++;
  });
  tbb::filter<int, void> const sink(tbb::filter_mode::parallel, [](int i) {
    if (i == 100) throw std::runtime_error("100");
  });
  EXPECT_THROW(tbb::parallel_pipeline(4, source & sink), std::runtime_error);
  next = 900;
  std::atomic<int> passed{0};
  tbb::parallel_pipeline(4, source, tbb::make_filter<int, void>(tbb::filter_mode::parallel, [&](int) { ++passed; }));
  EXPECT_EQ(passed.load(), 100);
}

TEST(task, waits_until_another_thread_resumes_it) {
  std::thread other;
  int steps = 0;
  tbb::parallel_for(0, 1, [&](int) {
    tbb::task::suspend([&](tbb::task::suspend_point point) {
      other = std::thread([&steps, point] {
        ++steps;
        tbb::task::resume(point);
      });
    });
    ++steps;
  });
  other.join();
  EXPECT_EQ(steps, 2);
}

TEST(version, is_that_of_the_interface) {
  EXPECT_GE(TBB_INTERFACE_VERSION, 12'000);
  EXPECT_EQ(TBB_INTERFACE_VERSION / 1000, TBB_INTERFACE_VERSION_MAJOR);
  EXPECT_EQ(TBB_runtime_interface_version() / 1000, TBB_INTERFACE_VERSION_MAJOR);
}

}  // namespace
