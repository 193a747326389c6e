// SPDX-License-Identifier: MIT
// A scratch directory for one test, removed with its contents when the test ends.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace skua { inline namespace v0 { namespace runtime { namespace testing {

class scratch {
 public:
  scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "skua-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

  /// Writes a file below the directory and returns its full name.
  std::string write(std::string_view name, std::string_view content) const {
    std::filesystem::path const file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    // ext4 waits for the disk when a file is truncated and written again; a new file costs nothing.
    std::filesystem::remove(file);
    std::ofstream out{file, std::ios::binary};
    out << content;
    if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

/// The message of the exception of type E that f() throws; empty if it throws none.
template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (E const& e) {
    return e.what();
  }
  return {};
}

}}}}  // namespace skua::v0::runtime::testing
