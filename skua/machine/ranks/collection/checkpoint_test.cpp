// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/checkpoint.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/checksum.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

constexpr slot_shape shape{.task_bytes = 8};

/// A name that ranks of one job agree on and two jobs do not.
std::string scratch(communicator& world, std::string const& name) {
  auto const number = world.max(world.rank() == 0 ? static_cast<double>(getpid()) : 0.0);
  return (std::filesystem::temp_directory_path() / (name + std::to_string(static_cast<long>(number)))).string();
}

bytes text(std::string const& s) {
  auto const* const first = reinterpret_cast<std::byte const*>(s.data());
  return {first, first + s.size()};
}

task_record record_of(std::initializer_list<std::uint64_t> times, std::uint64_t first) {
  task_record r(shape);
  for (std::uint64_t const ns : times) {
    std::uint64_t const slot[2] = {first++, 0};
    r.add(reinterpret_cast<std::byte const*>(slot), ns);
  }
  return r;
}

std::uint64_t number_of(task_record const& r, std::uint64_t entry) {
  std::uint64_t n = 0;
  std::memcpy(&n, r.slot(entry), sizeof n);
  return n;
}

/// With the length and the checksum of what follows them: damage that only reading notices.
std::string sealed(std::string file) {
  std::uint64_t const length = file.size() - 34;
  runtime::checksum sum;
  sum.add(std::as_bytes(std::span(file).subspan(34)));
  std::uint64_t const value = sum.value();
  std::memcpy(file.data() + 18, &length, sizeof length);
  std::memcpy(file.data() + 26, &value, sizeof value);
  return file;
}

class checkpoint_file : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path); }
  std::string path =
      (std::filesystem::temp_directory_path() / ("skua_checkpoint_" + std::to_string(getpid()))).string();
  checkpoint_identity const identity{.collection = "fock", .task_type = "quartet", .task_bytes = 8};
};

TEST_F(checkpoint_file, has_what_was_written) {
  std::vector<bytes> const records{encode(record_of({1, 2}, 0)), encode(record_of({}, 0)), encode(record_of({7}, 5))};
  write_checkpoint(path, identity, {4, records, text("density")});
  saved_records const read = read_checkpoint(path, identity, shape);
  EXPECT_EQ(read.ranks, 4U);
  EXPECT_EQ(read.records, records);
  EXPECT_EQ(read.state, text("density"));
}

TEST_F(checkpoint_file, of_something_else_is_refused_with_what_differs) {
  write_checkpoint(path, identity, {1, {encode(record_of({1}, 0))}, {}});
  auto const refusal = [&](checkpoint_identity const& wanted) -> std::string {
    try {
      static_cast<void>(read_checkpoint(path, wanted, shape));
    } catch (usage_error const& e) {
      return e.what();
    }
    return "accepted";
  };
  std::string const is = "checkpoint " + path + " is of the collection 'fock' of tasks of 8 bytes (quartet); wanted: ";
  EXPECT_EQ(refusal(identity), "accepted");
  EXPECT_EQ(refusal({"tce", "quartet", 8}), is + "'tce' of tasks of 8 bytes (quartet)");
  EXPECT_EQ(refusal({"fock", "tile", 8}), is + "'fock' of tasks of 8 bytes (tile)");
  // Slots of both sizes have 16 bytes.
  EXPECT_EQ(refusal({"fock", "quartet", 5}), is + "'fock' of tasks of 5 bytes (quartet)");
  EXPECT_EQ(refusal({"fock", "quartet", 8, true}), is + "'fock' of serialized tasks of 8 bytes (quartet)");
  EXPECT_EQ(refusal({"fock", "quartet", 8, false, 3}), is + "'fock' of tasks of 8 bytes (quartet), version 3");
}

