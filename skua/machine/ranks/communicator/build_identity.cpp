// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/communicator/build_identity.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

namespace skua { inline namespace v0 { namespace ranks {

std::string build_identity() {
  struct closer {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, closer> const file(std::fopen("/proc/self/exe", "rb"));
  if (!file) return "a binary that cannot be read";
  std::uint64_t size = 0;
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325ULL;  // FNV-1a over words
  std::array<char, 1 << 16> piece{};
  while (std::size_t const n = std::fread(piece.data(), 1, piece.size(), file.get())) {
    size += n;
    for (std::size_t at = 0; at < n; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, piece.data() + at, n - at < sizeof word ? n - at : sizeof word);
      hash = (hash ^ word) * 0x0000'0100'0000'01b3ULL;
      hash ^= hash >> 29;
    }
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "a binary of %llu bytes, %016llx", static_cast<unsigned long long>(size),
                static_cast<unsigned long long>(hash));
  return text.data();
}

}}}  // namespace skua::v0::ranks
