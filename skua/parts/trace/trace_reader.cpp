// SPDX-License-Identifier: MIT
#include "skua/parts/trace/trace_reader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <system_error>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/file.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/trace/trace_format.hpp"

namespace skua { inline namespace v0 { namespace trace {
namespace {

constexpr std::size_t most_missing_tracks = 1 << 16;  // more are a damaged header's, and would only take memory

[[noreturn]] void refuse(std::string const& path, std::string const& why) {
  throw usage_error(runtime::printable("trace '" + path + "' " + why));
}

std::string contents(std::string const& path) {
  // A device may never end; a file is as long as it says.
  constexpr std::size_t most_special_bytes = std::size_t{256} << 20;
  struct stat about{};
  bool const is_file = ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
  runtime::file_text file =
      runtime::read_file(path, is_file ? std::numeric_limits<std::size_t>::max() : most_special_bytes);
  if (file.wrong == std::errc::file_too_large) refuse(path, "is no file, and longer than 256 MiB");
  if (file.wrong) refuse(path, "cannot be read: " + file.wrong.message());
  return std::move(file.text);
}

/// [at, at + size) of the file, cut at its end.
std::string_view part(std::string const& file, std::uint64_t at, std::uint64_t size) noexcept {
  if (at >= file.size()) return {};
  return std::string_view(file).substr(at, size);
}

/// The parts follow each other, and the last one ends where the file does.
bool is_sound(header const& h) noexcept {
  constexpr std::uint64_t most = std::uint64_t{1} << 56;  // no sum or product below overflows
  if (h.tracks < 1 || !std::has_single_bit(h.track_capacity) || h.track_capacity > (std::uint64_t{1} << 40))
    return false;
  if (h.rank >= std::max<std::uint32_t>(h.ranks, 1)) return false;
  if (std::max({h.description_at, h.description_size, h.names_at, h.names_size, h.tracks_at}) > most) return false;
  if (h.tracks > most / track_bytes(h.track_capacity)) return false;
  return h.description_at >= sizeof h && h.description_at + h.description_size <= h.names_at &&
         h.names_size <= names_bytes && h.names_at + h.names_size <= h.tracks_at &&
         h.tracks_at + h.tracks * track_bytes(h.track_capacity) == h.file_bytes;
}

/// Names without what would act on a terminal; they keep their places, so their lengths, too.
std::string harmless(std::string names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto const byte = static_cast<unsigned char>(names[i]);
    auto const next = i + 1 < names.size() ? static_cast<unsigned char>(names[i + 1]) : 0U;
    bool const is_c1 = byte == 0xc2U && next >= 0x80U && next < 0xa0U;  // in UTF-8
    if (is_c1) names[i + 1] = '?';
    if (is_c1 || (byte < 0x20U && byte != 0) || byte == 0x7fU) names[i] = '?';
  }
  return names;
}

header checked_header(std::string const& file, std::string const& path) {
  header h;
  if (file.size() < sizeof h) refuse(path, "is no trace of Skua: it has " + std::to_string(file.size()) + " bytes");
  std::memcpy(&h, file.data(), sizeof h);
  if (h.magic_number != magic) refuse(path, "is no trace of Skua, or one of another version");
  if (!is_sound(h)) refuse(path, "is damaged: its header contradicts itself");
  if (file.size() > h.file_bytes)
    refuse(path, "has " + std::to_string(file.size()) + " bytes, but its header says " + std::to_string(h.file_bytes) +
                     ": something was appended to it");
  return h;
}

/// From ticks to nanoseconds since the trace began.
struct clock_line {
  std::uint64_t began = 0;
  double ns_per_tick = 1;