TEST_F(checkpoint_file, that_lacks_its_end_or_is_no_checkpoint_is_refused) {
  write_checkpoint(path, identity, {1, {encode(record_of({1, 2, 3}, 0))}, text("state")});
  auto const size = std::filesystem::file_size(path);
  for (std::uintmax_t const n : {size - 1, size / 2, std::uintmax_t{10}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(path, n);
    EXPECT_THROW(static_cast<void>(read_checkpoint(path, identity, shape)), usage_error) << n;
  }
  std::ofstream(path) << "this is not what you are looking for, and long enough to be read";
  EXPECT_THROW(static_cast<void>(read_checkpoint(path, identity, shape)), usage_error);
  EXPECT_THROW(static_cast<void>(read_checkpoint(path + ".absent", identity, shape)), resource_error);
}

TEST_F(checkpoint_file, that_is_damaged_is_refused_with_what_is_wrong) {
  auto const refusal = [&](std::string const& content) -> std::string {
    std::ofstream(path, std::ios::binary) << content;
    try {
      static_cast<void>(read_checkpoint(path, identity, shape));
    } catch (usage_error const& e) {
      return e.what();
    }
    return "accepted";
  };
  std::vector<bytes> const records{encode(record_of({1, 2, 3}, 0))};
  write_checkpoint(path, identity, {1, records, text("state")});
  std::ifstream from(path, std::ios::binary);
  std::string const whole{std::istreambuf_iterator<char>(from), {}};
  std::string const name = "checkpoint " + path;
  EXPECT_EQ(refusal(whole), "accepted");
  for (std::size_t n = 0; n < whole.size(); ++n)
    ASSERT_EQ(refusal(whole.substr(0, n)), name + " is damaged: it ends too early") << n << " of " << whole.size();
  EXPECT_EQ(refusal(whole + '.'), name + " is damaged: it has data after its end");
  std::string other = whole;
  other[0] = 'S';
  EXPECT_EQ(refusal(other), name + " is no checkpoint of this version");
  other = whole;
  std::fill_n(other.begin() + 34, sizeof(std::uint64_t), '\xff');  // how long the collection's name is
  EXPECT_EQ(refusal(other), name + " is damaged: its checksum is not that of its content");
  EXPECT_EQ(refusal(sealed(other)), name + " is damaged: it ends too early");
  // One task more, or fewer, than there are bytes for.
  std::size_t const count_at = whole.find("quartet") + 7 + 6 * sizeof(std::uint64_t);
  for (char const count : {'\x02', '\x04', 'd', '\0'}) {
    other = whole;
    ASSERT_EQ(other[count_at], '\x03');
    other[count_at] = count;
    EXPECT_EQ(refusal(sealed(other)), name + " is damaged: a rank's tasks have the wrong length")
        << static_cast<int>(count);
  }
}

TEST_F(checkpoint_file, with_a_bit_changed_anywhere_is_refused) {
  write_checkpoint(path, identity, {2, {encode(record_of({1, 2, 3}, 0)), encode(record_of({}, 0))}, text("state")});
  std::ifstream from(path, std::ios::binary);
  std::string whole{std::istreambuf_iterator<char>(from), {}};
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    auto const flip = static_cast<char>(1U << byte * 3 % 8);
    whole[byte] ^= flip;
    std::ofstream(path, std::ios::binary) << whole;
    EXPECT_THROW(static_cast<void>(read_checkpoint(path, identity, shape)), usage_error) << byte;
    whole[byte] ^= flip;
  }
}

