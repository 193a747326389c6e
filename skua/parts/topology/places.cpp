// SPDX-License-Identifier: MIT
#include "skua/parts/topology/places.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/options.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// PU numbers above this are taken for a typing error.
constexpr std::int64_t most_pus = std::int64_t{1} << 20;

using place = std::vector<std::uint32_t>;

class reader {
 public:
  reader(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  places_spec list() {
    skip_blanks();
    if (position_ < text_.size() && text_[position_] != '{' && text_[position_] != '!') return words();
    explicit_places result;
    do {
      interval(result.places);
    } while (take(','));
    if (position_ != text_.size()) refuse("\"" + std::string{text_.substr(position_)} + "\" is not understood");
    if (result.places.empty()) refuse("no place is left");
    return result;
  }

 private:
  [[noreturn]] void refuse(std::string const& why) const {
    throw usage_error(
        std::string{name_} + " is '" + std::string{text_} + "': " + why +
        "; allowed: threads, cores, ll_caches, numa_domains, sockets, each also with a number as in cores(4), "
        "or lists of PUs such as {0:4},{4:4}");
  }

  void skip_blanks() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t')) ++position_;
  }

  bool take(char c) {
    skip_blanks();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    skip_blanks();
    return true;
  }
  void need(char c) {
    if (!take(c)) refuse("'" + std::string{c} + "' is missing at character " + std::to_string(position_ + 1));
  }

  std::int64_t number(std::int64_t least, std::string_view what) {
    skip_blanks();
    std::int64_t value = 0;
    auto const [end, wrong] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
    if (wrong == std::errc::invalid_argument)
      refuse(std::string{what} + " is missing at character " + std::to_string(position_ + 1));
    if (wrong != std::errc{} || value < least || value > most_pus || value < -most_pus) {
      refuse(std::string{what} + " is not from " + std::to_string(least) + " to " + std::to_string(most_pus));
    }
    position_ = static_cast<std::size_t>(end - text_.data());
    skip_blanks();
    return value;
  }

  struct series {
    std::int64_t length = 1;
    std::int64_t stride = 1;
  };
  /// [":" length [":" stride]]
  series repetition() {
    series s;
    if (!take(':')) return s;
    s.length = number(1, "a length");
    if (s.length > max_workers) refuse("a length is not from 1 to " + std::to_string(max_workers));
    if (take(':')) s.stride = number(-most_pus, "a stride");
    if (s.stride == 0 && s.length > 1) refuse("a stride of 0 repeats the same PU");
    return s;
  }

  std::uint32_t shifted(std::int64_t base, std::int64_t by) const {
    std::int64_t const value = base + by;
    if (value < 0 || value > most_pus) refuse("a series leaves the range of PU numbers");
    return static_cast<std::uint32_t>(value);
  }

  /// range {"," range}, between braces.
  place one_place() {
    place pus;
    do {
      if (take('!')) {
        std::erase(pus, static_cast<std::uint32_t>(number(0, "a PU number")));
        continue;
      }
      std::int64_t const first = number(0, "a PU number");
      series const s = repetition();
      for (std::int64_t i = 0; i < s.length; ++i) {
        count_one();
        pus.push_back(shifted(first, i * s.stride));
      }
    } while (take(','));
    need('}');
    // A quadratic search would be slow at 65,536 PUs: find repetitions in a sorted copy.
    place sorted = pus;
    std::ranges::sort(sorted);
    if (auto const twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
      refuse("PU " + std::to_string(*twice) + " is twice in one place");
    }
    if (pus.empty()) refuse("a place has no PU");
    return pus;
  }

  void interval(std::vector<place>& all) {
    bool const out = take('!');
    need('{');
    place const first = one_place();
    if (out) {
      if (std::erase(all, first) == 0) refuse("the place after ! does not occur before it");
      return;
    }
    series const s = repetition();
    for (std::int64_t i = 0; i < s.length; ++i) {
      place next;
      for (std::uint32_t const pu : first) {
        if (i > 0) count_one();
        next.push_back(shifted(pu, i * s.stride));
      }
      all.push_back(std::move(next));
    }
  }

  void count_one() {
    if (++total_ > max_workers) refuse("more than " + std::to_string(max_workers) + " PUs are named");
  }

  places_spec words() {
    using entry = std::pair<std::string_view, place_word>;
    static constexpr std::array<entry, 5> known{{{"threads", place_word::threads},
                                                 {"cores", place_word::cores},
                                                 {"ll_caches", place_word::ll_caches},
                                                 {"numa_domains", place_word::numa_domains},
                                                 {"sockets", place_word::sockets}}};
    auto const end = std::min(text_.find_first_of("( \t", position_), text_.size());
    std::string key{text_.substr(position_, end - position_)};
    for (char& c : key) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    auto const found = std::ranges::find(known, std::string_view{key}, &entry::first);
    if (found == known.end()) refuse("\"" + key + "\" is not understood");
    position_ = end;
    abstract_places result{.word = found->second};
    if (take('(')) {
      result.count = static_cast<std::uint32_t>(number(1, "a number of places"));
      need(')');
    }
    skip_blanks();
    if (position_ != text_.size()) refuse("\"" + std::string{text_.substr(position_)} + "\" is not understood");
    return result;
  }

  std::string_view name_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t total_ = 0;
};

}  // namespace

places_spec read_places(std::string_view name, std::string_view text) { return reader{name, text}.list(); }

}}}  // namespace skua::v0::runtime
