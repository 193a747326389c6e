// SPDX-License-Identifier: MIT
// Every reader of files that others wrote, against files that are nearly right: for a number of cases, or for as long as one likes.
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/readers/reader_runs.hpp"

namespace {

using namespace skua::testing;

struct options {
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
  std::uint64_t cases = 300;  ///< of each reader
  double minutes = 0;         ///< of all together; 0: `cases`
  std::string only;
};

constexpr std::uint64_t per_child = 1'000;

void say(reader const& of, reader_counts const& c) {
  std::printf("%-14.*s %9llu originals read; with changes %9llu read, %9llu refused\n",
              static_cast<int>(of.name.size()), of.name.data(), static_cast<unsigned long long>(c.originals),
              static_cast<unsigned long long>(c.read), static_cast<unsigned long long>(c.refused));
  std::fflush(stdout);
}

void say(reader const& of, options const& o, reader_failure const& f) {
  std::fprintf(stderr,
               "%.*s, case %llu: %s\nthe file is kept: %s\nto repeat it:\n  fuzz_readers --reader %.*s --seed %llu "
               "--first %llu --cases 1\n",
               static_cast<int>(of.name.size()), of.name.data(), static_cast<unsigned long long>(f.number),
               f.why.c_str(), f.file.c_str(), static_cast<int>(of.name.size()), of.name.data(),
               static_cast<unsigned long long>(o.seed), static_cast<unsigned long long>(f.number));
}

/// False: it failed.
bool run_reader(reader const& of, options const& o, std::string const& folder) {
  using clock = std::chrono::steady_clock;
  double const share = o.minutes / static_cast<double>(o.only.empty() ? all_readers().size() : 1);
  auto const end_of_time = clock::now() + std::chrono::duration<double, std::ratio<60>>(share);
  reader_counts counts;
  for (std::uint64_t at = o.first;;) {
    bool const is_over = o.minutes > 0 ? clock::now() >= end_of_time : at >= o.first + o.cases;
    if (is_over) break;
    std::uint64_t const next = o.minutes > 0 ? at + per_child : std::min(at + per_child, o.first + o.cases);
    if (auto const failed = run_cases(of, o.seed, at, next, folder, counts)) {
      say(of, counts);
      say(of, o, *failed);
      return false;
    }
    at = next;
  }
  say(of, counts);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  options o{.seed = std::random_device{}(), .only = {}};
  CLI::App app{"Every reader of files that others wrote, against files that are nearly right"};
  std::vector<std::string> names;
  for (reader const& r : all_readers()) names.emplace_back(r.name);
  app.add_option("--reader", o.only, "only this one")->check(CLI::IsMember(names));
  app.add_option("--seed", o.seed, "default: another one each time");
  app.add_option("--first", o.first, "the first case");
  app.add_option("--cases", o.cases, "of each reader; default: 300");
  app.add_option("--minutes", o.minutes, "for all readers together, instead of --cases")->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);
  std::string folder = (std::filesystem::temp_directory_path() / "skua_readers_XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    std::perror(folder.c_str());
    return 1;
  }
  std::printf("seed %llu\n", static_cast<unsigned long long>(o.seed));
  bool all_right = true;
  for (reader const& r : all_readers()) {
    if (!o.only.empty() && r.name != o.only) continue;
    std::string const own = folder + "/" + std::string(r.name);
    std::filesystem::create_directory(own);
    bool const right = run_reader(r, o, own);
    if (right) std::filesystem::remove_all(own);
    all_right = all_right && right;
  }
  if (all_right) std::filesystem::remove_all(folder);
  return all_right ? 0 : 1;
}
