// SPDX-License-Identifier: MIT
#include "skua/openmp/affinity_format.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "skua/openmp/binding.hpp"
#include "skua/openmp/last_words.hpp"
#include "skua/openmp/omp_routines.hpp"
#include "skua/openmp/team.hpp"
#include "skua/parts/base/fork_handlers.hpp"
#include "skua/parts/topology/affinity.hpp"

namespace skua { inline namespace v0 { namespace openmp {

namespace {

constinit std::mutex format_changes;
[[gnu::init_priority(runtime::before_static_objects)]] runtime::fork_handlers const format_over_fork{
    [] { format_changes.lock(); }, [] { format_changes.unlock(); }, [] { format_changes.unlock(); }};

/// affinity-format-var, which routines change, under format_changes.
struct format_of_process {
  std::string text = the_settings().affinity_format;
};
format_of_process& the_format() {
  static auto* const known = new format_of_process;  // never destroyed: exit handlers may ask
  return *known;
}

std::string format_now() {
  format_of_process& f = the_format();
  std::lock_guard const hold(format_changes);
  return f.text;
}

std::string hexadecimal(std::uintptr_t n) {
  std::array<char, 16> digits{};
  auto const made = std::to_chars(digits.data(), digits.data() + digits.size(), n, 16);
  return "0x" + std::string(digits.data(), made.ptr);
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "node";
}

std::string processors_now() {
  settings const& s = the_settings();
  return to_text(s.places.empty() ? runtime::affinity_of_this_thread() : s.places[position_here().place]);
}

char type_of_name(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, char>, 10> known{{{"team_num", 't'},
                                                                            {"num_teams", 'T'},
                                                                            {"nesting_level", 'L'},
                                                                            {"thread_num", 'n'},
                                                                            {"num_threads", 'N'},
                                                                            {"ancestor_tnum", 'a'},
                                                                            {"host", 'H'},
                                                                            {"process_id", 'P'},
                                                                            {"native_thread_id", 'i'},
                                                                            {"thread_affinity", 'A'}}};
  auto const* const found = std::ranges::find(known, name, &std::pair<std::string_view, char>::first);
  if (found == known.end()) end_as_libgomp("unsupported long type name '" + std::string(name) + "' in affinity format");
  return found->second;
}

std::string value_of(char type) {
  task const& t = current();
  switch (type) {
    case 't': return std::to_string(host_teams().number);
    case 'T': return std::to_string(host_teams().count);
    case 'L': return std::to_string(t.level);
    case 'n': return std::to_string(t.number);
    case 'N': return std::to_string(t.team == nullptr ? 1 : t.team->size());
    case 'a': return t.level == 0 ? "-1" : std::to_string(t.team->creator().number);
    case 'H': return host_name();
    case 'P': return std::to_string(::getpid());
    case 'i': return hexadecimal(reinterpret_cast<std::uintptr_t>(reinterpret_cast<void*>(::pthread_self())));
    case 'A': return processors_now();
    default: end_as_libgomp(std::string("unsupported type ") + (type == 0 ? ' ' : type) + " in affinity format");
  }
}

/// Reads a field behind its '%'.
class field {
 public:
  explicit field(std::string_view& rest) : rest_(rest) {
    has_zeros_ = take('0');
    is_right_ = take('.');
    if (has_zeros_ && !is_right_) end_as_libgomp("leading zero not followed by dot in affinity format");
    std::size_t width = 0;
    auto const [end, wrong] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), width);
    if (wrong == std::errc::result_out_of_range || width > most_width)
      end_as_libgomp("a size in the affinity format is too large");
    if (is_right_ && (wrong != std::errc{} || width == 0))
      end_as_libgomp("leading zero or right justification in affinity format requires size");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    width_ = width;
    type_ = read_type();
  }
  [[nodiscard]] std::string text() const {
    std::string value = value_of(type_);
    if (value.size() >= width_) return value;
    std::size_t const missing = width_ - value.size();
    if (!is_right_) return value + std::string(missing, ' ');
    if (!has_zeros_ || type_ == 'H' || type_ == 'A') return std::string(missing, ' ') + value;
    std::size_t const sign = value.starts_with('-') ? 1 : value.starts_with("0x") ? 2 : 0;
    return value.insert(sign, missing, '0');
  }

