// SPDX-License-Identifier: MIT
#include "skua/parts/trace/trace_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <system_error>

#include "skua/parts/base/clock.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/interruptible_sleep.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua { inline namespace v0 { namespace trace {
namespace {

constexpr int most_names = 1000;  // of one trace: "t", "t-2", .. "t-999"

constexpr std::uint64_t pages(std::uint64_t bytes) noexcept {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

[[noreturn]] void refuse(trace_options const& options, std::string const& path, int wrong) {
  throw usage_error(options.chosen_by + " is '" + runtime::printable(path) +
                    "', which cannot be written: " + std::generic_category().message(wrong));
}

std::string numbered(std::string const& path, int i) { return i == 1 ? path : path + "-" + std::to_string(i); }

/// Further names that an earlier run has left would be taken for traces of this one.
void remove_leftovers(std::string const& path) noexcept try {
  for (int i = 2; i < most_names; ++i) {
    int const file = ::open(numbered(path, i).c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) ::unlink(numbered(path, i).c_str());
    ::close(file);
  }
} catch (std::bad_alloc const&) {
  return;  // they stay
}

std::uint64_t wall_clock_ns() noexcept {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

reading read_clocks() noexcept {
  reading best;
  std::uint64_t closest = ~std::uint64_t{0};
  for (int i = 0; i < 3; ++i) {
    std::uint64_t const before = runtime::processor_ticks();
    std::uint64_t const ns = runtime::clock_ns();
    std::uint64_t const took = runtime::processor_ticks() - before;
    if (took >= closest) continue;
    closest = took;
    best = {before + took / 2, ns};
  }
  return best;
}

std::unique_ptr<trace_file> trace_file::make(trace_options const& options) {
  for (int i = 1; i < most_names; ++i) {
    std::string const path = numbered(options.path, i);
    int const file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) refuse(options, path, errno);
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      ::close(file);
      continue;
    }
    if (i == 1) remove_leftovers(options.path);
    std::unique_ptr<trace_file> made(new trace_file(path, file));
    made->lay_out(options);
    return made;
  }
  throw usage_error(options.chosen_by + " is '" + runtime::printable(options.path) +
                    "', of which 999 traces are being written already");
}

void trace_file::lay_out(trace_options const& options) {
  struct stat is{};
  if (::fstat(file_, &is) == 0 && !S_ISREG(is.st_mode)) refuse(options, path_, EINVAL);
  header h;
  h.tracks = std::max<std::uint32_t>(options.tracks, 1);
  h.rank = options.rank;
  h.ranks = options.ranks;
  h.is_virtual = options.is_virtual ? 1 : 0;
  h.track_capacity = std::bit_floor(std::max<std::uint64_t>(options.bytes / sizeof(event) / h.tracks, least_events));
  h.description_at = page_bytes;
  h.description_size = options.description.size();
  h.names_at = h.description_at + pages(h.description_size);
  h.names_size = 1;
  h.tracks_at = h.names_at + names_bytes;
  h.file_bytes = h.tracks_at + h.tracks * track_bytes(h.track_capacity);
  // What an earlier trace left in the file goes first, so that no old event shows through.
  if (::ftruncate(file_, 0) != 0) refuse(options, path_, errno);
  if (int const wrong = ::posix_fallocate(file_, 0, static_cast<off_t>(h.file_bytes)); wrong != 0) {
    ::unlink(path_.c_str());
    refuse(options, path_, wrong);
  }
  void* const mapped = ::mmap(nullptr, h.file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (mapped == MAP_FAILED) refuse(options, path_, errno);
  begin_ = static_cast<std::byte*>(mapped);
  bytes_ = h.file_bytes;
  h.first = read_clocks();
  h.wall_ns = wall_clock_ns();
  if (!options.is_virtual) {
    for (std::uint64_t const began = runtime::clock_ns(); runtime::clock_ns() - began < 2'000'000;)
      runtime::interruptible_sleep(std::chrono::milliseconds(2));
    h.second = read_clocks();
  }
  std::memcpy(begin_ + h.description_at, options.description.data(), options.description.size());
  std::memcpy(begin_, &h, sizeof h);
}

void trace_file::note_end() noexcept {
  if (head().is_virtual == 0) head().last = read_clocks();
}

trace_file::~trace_file() {
  if (begin_ != nullptr) {
    note_end();
    std::uint64_t const capacity = head().track_capacity;
    for (std::uint32_t w = 0; w < head().tracks; ++w) {
      auto const& control = *reinterpret_cast<track_control const*>(track_at(w));
      if (control.head >= capacity) continue;
      std::uint64_t const used = sizeof control + control.head * sizeof(event);
      auto const from = static_cast<off_t>(head().tracks_at + w * track_bytes(capacity) + used);
      auto const size = static_cast<off_t>(track_bytes(capacity) - used);
      // A file system that cannot do this keeps the space: nothing is lost.
      static_cast<void>(::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, size));
    }
    ::munmap(begin_, bytes_);
  }
  ::close(file_);
}

std::byte* trace_file::track_at(std::uint32_t w) const noexcept {
  return begin_ + head().tracks_at + w * track_bytes(head().track_capacity);
}

track trace_file::track_of(std::uint32_t w) noexcept {
  std::byte* const at = track_at(w);
  return {*this, *reinterpret_cast<track_control*>(at), reinterpret_cast<event*>(at + sizeof(track_control)),
          head().track_capacity};
}

std::uint32_t trace_file::add_name(std::string_view text) noexcept try {
  std::lock_guard const lock(naming_);
  std::string key(text.substr(0, text.find('\0')));
  if (key.empty()) return 0;
  if (auto const found = names_.find(key); found != names_.end()) return found->second;
  std::uint64_t const at = head().names_size;
  if (at + key.size() + 1 > names_bytes) return 0;
  std::memcpy(begin_ + head().names_at + at, key.c_str(), key.size() + 1);
  std::atomic_signal_fence(std::memory_order_release);  // release: "names first"; the reader comes after this process
  head().names_size = at + key.size() + 1;
  names_.emplace(std::move(key), static_cast<std::uint32_t>(at));
  return static_cast<std::uint32_t>(at);
} catch (std::bad_alloc const&) {
  return 0;
}

std::uint32_t track::find_or_look_up(char const* text, std::size_t home) noexcept {
  known_name* free = &known_[home % known_.size()];
  for (std::size_t i = 0; i < reach; ++i) {
    known_name& slot = known_[(home + i) % known_.size()];
    if (slot.text == text) return slot.position;
    if (slot.text != nullptr) continue;
    free = &slot;
    break;
  }
  *free = {text, whole_->add_name(text)};
  return free->position;
}

std::uint32_t track::name(std::string_view text) noexcept { return whole_->add_name(text); }

std::uint32_t track::next_flow() noexcept { return whole_->next_flow(); }

void track::note_clock() noexcept { control_->latest = read_clocks(); }

}}}  // namespace skua::v0::trace
