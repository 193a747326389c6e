// SPDX-License-Identifier: MIT
// Cases of one reader in a child process that may crash, hang or want all memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/readers/readers.hpp"

namespace skua { inline namespace v0 { namespace testing {

struct reader_limits {
  double processor_s = 10;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
};

struct reader_counts {
  std::uint64_t originals = 0;  ///< all of them were read
  std::uint64_t read = 0;       ///< after mutations
  std::uint64_t refused = 0;
};

struct reader_failure {
  std::uint64_t number = 0;  ///< of the case
  std::string why;
  std::string file;  ///< is kept
};

/// Runs the cases [first, end) of a seed, and adds what came of them; the first failure ends it. Files lie in `folder`.
[[nodiscard]] std::optional<reader_failure> run_cases(reader const& of, std::uint64_t seed, std::uint64_t first,
                                                      std::uint64_t end, std::string const& folder,
                                                      reader_counts& counts, reader_limits const& most = {});

/// The bytes of a case.
[[nodiscard]] std::string file_of_case(reader const& of, std::uint64_t seed, std::uint64_t number);

}}}  // namespace skua::v0::testing
