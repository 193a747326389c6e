// SPDX-License-Identifier: MIT
// A place in the code has one name in all runs of a program.
#include "skua/machine/threads/engine/history/code_place.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "skua/machine/threads/engine/history/run_identity.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

std::uint64_t address_here() { return reinterpret_cast<std::uintptr_t>(&address_here); }

std::string whole_text_of(code_place const& p) { return p.module + " " + p.build + " " + std::to_string(p.offset); }

TEST(code_place, the_place_of_an_address_leads_back_to_it) {
  loaded_code const code;
  static int const datum = 7;
  for (std::uint64_t const address :
       {address_here(), static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&datum)),
        static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&std::rand))}) {
    auto const place = code.place_of(address);
    ASSERT_TRUE(place.has_value());
    EXPECT_FALSE(place->module.empty());
    EXPECT_FALSE(place->build.empty());
    loaded_code::location const at = code.find(*place);
    EXPECT_EQ(at.where, loaded_code::found::here);
    EXPECT_EQ(at.address, address);
  }
  EXPECT_EQ(code.place_of(address_here())->module, name_of_program());
  EXPECT_NE(code.place_of(reinterpret_cast<std::uintptr_t>(&std::rand))->module, name_of_program());
}

TEST(code_place, another_process_of_the_program_finds_the_same_place) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, with other addresses
  auto const say = [] {
    std::fputs((whole_text_of(*loaded_code().place_of(address_here())) + "\n").c_str(), stderr);
    std::exit(0);
  };
  EXPECT_EXIT(say(), ::testing::ExitedWithCode(0), whole_text_of(*loaded_code().place_of(address_here())));
}

TEST(code_place, other_builds_and_other_modules_are_told_apart) {
  loaded_code const code;
  code_place place = *code.place_of(address_here());
  place.build += "0";
  EXPECT_EQ(code.find(place).where, loaded_code::found::in_another_build);
  place.module = "no_such_library.so";
  EXPECT_EQ(code.find(place).where, loaded_code::found::nowhere);
  EXPECT_EQ(code.place_of(1), std::nullopt);
}

TEST(code_place, an_offset_beyond_the_module_is_not_found) {
  loaded_code const code;
  code_place place = *code.place_of(address_here());
  place.offset = std::uint64_t{1} << 50;
  EXPECT_EQ(code.find(place).where, loaded_code::found::in_another_build);
}

TEST(code_place, a_place_has_a_text_for_people) {
  EXPECT_EQ(text_of({.module = "libx.so", .build = "00", .offset = 0x1f0}), "libx.so+0x1f0");
}

TEST(run_identity, says_program_machine_and_workers) {
  layout const map(topology::synthetic("package:2 numa:1 core:4 pu:2"), {.workers = 16});
  run_identity const known = identity_of(map);
  EXPECT_EQ(known.program, name_of_program());
  EXPECT_EQ(known.workers, 16U);
  EXPECT_NE(known.machine.find("workers on 8 cores, 2 NUMA nodes, 2 packages"), std::string::npos) << known.machine;
  EXPECT_GT(known.machine.find(", workers"), 3U) << "the name of the processor";
  EXPECT_EQ(identity_of(map), known);
  EXPECT_NE(identity_of(layout(topology::synthetic("package:1 core:16"))).machine, known.machine);
}

}}}}  // namespace skua::v0::runtime