 private:
  static constexpr std::size_t most_width = 1u << 20;
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  char read_type() {
    if (!take('{')) {
      char const type = rest_.empty() ? '\0' : rest_.front();
      if (type != '\0') rest_.remove_prefix(1);
      return type;
    }
    std::size_t const end = rest_.find('}');
    std::string_view const name = rest_.substr(0, end);
    if (end == std::string_view::npos)
      end_as_libgomp("unterminated long type name '" + std::string(name) + "' in affinity format");
    rest_.remove_prefix(end + 1);
    return type_of_name(name);
  }

  std::string_view& rest_;
  bool has_zeros_ = false;
  bool is_right_ = false;
  std::size_t width_ = 0;
  char type_ = '\0';
};

/// As Fortran's character variables: filled with blanks, without a zero.
void put_with_blanks(std::string const& text, char* buffer, std::size_t room) {
  std::size_t const kept = std::min(text.size(), room);
  std::ranges::copy_n(text.data(), static_cast<std::ptrdiff_t>(kept), buffer);
  std::fill(buffer + kept, buffer + room, ' ');
}
/// As C's strings, cut to the room.
void put_with_zero(std::string const& text, char* buffer, std::size_t room) {
  if (room == 0) return;
  std::size_t const kept = std::min(text.size(), room - 1);
  std::ranges::copy_n(text.data(), static_cast<std::ptrdiff_t>(kept), buffer);
  buffer[kept] = '\0';
}

std::string_view view_of(char const* format) { return format == nullptr ? std::string_view{} : format; }

void print(std::string text) {
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void set_format(std::string_view text) {
  format_of_process& f = the_format();
  std::lock_guard const hold(format_changes);
  f.text = text;
}

}  // namespace

std::string affinity_text(std::string_view format) {
  std::string const own = format.empty() ? format_now() : std::string{};
  std::string_view rest = format.empty() ? std::string_view{own} : format;
  std::string text;
  for (;;) {
    std::size_t const percent = rest.find('%');
    text += rest.substr(0, percent);
    if (percent == std::string_view::npos) return text;
    rest.remove_prefix(percent + 1);
    if (rest.starts_with('%')) {
      text += '%';
      rest.remove_prefix(1);
    } else {
      text += field{rest}.text();
    }
  }
}

void display_affinity() noexcept {
  try {
    print(affinity_text({}));
  } catch (std::exception const&) {  // no memory: nothing is shown
  }
}

}}}  // namespace skua::v0::openmp

namespace omp = skua::openmp;

extern "C" {

void omp_set_affinity_format(char const* format) { omp::set_format(omp::view_of(format)); }
std::size_t omp_get_affinity_format(char* buffer, std::size_t room) {
  std::string const text = omp::format_now();
  omp::put_with_zero(text, buffer, room);
  return text.size();
}
void omp_display_affinity(char const* format) { omp::print(omp::affinity_text(omp::view_of(format))); }
std::size_t omp_capture_affinity(char* buffer, std::size_t room, char const* format) {
  std::string const text = omp::affinity_text(omp::view_of(format));
  omp::put_with_zero(text, buffer, room);
  return text.size();
}

// For Fortran: the lengths of texts are the last arguments.

void omp_set_affinity_format_(char const* format, std::size_t length) { omp::set_format({format, length}); }
int omp_get_affinity_format_(char* buffer, std::size_t room) {
  std::string const text = omp::format_now();
  omp::put_with_blanks(text, buffer, room);
  return static_cast<int>(text.size());
}
void omp_display_affinity_(char const* format, std::size_t length) { omp::print(omp::affinity_text({format, length})); }
int omp_capture_affinity_(char* buffer, char const* format, std::size_t room, std::size_t length) {
  std::string const text = omp::affinity_text({format, length});
  omp::put_with_blanks(text, buffer, room);
  return static_cast<int>(text.size());
}

}  // extern "C"
