// SPDX-License-Identifier: MIT
// The smallest program that uses Skua: fib(N) without cut-off on a pool of WORKERS (0: serially, without a pool).
// Others measure it from outside: instructions.py counts its instructions, memory.cpp its memory.
//
//     fib_alone N WORKERS [none|work|place|plain|ambient]
//
// With `work` or `place` every child gets such a hint: measures what hints cost where every fork gives them. `plain` is
// the function that README shows, with an `auto& here` and nothing to choose at compile time; `ambient` is the same without `here`.
// Prints one line of JSON: the value, and the memory of this process as the kernel counts it, in KiB.
// Exit code 1 if the value is wrong, 2 if an argument is.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "apps/fib/problem.hpp"
#include "skua/machine/threads/face/ambient.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/program/serial.hpp"

namespace {

namespace fib = skua::apps::fib;

std::uint64_t plain(auto& here, std::uint64_t n) {
  if (n < 2) return n;
  auto [a, b] = here.join([=](auto& h) { return plain(h, n - 1); }, [=](auto& h) { return plain(h, n - 2); });
  return a + b;
}

std::uint64_t ambient(std::uint64_t n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return ambient(n - 1); }, [=] { return ambient(n - 2); });
  return a + b;
}

std::optional<int> number(char const* text, long least, long most) {
  char* end = nullptr;
  long const value = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < least || value > most) return std::nullopt;
  return static_cast<int>(value);
}

/// /proc/self/status, read without heap memory.
class own_status {
 public:
  own_status() {
    int const file = open("/proc/self/status", O_RDONLY);
    if (file < 0) return;
    if (read(file, text_.data(), text_.size() - 1) < 0) text_[0] = '\0';
    close(file);
  }
  /// KiB; -1 if the kernel does not say.
  [[nodiscard]] long kib(char const* key) const {
    char const* const at = std::strstr(text_.data(), key);
    return at == nullptr ? -1 : std::strtol(at + std::strlen(key), nullptr, 10);
  }

 private:
  std::array<char, 4096> text_{};
};

}  // namespace

int main(int argc, char** argv) {
  bool const well_formed = argc == 3 || argc == 4;
  auto const asked_n = well_formed ? number(argv[1], 1, fib::most_n) : std::nullopt;
  auto const asked_workers = well_formed ? number(argv[2], 0, 1024) : std::nullopt;
  std::string_view const form = argc == 4 ? argv[3] : "none";
  bool const is_plain = form == "plain";
  bool const is_ambient = form == "ambient";
  auto const word = std::ranges::find(fib::said_words, is_plain || is_ambient ? "none" : form);
  if (!asked_n || !asked_workers || word == fib::said_words.end()) {
    std::fputs(
        "usage: fib_alone N WORKERS [none|work|place|plain|ambient], with N from 1 to 93 and WORKERS from 0 (no pool) "
        "to "
        "1024\n",
        stderr);
    return 2;
  }
  int const n = asked_n.value_or(0);
  int const workers = asked_workers.value_or(0);
  auto const what = static_cast<fib::said>(word - fib::said_words.begin());
  auto const program = [=](auto& here) {
    if (is_ambient) return ambient(static_cast<std::uint64_t>(n));
    return is_plain ? plain(here, static_cast<std::uint64_t>(n)) : fib::program(here, n, what);
  };
  std::uint64_t value = 0;
  if (workers == 0) {
    skua::serial here;
    value = program(here);
  } else {
    skua::pool pool({.workers = static_cast<std::uint32_t>(workers)});
    value = pool.run(program);
  }
  own_status const used;
  std::printf("{\"n\": %d, \"workers\": %d, \"value\": %llu, \"peak_kib\": %ld, \"own_kib\": %ld, \"file_kib\": %ld}\n",
              n, workers, static_cast<unsigned long long>(value), used.kib("VmHWM:"), used.kib("RssAnon:"),
              used.kib("RssFile:"));
  return value == fib::answer(n) ? 0 : 1;
}
