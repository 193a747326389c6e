// SPDX-License-Identifier: MIT
// The CPU quota from trees of files as kernels, containers and systemd lay them out.
#include "skua/parts/topology/cgroup.hpp"

#include <gtest/gtest.h>

#include <string>

#include "skua/parts/topology/default_workers.hpp"
#include "skua/parts/topology/scratch_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

/// The files of one system, below a directory of their own.
struct fake_system {
  testing::scratch dir;

  void cgroup(std::string_view text) const { dir.write("proc/self/cgroup", text); }
  void mountinfo(std::string_view text) const { dir.write("proc/self/mountinfo", text); }
  void file(std::string const& name, std::string_view text) const { dir.write(name.substr(1), text); }
  [[nodiscard]] cpu_quota quota() const { return read_cpu_quota(dir.path().string()); }
};

constexpr std::string_view v2_mount =
    "30 23 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr std::string_view v1_mounts =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:1 master:2 - cgroup cgroup rw,cpu,cpuacct\n"
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n";

void expect_limit(cpu_quota const& quota, std::uint32_t whole, std::string_view file) {
  ASSERT_TRUE(quota.limited());
  EXPECT_EQ(quota.whole_cpus(), whole);
  EXPECT_EQ(quota.limits.front().file, file);
}

TEST(cgroup, nothing_there_limits_nothing) {
  fake_system const s;
  EXPECT_FALSE(s.quota().limited());
  EXPECT_EQ(s.quota().whole_cpus(), std::nullopt);
  EXPECT_TRUE(s.quota().remarks.empty());
}

TEST(cgroup, v2_the_quota_of_the_own_group_counts) {
  fake_system const s;
  s.cgroup("0::/user.slice/job\n");
  s.mountinfo(v2_mount);
  s.file("/sys/fs/cgroup/user.slice/job/cpu.max", "150000 100000\n");
  expect_limit(s.quota(), 2, "/sys/fs/cgroup/user.slice/job/cpu.max");
  EXPECT_DOUBLE_EQ(s.quota().limits.front().cpus(), 1.5);
}