  [[nodiscard]] std::uint64_t at(std::uint64_t ticks) const noexcept {
    if (ticks <= began) return 0;
    constexpr double most = 4e18;  // a damaged event: no sum of two overflows
    return static_cast<std::uint64_t>(std::min(static_cast<double>(ticks - began) * ns_per_tick, most));
  }
};

clock_line line_of(header const& h, std::vector<track_control> const& controls) {
  if (h.is_virtual != 0) return {};
  reading last = h.last.ticks != 0 ? h.last : h.second;
  if (h.last.ticks == 0) {
    for (track_control const& c : controls)
      if (c.latest.ticks > last.ticks) last = c.latest;
  }
  if (last.ticks <= h.first.ticks || last.monotonic_ns <= h.first.monotonic_ns) return {h.first.ticks, 1};
  return {h.first.ticks, static_cast<double>(last.monotonic_ns - h.first.monotonic_ns) /
                             static_cast<double>(last.ticks - h.first.ticks)};
}

/// The events [from, to) of a track, counted from its first, that are in a file whose ring ends after `slots` slots: the
/// newest that follow each other without a gap.
struct kept {
  std::uint64_t from = 0, to = 0;
};

kept kept_of(std::uint64_t head, std::uint64_t capacity, std::uint64_t slots) noexcept {
  std::uint64_t const oldest = head - std::min(head, capacity);
  std::uint64_t const round = head & ~(capacity - 1);  // the event in slot 0 that is the newest there
  if (head - round > 0) return {std::max(oldest, round), round + std::min(head - round, slots)};
  return {oldest, oldest + std::min(head - oldest, slots)};  // the last round ended with the ring
}

/// `control` is null if the file ends before it.
track_events events_of(std::string_view ring, track_control const* control, header const& h, clock_line const& clock) {
  if (control == nullptr) return {.events = {}, .is_cut = true};
  std::uint64_t const head = control->head;
  std::uint64_t const slots = std::min<std::uint64_t>(ring.size() / sizeof(event), h.track_capacity);
  kept range{head - std::min(head, h.track_capacity), head};
  if (slots < std::min(head, h.track_capacity)) range = kept_of(head, h.track_capacity, slots);
  track_events all{.events = {}, .lost = range.from, .missing = head - range.to, .is_cut = range.to != head};
  all.events.reserve(range.to - range.from);
  for (std::uint64_t i = range.from; i != range.to; ++i) {
    event e;
    std::memcpy(&e, ring.data() + (i & (h.track_capacity - 1)) * sizeof(event), sizeof e);
    e.ticks = clock.at(e.ticks);
    all.events.push_back(e);
  }
  // A thread that takes a worker's place may run on another processor, whose clock may be some ticks behind.
  std::ranges::stable_sort(all.events, {}, &event::ticks);
  return all;
}

}  // namespace

trace_data read_trace(std::string const& path) {
  std::string const file = contents(path);
  header const h = checked_header(file, path);
  std::vector<track_control> controls;  // of the tracks that the file reaches: fewer than its bytes
  for (std::uint32_t w = 0; w < h.tracks; ++w) {
    std::string_view const at = part(file, h.tracks_at + w * track_bytes(h.track_capacity), sizeof(track_control));
    if (at.size() < sizeof(track_control)) break;
    std::memcpy(&controls.emplace_back(), at.data(), at.size());
  }
  if (h.tracks - controls.size() > most_missing_tracks) refuse(path, "is cut short, and almost nothing of it is left");
  clock_line const clock = line_of(h, controls);
  trace_data all{.path = path,
                 .description = std::string(part(file, h.description_at, h.description_size)),
                 .rank = h.rank,
                 .ranks = h.ranks,
                 .is_virtual = h.is_virtual != 0,
                 .is_complete = h.is_virtual != 0 || h.last.ticks != 0,
                 .began_ns = h.is_virtual != 0 ? 0 : h.first.monotonic_ns + static_cast<std::uint64_t>(h.correction_ns),
                 .wall_ns = h.is_virtual != 0 ? 0 : h.wall_ns,
                 .ended_ns = clock.at(h.last.ticks),
                 .file_bytes = h.file_bytes,
                 .cut_bytes = h.file_bytes - file.size(),
                 .tracks = {},
                 .names = harmless(std::string(part(file, h.names_at, h.names_size))),
                 .in_words = {}};
  for (std::uint32_t w = 0; w < h.tracks; ++w) {
    std::uint64_t const at = h.tracks_at + w * track_bytes(h.track_capacity) + sizeof(track_control);
    all.tracks.push_back(events_of(part(file, at, h.track_capacity * sizeof(event)),
                                   w < controls.size() ? &controls[w] : nullptr, h, clock));
    if (!all.tracks.back().events.empty()) all.ended_ns = std::max(all.ended_ns, all.tracks.back().events.back().ticks);
  }
  return all;
}

std::vector<std::string> files_of_trace(std::string const& base) {
  auto const is_there = [](std::string const& path) { return ::access(path.c_str(), F_OK) == 0; };
  std::vector<std::string> found;
  auto const add_pools = [&](std::string const& first) {
    if (!is_there(first)) return false;
    found.push_back(first);
    for (int i = 2; is_there(first + "-" + std::to_string(i)); ++i) found.push_back(first + "-" + std::to_string(i));
    return true;
  };
  add_pools(base);
  for (int r = 0; add_pools(base + "." + std::to_string(r)); ++r) {}
  if (found.empty()) refuse(base, "is not there");
  return found;
}

}}}  // namespace skua::v0::trace
