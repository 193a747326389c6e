// SPDX-License-Identifier: MIT
#include "skua/openmp/code_place.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>

namespace skua { inline namespace v0 { namespace openmp {

namespace {

std::string path_of_program() {
  std::array<char, 4096> path{};
  ::ssize_t const length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string("?");
}

std::string in_hex(std::span<unsigned char const> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char const b : bytes) {
    text += digits[b >> 4];
    text += digits[b & 15];
  }
  return text;
}

std::string in_hex(std::uintptr_t n) {
  std::string text;
  for (; n != 0 || text.empty(); n >>= 4) text.insert(text.begin(), "0123456789abcdef"[n & 15]);
  return text;
}

constexpr std::size_t aligned(std::size_t bytes) noexcept { return (bytes + 3) & ~std::size_t{3}; }

/// The build id among the notes of a segment; empty if it is not there. [gABI, note section]
std::string build_id_in(std::span<unsigned char const> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes.data(), sizeof head);
    notes = notes.subspan(sizeof head);
    std::size_t const name = aligned(head.n_namesz);
    std::size_t const content = aligned(head.n_descsz);
    if (name > notes.size() || content > notes.size() - name) return {};
    bool const is_gnu = head.n_namesz == 4 && std::memcmp(notes.data(), "GNU", 4) == 0;
    if (is_gnu && head.n_type == NT_GNU_BUILD_ID) return in_hex(notes.subspan(name, head.n_descsz));
    notes = notes.subspan(name + content);
  }
  return {};
}

struct search {
  std::uintptr_t code;
  std::string found;
  std::exception_ptr failure;
};

void describe(dl_phdr_info const& object, search& s) {
  std::string const path =
      object.dlpi_name != nullptr && *object.dlpi_name != '\0' ? object.dlpi_name : path_of_program();
  s.found = path + "+0x" + in_hex(s.code - object.dlpi_addr);
  for (ElfW(Half) i = 0; i < object.dlpi_phnum; ++i) {
    ElfW(Phdr) const& part = object.dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    auto const* const notes = reinterpret_cast<unsigned char const*>(object.dlpi_addr + part.p_vaddr);
    std::string const id = build_id_in({notes, part.p_memsz});
    if (id.empty()) continue;
    s.found += " build-id " + id;
    return;
  }
}

int look_at(dl_phdr_info* object, std::size_t, void* asked) noexcept {
  auto& s = *static_cast<search*>(asked);
  for (ElfW(Half) i = 0; i < object->dlpi_phnum; ++i) {
    ElfW(Phdr) const& part = object->dlpi_phdr[i];
    std::uintptr_t const begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || s.code < begin || s.code - begin >= part.p_memsz) continue;
    try {
      describe(*object, s);
    } catch (...) {  // no memory; not through the linker's frames
      s.failure = std::current_exception();
    }
    return 1;
  }
  return 0;
}

/// dl_iterate_phdr takes a lock that dlopen holds only for moments; dladdr would wait for a dlopen whose constructors run a region.
std::string described(void const* code) {
  search s{.code = reinterpret_cast<std::uintptr_t>(code), .found = {}, .failure = {}};
  ::dl_iterate_phdr(&look_at, &s);
  if (s.failure != nullptr) std::rethrow_exception(s.failure);
  return std::move(s.found);
}

struct known_place {
  void const* code;
  std::string text;
};

/// Entries are added, and never removed: no lock that a child of fork() might find taken.
class place_table {
 public:
  static place_table& all() noexcept {
    static auto* const these = new place_table;  // never destroyed: threads may run regions while the process ends
    return *these;
  }
  char const* text_of(void const* code) {
    std::size_t const home = reinterpret_cast<std::uintptr_t>(code) * std::uintptr_t{0x9E37'79B9'7F4A'7C15} >> 54;
    std::unique_ptr<known_place> made;
    for (std::size_t i = 0; i < slots; ++i) {
      std::atomic<known_place*>& slot = slots_[(home + i) % slots];
      known_place* seen = slot.load(std::memory_order_acquire);  // acquire: the entry. Pairs with: the exchange below
      if (seen == nullptr) {
        if (made == nullptr) made = std::make_unique<known_place>(known_place{code, described(code)});
        // release: the entry; acquire: another thread's
        if (slot.compare_exchange_strong(seen, made.get(), std::memory_order_acq_rel))
          return made.release()->text.c_str();
      }
      if (seen->code == code) return seen->text.c_str();
    }
    return nullptr;  // more places than a report could show
  }

 private:
  static constexpr std::size_t slots = 1024;
  std::array<std::atomic<known_place*>, slots> slots_{};
};

}  // namespace

char const* place_of_code(void const* code) noexcept {
  try {
    return place_table::all().text_of(code);
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}

}}}  // namespace skua::v0::openmp
