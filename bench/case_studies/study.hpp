// SPDX-License-Identifier: MIT
// What the programs of the case studies share: positional arguments, and one line of output, "seconds checksum", which
// case_studies.py compares.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace skua::bench::study {

class arguments {
 public:
  arguments(int argc, char** argv) : all_(argv, argv + argc) {}
  /// The i-th argument, or what is usual. Ends the program with 2 if it is no whole number above 0.
  [[nodiscard]] std::size_t number(std::size_t i, std::size_t usual) const {
    if (i >= all_.size()) return usual;
    char* end = nullptr;
    long long const n = std::strtoll(all_[i].c_str(), &end, 10);
    if (*end == '\0' && n > 0) return static_cast<std::size_t>(n);
    std::fprintf(stderr, "argument %zu is '%s'; allowed: a whole number above 0\n", i, all_[i].c_str());
    std::exit(2);
  }
  [[nodiscard]] std::string text(std::size_t i, char const* usual) const { return i < all_.size() ? all_[i] : usual; }

 private:
  std::vector<std::string> all_;
};

class stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

inline int tell(stopwatch const& watch, double checksum) {
  double const seconds = watch.seconds();
  std::printf("%.6f %.9g\n", seconds, checksum);
  return 0;
}

}  // namespace skua::bench::study
