// SPDX-License-Identifier: MIT
// Masks of any size, and the affinity calls that read and set them.
#include "skua/parts/topology/cpu_mask.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/topology/affinity.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

TEST(cpu_mask, behaves_like_a_set) {
  constexpr std::uint64_t seed = 5;
  dice d{seed};
  std::set<std::uint32_t> model;
  cpu_mask mask;
  for (int i = 0; i < 500; ++i) {
    std::uint32_t const pu = d.below(5'000);
    model.insert(pu);
    mask.insert(pu);
  }
  EXPECT_EQ(mask.size(), model.size()) << "seed " << seed;
  EXPECT_EQ(mask.members(), std::vector<std::uint32_t>(model.begin(), model.end())) << "seed " << seed;
  for (std::uint32_t pu = 0; pu < 6'000; ++pu) EXPECT_EQ(mask.contains(pu), model.contains(pu)) << pu;
}

TEST(cpu_mask, trailing_zero_words_do_not_matter) {
  std::vector<cpu_mask::word> const longer{5, 0, 0};
  std::vector<cpu_mask::word> const shorter{5};
  EXPECT_EQ(cpu_mask{longer}, cpu_mask{shorter});
  EXPECT_FALSE(cpu_mask{longer} == cpu_mask{});
}

TEST(cpu_mask, reads_and_writes_text) {
  auto const text = [](std::string_view hwloc) {
    auto const mask = cpu_mask::from_hwloc(hwloc);
    return mask ? to_text(*mask) : "refused";
  };
  EXPECT_EQ(text("0x0000000f"), "0-3");
  EXPECT_EQ(text("0x1,0x00000000"), "32");
  EXPECT_EQ(text("0x80000001,0x0,0x80000002"), "1,31,64,95");
  EXPECT_EQ(text("0x0"), "none");
  EXPECT_EQ(text("0x00000001,,0x0"), "64") << "hwloc leaves zero words within a mask empty";
  EXPECT_EQ(text("0x00000001,,,,0x00000002"), "1,128");
  EXPECT_EQ(text("0x1," + std::string(32'767, ',') + "0x0"), "1048576");
  EXPECT_EQ(text("0x1," + std::string(32'768, ',') + "0x0"), "refused") << "too large";
  for (char const* wrong : {"", "0x", "0x1,", ",0x1", ",,0x1", ",", "0x1,,", "0x1,0x,0x1", "0xf...f", "0xf...f,0x0",
                            "0x123456789", "zz", "0x1 "}) {
    EXPECT_EQ(text(wrong), "refused") << wrong;
  }
}

/// A kernel with this many PUs, all allowed: it refuses shorter buffers as the real one does.
cpu_mask ask_kernel_with(std::size_t pus) {
  return read_affinity([pus](std::span<cpu_mask::word> words) -> long {
    if (words.size() * cpu_mask::word_bits < pus) return -EINVAL;
    for (std::size_t i = 0; i < pus; ++i)
      words[i / cpu_mask::word_bits] |= cpu_mask::word{1} << (i % cpu_mask::word_bits);
    std::size_t const written = (pus + cpu_mask::word_bits - 1) / cpu_mask::word_bits * sizeof(cpu_mask::word);
    return static_cast<long>(written);
  });
}

TEST(affinity, masks_above_1024_pus_are_read) {
  for (std::size_t const pus : {1U, 64U, 1'024U, 1'025U, 4'096U, 8'192U, 100'000U})
    EXPECT_EQ(ask_kernel_with(pus).size(), pus);
}

TEST(affinity, a_kernel_that_refuses_gives_an_empty_mask) {
  EXPECT_TRUE(read_affinity([](std::span<cpu_mask::word>) -> long { return -ENOSYS; }).empty());
  int asked = 0;
  EXPECT_TRUE(read_affinity([&asked](std::span<cpu_mask::word>) -> long { return ++asked, -EINVAL; }).empty());
  EXPECT_LT(asked, 20) << "it gives up";
}

TEST(affinity, a_thread_can_be_bound_and_is_put_back) {
  cpu_mask const before = affinity_of_this_thread();
  ASSERT_FALSE(before.empty());
  cpu_mask one;
  one.insert(before.members().front());
  {
    saved_affinity const saved;
    ASSERT_FALSE(bind_this_thread(one));
    EXPECT_EQ(affinity_of_this_thread(), one);
  }
  EXPECT_EQ(affinity_of_this_thread(), before);
}

TEST(affinity, binding_to_a_pu_that_is_not_there_is_an_error) {
  cpu_mask nowhere;
  nowhere.insert(60'000);
  EXPECT_TRUE(bind_this_thread(nowhere));
  EXPECT_TRUE(bind_this_thread(cpu_mask{}));
}

}}}}  // namespace skua::v0::runtime
