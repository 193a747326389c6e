// SPDX-License-Identifier: MIT
// The head of a pool's trace lists its workers, each once, and where they are.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "skua/parts/trace/trace_reader.hpp"
#include "skua/skua.hpp"

namespace {

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(head_of_a_trace, lists_each_worker_once) {
  std::string folder = (std::filesystem::temp_directory_path() / "skua_trace_head_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::string const path = folder + "/t";
  for (std::uint32_t const workers : {1U, 2U, 4U}) {
    {
      skua::pool const p({.workers = workers, .trace = path, .topology = "package:2 core:2"});
    }
    auto const read = skua::trace::read_trace(path);
    EXPECT_EQ(read.tracks.size(), workers + 1) << "and one of what no worker does";
    EXPECT_EQ(occurrences(read.description, "\"processor\":"), workers) << read.description;
    EXPECT_EQ(occurrences(read.description, "\"place\":1"), workers == 4 ? 2U : 0U) << read.description;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
