// SPDX-License-Identifier: MIT
// Places in a program's code that have the same name in its next run, although the system draws the addresses anew (ASLR).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime {

struct code_place {
  std::string module = {};   ///< the file name of the program or the library
  std::string build = {};    ///< its build id, or a hash of its code
  std::uint64_t offset = 0;  ///< from the address at which it is loaded
  friend bool operator==(code_place const&, code_place const&) = default;
};

/// "libx.so+0x1f0", for people.
[[nodiscard]] std::string text_of(code_place const& p);

/// The program and its libraries, as they are loaded when this is made.
class loaded_code {
 public:
  /// Some microseconds; more for a module without a build id, whose code it reads.
  loaded_code();

  /// Nothing: no module is loaded there.
  [[nodiscard]] std::optional<code_place> place_of(std::uint64_t address) const;
  enum class found : std::uint8_t {
    here,
    in_another_build,  ///< a module with this name is loaded, but no such build
    nowhere,           ///< no module with this name is loaded
  };
  struct location {
    found where = found::nowhere;
    std::uint64_t address = 0;
  };
  [[nodiscard]] location find(code_place const& place) const;

 private:
  struct module {
    std::string name;
    std::string build;
    std::uint64_t base = 0;  ///< of all its offsets
    std::uint64_t end = 0;   ///< of the last segment
  };
  std::vector<module> modules_;
};

/// The file name of the program that runs.
[[nodiscard]] std::string name_of_program();

}}}  // namespace skua::v0::runtime