TEST_F(checkpoint_file, that_names_a_rank_or_a_number_of_ranks_that_cannot_be_is_refused) {
  auto const refusal = [&](rank_number ranks, std::size_t records, slot_mark mark) -> std::string {
    task_record record(shape);
    bytes slot(shape.bytes());
    shape.set_mark(slot.data(), mark);
    record.add(slot.data(), 1);
    write_checkpoint(path, identity, {ranks, std::vector<bytes>(records, encode(record)), {}});
    try {
      static_cast<void>(read_checkpoint(path, identity, shape));
    } catch (usage_error const& e) {
      return std::string(e.what()).substr(("checkpoint " + path + " is damaged: ").size());
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(3, 3, {.origin = 2}), "accepted");
  EXPECT_EQ(refusal(3, 2, {.origin = 2}), "accepted") << "a rank died";
  EXPECT_EQ(refusal(3, 1, {.origin = 3}), "a task is of rank 3, and there were 3");
  EXPECT_EQ(refusal(3, 1, {.origin = 0xffff'ffff}), "a task is of rank 4294967295, and there were 3");
  EXPECT_EQ(refusal(3, 1, {.origin = 0, .spawned = 1}), "a task that another one spawns is recorded");
  EXPECT_EQ(refusal(2, 3, {}), "it has the records of 3 of 2 ranks");
}

TEST_F(checkpoint_file, that_is_read_and_written_leaves_no_file_open) {
  auto const open_files = [] {
    auto const all = std::filesystem::directory_iterator("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  std::vector<bytes> const records{encode(record_of({1}, 0))};
  write_checkpoint(path, identity, {1, records, {}});
  auto const before = open_files();
  write_checkpoint(path, identity, {1, records, {}});
  static_cast<void>(read_checkpoint(path, identity, shape));
  EXPECT_THROW(static_cast<void>(read_checkpoint(path, {"tce", "tile", 8}, shape)), usage_error);
  EXPECT_EQ(open_files(), before);
}

TEST_F(checkpoint_file, that_cannot_be_written_leaves_the_old_one) {
  EXPECT_THROW(write_checkpoint("/proc/none/here", identity, {}), resource_error);
  std::vector<bytes> const old{encode(record_of({1}, 0))};
  write_checkpoint(path, identity, {1, old, {}});
  {
    // Files may not grow beyond a few bytes: as if the disk were full.
    auto* const before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit full{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &full), 0);
    rlimit const small{10, full.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_THROW(write_checkpoint(path, identity, {1, {}, text("more than ten bytes")}), resource_error);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
    std::signal(SIGXFSZ, before);
  }
  auto const beside = std::filesystem::directory_iterator(std::filesystem::temp_directory_path());
  EXPECT_FALSE(std::any_of(begin(beside), end(beside), [&](auto const& f) {
    return f.path() != path && f.path().string().starts_with(path);
  })) << "a part of a file stayed behind";
  EXPECT_EQ(read_checkpoint(path, identity, shape).records, old);
}

/// What is thrown by f.
template <class F>
std::string refusal_of(F f) {
  try {
    f();
  } catch (resource_error const& e) {
    return e.what();
  }
  return "none";
}

TEST_F(checkpoint_file, that_the_system_refuses_is_an_error_with_the_reason) {
  std::string const name = "checkpoint " + path + ": ";
  auto const write = [&] { write_checkpoint(path, identity, {1, {}, text("state")}); };
  auto const read = [&] { static_cast<void>(read_checkpoint(path, identity, shape)); };
  EXPECT_EQ(refusal_of(read), name + "cannot be read: No such file or directory");
  EXPECT_EQ(refusal_of([&] { write_checkpoint("/proc/none/here", identity, {}); }),
            "checkpoint /proc/none/here: cannot be written: No such file or directory");
  std::filesystem::create_directories(path + "/inside");
  EXPECT_EQ(refusal_of(write), name + "cannot be written: Is a directory");
  EXPECT_EQ(refusal_of(read), name + "cannot be read: Is a directory");
  std::filesystem::remove_all(path);
  errno = EINTR;  // of an earlier call
  write();
  EXPECT_EQ(read_checkpoint(path, identity, shape).state, text("state"));
}

TEST_F(checkpoint_file, is_the_target_of_a_link_and_no_fifo) {
  std::string const target = path + ".target";
  std::filesystem::create_symlink(target, path);
  for (char const* state : {"new", "old"}) {
    write_checkpoint(path, identity, {1, {}, text(state)});
    EXPECT_TRUE(std::filesystem::is_symlink(path));
    EXPECT_EQ(read_checkpoint(target, identity, shape).state, text(state));
  }
  std::filesystem::remove(target);
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THROW(write_checkpoint(path, identity, {}), usage_error);
  EXPECT_THROW(static_cast<void>(read_checkpoint(path, identity, shape)), usage_error);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST_F(checkpoint_file, may_have_the_number_of_a_standard_input_that_was_closed) {
  int const input = dup(0);
  close(0);
  write_checkpoint(path, identity, {1, {encode(record_of({1}, 0))}, {}});
  EXPECT_EQ(read_checkpoint(path, identity, shape).records.size(), 1U);
  EXPECT_EQ(close(0), -1) << "it is closed again";
  if (input < 0) return;
  dup2(input, 0);
  close(input);
}

TEST(a_checkpoint, of_tasks_that_took_no_time_or_very_long_is_dealt_out_too) {
  auto const sizes = [](std::initializer_list<std::uint64_t> times, std::uint32_t ranks) {
    std::vector<std::uint64_t> all;
    for (bytes const& part : deal_again({1, {encode(record_of(times, 0))}, {}}, shape, live_ranks(ranks))) {
      task_record record(shape);
      decode(part, record);
      all.push_back(record.size());
    }
    return all;
  };
  EXPECT_EQ(sizes({0, 0, 0, 0}, 2), (std::vector<std::uint64_t>{2, 2}));
  // So long that half a nanosecond more is lost.
  EXPECT_EQ(sizes({std::uint64_t{1} << 62, 0}, 4), (std::vector<std::uint64_t>{0, 0, 1, 1}));
  EXPECT_EQ(sizes({}, 3), (std::vector<std::uint64_t>{0, 0, 0}));
}

TEST(a_checkpoint, is_dealt_out_in_its_order_and_by_its_times) {
  saved_records const saved{2, {encode(record_of({10, 10, 10, 10}, 0)), encode(record_of({40}, 4))}, {}};
  auto const parts = deal_again(saved, shape, live_ranks(2));
  task_record first(shape);
  task_record second(shape);
  decode(parts[0], first);
  decode(parts[1], second);
  ASSERT_EQ(first.size(), 4U);
  ASSERT_EQ(second.size(), 1U);
  for (std::uint64_t e = 0; e < 4; ++e) EXPECT_EQ(number_of(first, e), e);
  EXPECT_EQ(number_of(second, 0), 4U);
  for (std::uint32_t const ranks : {1U, 3U, 50U}) {
    task_record all(shape);
    for (bytes const& part : deal_again(saved, shape, live_ranks(ranks))) decode(part, all);
    ASSERT_EQ(all.size(), 5U);
    for (std::uint64_t e = 0; e < 5; ++e) EXPECT_EQ(number_of(all, e), e);
  }
}

class checkpoints : public on_each_number_of_ranks {};

TEST_P(checkpoints, let_another_job_go_on) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::string const path = scratch(world, "skua_job_");
    std::uint64_t sum = 0;
    auto const count = [&](std::uint64_t n) { sum += n; };
    {
      task_collection<std::uint64_t> before(world, {.name = "numbers"}, count);
      for (std::uint64_t n = 1; n <= 10; ++n) before.add(100 * world.rank() + n);
      before.process();
      before.checkpoint(path, text(world.rank() == 0 ? "iteration 1" : "nobody asks"));
    }
    std::uint64_t const wanted = world.sum(std::exchange(sum, 0));
    task_collection<std::uint64_t> after(world, {.name = "numbers"}, count);
    EXPECT_EQ(after.restart(path), text("iteration 1"));
    EXPECT_EQ(world.sum(after.num_recorded()), 10U * world.size());
    EXPECT_EQ(after.restart(path), text("iteration 1")) << "instead of what is there";
    EXPECT_EQ(world.sum(after.num_recorded()), 10U * world.size());
    after.restore();
    after.process();
    EXPECT_EQ(world.sum(sum), wanted);
    world.barrier();
    if (world.rank() == 0) std::filesystem::remove(path);
  });
}

TEST_P(checkpoints, say_nothing_about_the_death_of_ranks) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::string const path = scratch(world, "skua_loss_");
    {
      task_collection<int> before(world, {.name = "c"}, [](int) {});
      before.add(1);
      before.process();
      before.checkpoint(path);
    }
    task_collection<int> after(world, {.name = "c", .on_loss = lost_tasks::run_again}, [](int) {});
    static_cast<void>(after.restart(path));
    EXPECT_EQ(world.sum(after.num_recorded()), world.size());
    world.barrier();
    if (world.rank() == 0) std::filesystem::remove(path);
  });
}

TEST_P(checkpoints, of_another_version_are_refused) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::string const path = scratch(world, "skua_version_");
    {
      task_collection<int> before(world, {.name = "c", .version = 1}, [](int) {});
      before.process();
      before.checkpoint(path);
    }
    task_collection<int> after(world, {.name = "c", .version = 2}, [](int) {});
    EXPECT_THROW(static_cast<void>(after.restart(path)), usage_error);
    world.barrier();
    if (world.rank() == 0) std::filesystem::remove(path);
  });
}

TEST_P(checkpoints, have_a_version_that_ranks_agree_on) {
  if (GetParam() == 1) GTEST_SKIP() << "one rank cannot disagree";
  on_ranks(GetParam(), [&](communicator& world) {
    try {
      task_collection<int> all(world, {.name = "c", .version = world.rank() == 1 ? 4U : 3U}, [](int) {});
      FAIL();
    } catch (usage_error const& e) {
      EXPECT_NE(std::string(e.what()).find("rank 1 has 'c' of tasks of 4 bytes (i), version 4"), std::string::npos)
          << e.what();
    }
  });
}

TEST_P(checkpoints, that_fail_fail_on_every_rank) {
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<std::uint64_t> all(world, {.name = "numbers"}, [](std::uint64_t) {});
    all.add(1);
    all.process();
    EXPECT_THROW(all.checkpoint("/proc/none/here"), resource_error);
    EXPECT_THROW(static_cast<void>(all.restart("/proc/none/here")), resource_error);
    EXPECT_EQ(all.num_recorded(), 1U);
    world.barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, checkpoints, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
