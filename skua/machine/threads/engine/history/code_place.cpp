// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/history/code_place.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

namespace skua { inline namespace v0 { namespace runtime {
namespace {

std::string_view without_folder(std::string_view path) {
  auto const folder = path.rfind('/');
  return folder == std::string_view::npos ? path : path.substr(folder + 1);
}

std::string in_hex(unsigned char const* bytes, std::size_t n) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

unsigned char const* bytes_of(dl_phdr_info const& m, ElfW(Phdr) const& segment) {
  return reinterpret_cast<unsigned char const*>(m.dlpi_addr + segment.p_vaddr);
}

/// Empty: the linker wrote none. [man 5 elf, "Notes"]
std::string build_id(dl_phdr_info const& m) {
  constexpr std::string_view owner("GNU", 4);  // with its 0
  for (ElfW(Half) i = 0; i < m.dlpi_phnum; ++i) {
    ElfW(Phdr) const& segment = m.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    std::size_t const align = segment.p_align == 8 ? 8 : 4;
    auto const up = [align](std::size_t n) { return (n + align - 1) / align * align; };
    unsigned char const* const all = bytes_of(m, segment);
    for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= segment.p_memsz;) {
      ElfW(Nhdr) head;
      std::memcpy(&head, all + at, sizeof head);
      std::size_t const name = at + sizeof head;
      std::size_t const content = up(name + head.n_namesz);
      if (content + head.n_descsz > segment.p_memsz) break;
      bool const is_gnu = head.n_namesz == owner.size() && std::memcmp(all + name, owner.data(), owner.size()) == 0;
      if (is_gnu && head.n_type == NT_GNU_BUILD_ID) return in_hex(all + content, head.n_descsz);
      at = up(content + head.n_descsz);
    }
  }
  return {};
}

/// FNV-1a over the words of the segments with code, which the loader does not change.
std::string hash_of_code(dl_phdr_info const& m) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325ULL;
  for (ElfW(Half) i = 0; i < m.dlpi_phnum; ++i) {
    ElfW(Phdr) const& segment = m.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || (segment.p_flags & PF_R) == 0) continue;
    for (std::size_t at = 0; at + sizeof hash <= segment.p_filesz; at += sizeof hash) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes_of(m, segment) + at, sizeof word);
      hash = (hash ^ word) * 0x0000'0100'0000'01b3ULL;
      hash ^= hash >> 29;
    }
  }
  std::array<unsigned char, sizeof hash> bytes{};
  std::memcpy(bytes.data(), &hash, sizeof hash);
  return "code-" + in_hex(bytes.data(), bytes.size());
}

}  // namespace

std::string name_of_program() {
  std::array<char, 4096> path{};
  ssize_t const n = ::readlink("/proc/self/exe", path.data(), path.size());
  return n <= 0 ? "?" : std::string(without_folder({path.data(), static_cast<std::size_t>(n)}));
}

std::string text_of(code_place const& p) {
  std::array<char, 16> hex{};
  auto const end = std::to_chars(hex.data(), hex.data() + hex.size(), p.offset, 16);
  return p.module + "+0x" + std::string(hex.data(), end.ptr);
}

loaded_code::loaded_code() {
  auto const add = [](dl_phdr_info* m, std::size_t, void* to) {
    auto& all = *static_cast<std::vector<module>*>(to);
    module made{.name = {}, .build = build_id(*m), .base = m->dlpi_addr};
    for (ElfW(Half) i = 0; i < m->dlpi_phnum; ++i) {
      ElfW(Phdr) const& segment = m->dlpi_phdr[i];
      if (segment.p_type == PT_LOAD)
        made.end = std::max<std::uint64_t>(made.end, m->dlpi_addr + segment.p_vaddr + segment.p_memsz);
    }
    made.name =
        m->dlpi_name == nullptr || *m->dlpi_name == 0 ? name_of_program() : std::string(without_folder(m->dlpi_name));
    if (made.build.empty()) made.build = hash_of_code(*m);
    all.push_back(std::move(made));
    return 0;
  };
  ::dl_iterate_phdr(add, &modules_);
}

std::optional<code_place> loaded_code::place_of(std::uint64_t address) const {
  // A program that is not position-independent has base 0: the module that begins last is the one.
  module const* of = nullptr;
  for (module const& m : modules_) {
    if (m.base <= address && address < m.end && (of == nullptr || m.base > of->base)) of = &m;
  }
  if (of == nullptr) return {};
  return code_place{.module = of->name, .build = of->build, .offset = address - of->base};
}

loaded_code::location loaded_code::find(code_place const& place) const {
  found where = found::nowhere;
  for (module const& m : modules_) {
    if (m.name != place.module) continue;
    if (m.build == place.build && place.offset < m.end - m.base) return {found::here, m.base + place.offset};
    where = found::in_another_build;
  }
  return {where, 0};
}

}}}  // namespace skua::v0::runtime