TEST(cgroup, v2_the_tightest_group_on_the_way_up_counts) {
  fake_system const s;
  s.cgroup("0::/a/b/c\n");
  s.mountinfo(v2_mount);
  s.file("/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  s.file("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  s.file("/sys/fs/cgroup/a/cpu.max", "50000 25000\n");
  expect_limit(s.quota(), 2, "/sys/fs/cgroup/a/cpu.max");
  EXPECT_EQ(s.quota().limits.size(), 2U);
  s.file("/sys/fs/cgroup/cpu.max", "30000 100000\n");
  expect_limit(s.quota(), 1, "/sys/fs/cgroup/cpu.max");
  s.file("/sys/fs/cgroup/other/cpu.max", "1000 100000\n");
  expect_limit(s.quota(), 1, "/sys/fs/cgroup/cpu.max");
}

TEST(cgroup, v2_max_is_no_limit) {
  fake_system const s;
  s.cgroup("0::/\n");
  s.mountinfo(v2_mount);
  s.file("/sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_FALSE(s.quota().limited());
  EXPECT_TRUE(s.quota().remarks.empty());
}

TEST(cgroup, v1_quota_and_period) {
  fake_system const s;
  s.cgroup("12:cpuset:/\n5:cpu,cpuacct:/docker/ab12\n1:name=systemd:/x\n");
  s.mountinfo(v1_mounts);
  s.file("/sys/fs/cgroup/cpu,cpuacct/docker/ab12/cpu.cfs_quota_us", "250000\n");
  s.file("/sys/fs/cgroup/cpu,cpuacct/docker/ab12/cpu.cfs_period_us", "100000\n");
  s.file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  s.file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  expect_limit(s.quota(), 3, "/sys/fs/cgroup/cpu,cpuacct/docker/ab12/cpu.cfs_quota_us");
  s.file("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "100000\n");
  s.file("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
  expect_limit(s.quota(), 1, "/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us");
}

TEST(cgroup, v1_container_sees_its_own_group_as_the_top_of_the_mount) {
  fake_system const s;
  s.cgroup("5:cpuacct,cpu:/docker/ab12/inner\n");
  s.mountinfo("99 1 0:29 /docker/ab12 /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpuacct,cpu\n");
  s.file("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "400000\n");
  s.file("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
  s.file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  s.file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  expect_limit(s.quota(), 2, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
}

TEST(cgroup, a_name_that_only_begins_alike_is_another_group) {
  fake_system const s;
  s.cgroup("0::/job10/x\n");
  s.mountinfo("99 1 0:29 /job1 /mnt/one ro - cgroup2 cgroup2 rw\n98 1 0:29 / /mnt/all ro - cgroup2 cgroup2 rw\n");
  s.file("/mnt/one/cpu.max", "100000 100000\n");
  s.file("/mnt/all/job10/cpu.max", "500000 100000\n");
  expect_limit(s.quota(), 5, "/mnt/all/job10/cpu.max");
}

TEST(cgroup, names_from_beyond_the_namespace_fall_back_to_the_mount) {
  for (char const* group : {"0::/../../host\n", "0::/somewhere/else\n"}) {
    fake_system const s;
    s.cgroup(group);
    s.mountinfo("99 1 0:29 /kubepods/pod7 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
    s.file("/sys/fs/cgroup/cpu.max", "120000 100000\n");
    expect_limit(s.quota(), 2, "/sys/fs/cgroup/cpu.max");
  }
}

TEST(cgroup, hybrid_reads_both_hierarchies) {
  fake_system const s;
  s.cgroup("5:cpu,cpuacct:/v1\n0::/v2\n");
  s.mountinfo(std::string{v1_mounts} + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  s.file("/sys/fs/cgroup/cpu,cpuacct/v1/cpu.cfs_quota_us", "600000\n");
  s.file("/sys/fs/cgroup/cpu,cpuacct/v1/cpu.cfs_period_us", "100000\n");
  expect_limit(s.quota(), 6, "/sys/fs/cgroup/cpu,cpuacct/v1/cpu.cfs_quota_us");
  s.file("/sys/fs/cgroup/unified/v2/cpu.max", "400000 100000\n");
  expect_limit(s.quota(), 4, "/sys/fs/cgroup/unified/v2/cpu.max");
}

TEST(cgroup, strange_names_and_mount_points) {
  fake_system const s;
  s.cgroup("0::/a:b/with space\n");
  s.mountinfo("30 23 0:27 / /mnt/my\\040groups rw - cgroup2 cgroup2 rw\n");
  s.file("/mnt/my groups/a:b/with space/cpu.max", "100000 100000\n");
  expect_limit(s.quota(), 1, "/mnt/my groups/a:b/with space/cpu.max");
}

TEST(cgroup, quotas_are_rounded_to_whole_cpus) {
  auto const whole = [](std::string const& text) {
    fake_system const s;
    s.cgroup("0::/\n");
    s.mountinfo(v2_mount);
    s.file("/sys/fs/cgroup/cpu.max", text);
    return s.quota().whole_cpus();
  };
  EXPECT_EQ(whole("1000 100000"), 1U);
  EXPECT_EQ(whole("100000 100000"), 1U);
  EXPECT_EQ(whole("100001 100000"), 2U);
  EXPECT_EQ(whole("200000 100000"), 2U);
  EXPECT_EQ(whole("200000"), 2U) << "the kernel's default period";
  EXPECT_EQ(whole("18446744073709551615 1"), 0xffff'ffffU);
  EXPECT_EQ(whole("18446744073709551615 18446744073709551615"), 1U);
}

TEST(cgroup, what_is_not_understood_limits_nothing_and_is_remarked) {
  for (char const* text : {"banana 100000\n", "0 100000\n", "-5 100000\n", "100000 0\n", "100000 x\n",
                           "99999999999999999999 100000\n", "\n"}) {
    fake_system const s;
    s.cgroup("0::/\n");
    s.mountinfo(v2_mount);
    s.file("/sys/fs/cgroup/cpu.max", text);
    cpu_quota const quota = s.quota();
    EXPECT_FALSE(quota.limited()) << text;
    ASSERT_EQ(quota.remarks.size(), 1U) << text;
    EXPECT_NE(quota.remarks[0].find("/sys/fs/cgroup/cpu.max"), std::string::npos);
  }
  fake_system const s;
  s.cgroup("4:cpu:/\n");
  s.mountinfo(v1_mounts);
  s.file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "100000\n");
  EXPECT_FALSE(s.quota().limited()) << "no period";
  EXPECT_EQ(s.quota().remarks.size(), 1U);
}

TEST(cgroup, broken_proc_files_do_no_harm) {
  for (char const* text : {"", "\n\n", ":::", "0:", "0::", "garbage", "1 2 3",
                           "30 23 0:27 / /sys/fs/cgroup rw - cgroup2\n", " - - - - - - - - - -\n"}) {
    fake_system const s;
    s.cgroup(text);
    s.mountinfo(text);
    EXPECT_FALSE(s.quota().limited()) << text;
  }
}

TEST(cgroup, the_real_system_can_be_asked) { EXPECT_NO_THROW(static_cast<void>(read_cpu_quota())); }

TEST(default_workers, are_the_smaller_of_mask_and_quota) {
  topology const machine = topology::machine();
  auto const pus = static_cast<std::uint32_t>(machine.pus().size());
  EXPECT_EQ(count_default_workers(machine, {}).count, pus);
  EXPECT_NE(count_default_workers(machine, {}).why.find(to_text(machine.mask())), std::string::npos);

  cpu_quota const half{.limits = {{.quota_us = 50'000, .period_us = 100'000, .file = "/the/file"}}};
  EXPECT_EQ(count_default_workers(machine, half).count, 1U);
  if (pus > 1) {
    EXPECT_EQ(count_default_workers(machine, half).why, "CPU quota of 0.50, rounded up, from /the/file");
  }
  cpu_quota const plenty{.limits = {{.quota_us = 99'000'000'000, .period_us = 100'000, .file = "/the/file"}}};
  EXPECT_EQ(count_default_workers(machine, plenty).count, pus);
}

TEST(default_workers, the_quota_of_this_machine_does_not_bind_another) {
  cpu_quota const one{.limits = {{.quota_us = 1, .period_us = 1, .file = "/the/file"}}};
  EXPECT_EQ(count_default_workers(topology::synthetic("package:4 core:16"), one).count, 64U);
}

}}}}  // namespace skua::v0::runtime
