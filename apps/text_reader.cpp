// SPDX-License-Identifier: MIT
#include "apps/text_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::apps {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 18;
constexpr std::size_t most_line_bytes = std::size_t{1} << 26;

[[noreturn]] void refuse_file(std::string const& name, std::string const& why) {
  throw usage_error(runtime::printable(name) + ": " + why);
}

struct open_file {
  int number;
  std::uint64_t bytes;
};

/// Not blocking, because a FIFO would wait for its writer.
open_file open_regular(std::string const& name) {
  int const number = ::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (number < 0) refuse_file(name, std::string("cannot be opened: ") + std::strerror(errno));
  struct stat what{};
  if (::fstat(number, &what) == 0 && S_ISREG(what.st_mode)) return {number, static_cast<std::uint64_t>(what.st_size)};
  ::close(number);
  refuse_file(name, "it is no regular file; allowed: a file or a link to one");
}

}  // namespace

std::string shown(std::string_view bytes) {
  constexpr std::size_t most = 40;
  return "'" + runtime::printable(bytes, most) + "'";
}

/// zlib's files: what is not gzip passes unchanged.
struct text_reader::compressed {
  compressed(std::string const& name, expansion_limit const& limit) : compressed(name, open_regular(name), limit) {}
  compressed(std::string const& name, open_file const& opened, expansion_limit const& limit)
      : file(gzdopen(opened.number, "rb")), file_bytes(opened.bytes), most(limit) {
    if (file == nullptr) refuse_file(name, "cannot be read: no memory");
    gzbuffer(file, piece_bytes);
  }
  ~compressed() { gzclose_r(file); }
  compressed(compressed const&) = delete;
  compressed& operator=(compressed const&) = delete;

  [[nodiscard]] std::uint64_t bound() const noexcept { return std::max(most.bytes, most.times * file_bytes); }
  [[nodiscard]] bool is_within_bound() const { return given <= bound() || gzdirect(file) != 0; }

  gzFile file;
  std::uint64_t file_bytes;
  expansion_limit most;
  std::uint64_t given = 0;  ///< since the beginning
};

text_reader::text_reader(std::filesystem::path const& file, expansion_limit const& most)
    : name_(file.string()), in_(std::make_unique<compressed>(name_, most)) {}
text_reader::text_reader(std::string text, std::string name) : name_(std::move(name)), text_(std::move(text)) {}
text_reader::~text_reader() = default;

void text_reader::refuse(std::string const& why) const {
  if (line_ == 0) refuse_all(why);
  refuse_file(name_ + ":" + std::to_string(line_), why);
}
void text_reader::refuse_all(std::string const& why) const { refuse_file(name_, why); }

bool text_reader::read_on() {
  if (in_ == nullptr) return false;
  text_.erase(0, std::exchange(at_, 0));
  std::size_t const before = text_.size();
  if (before > most_line_bytes) refuse("a line is longer than 64 MiB");
  text_.resize(before + piece_bytes);
  int const got = gzread(in_->file, text_.data() + before, piece_bytes);
  text_.resize(before + static_cast<std::size_t>(got < 0 ? 0 : got));
  int fault = Z_OK;
  char const* const why = gzerror(in_->file, &fault);
  if (fault == Z_ERRNO) refuse(std::string("cannot be read on: ") + std::strerror(errno));
  if (fault == Z_BUF_ERROR && got <= 0) refuse("the compressed data end too early");
  if (got < 0) refuse(std::string("the compressed data are damaged: ") + why);
  in_->given += static_cast<std::uint64_t>(got);
  if (!in_->is_within_bound()) {
    refuse_all("it decompresses to more than " + std::to_string(in_->bound()) +
               " bytes; allowed for gzip: " + std::to_string(in_->most.bytes) + " bytes, or " +
               std::to_string(in_->most.times) + " times the size of the file if that is more");
  }
  return got > 0;
}

bool text_reader::next_line() {
  std::size_t searched = 0;  // of the line
  std::size_t end = std::string::npos;
  while ((end = text_.find('\n', at_ + searched)) == std::string::npos) {
    searched = text_.size() - at_;
    if (!read_on()) break;
  }
  if (end == std::string::npos && at_ == text_.size()) {
    whole_ = rest_ = {};
    return false;
  }
  rest_ = std::string_view(text_).substr(at_, end == std::string::npos ? end : end - at_);
  at_ = end == std::string::npos ? text_.size() : end + 1;
  if (rest_.ends_with('\r')) rest_.remove_suffix(1);
  if (line_++ == 0 && rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // a byte order mark
  whole_ = rest_;
  return true;
}

void text_reader::rewind() {
  at_ = 0;
  line_ = 0;
  whole_ = rest_ = {};
  if (in_ == nullptr) return;
  text_.clear();
  in_->given = 0;
  if (gzrewind(in_->file) != 0) refuse_all("cannot be read twice");
}

void text_reader::separate_also_by(std::string_view separators) { blanks_ += separators; }

std::string_view text_reader::word() {
  auto const begin = rest_.find_first_not_of(blanks_);
  if (begin == std::string_view::npos) return rest_ = {};
  rest_.remove_prefix(begin);
  auto const found = rest_.substr(0, rest_.find_first_of(blanks_));
  rest_.remove_prefix(found.size());
  return found;
}

std::uint64_t text_reader::whole(std::string_view what, std::uint64_t least, std::uint64_t most) {
  auto const text = word();
  std::uint64_t value = 0;
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    refuse(std::string(what) + " is " + shown(text) + "; allowed: " + std::to_string(least) + " to " +
           std::to_string(most));
  }
  return value;
}

double text_reader::real(std::string_view what) {
  auto const text = word();
  auto const digits = text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
  double value = 0;
  auto const [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failed != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value)) {
    refuse(std::string(what) + " is " + shown(text) + "; allowed: a finite number");
  }
  return value;
}

void text_reader::end_of_line() {
  if (auto const more = word(); !more.empty()) refuse(shown(more) + " is too much in its line");
}

}  // namespace skua::apps
