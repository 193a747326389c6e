// SPDX-License-Identifier: MIT
#include "tests/readers/mutation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace skua { inline namespace v0 { namespace testing {
namespace {

using runtime::dice;

constexpr std::array<std::string_view, 22> numbers{"0",
                                                   "-1",
                                                   "1",
                                                   "127",
                                                   "65536",
                                                   "2147483647",
                                                   "2147483648",
                                                   "4294967295",
                                                   "4294967296",
                                                   "9223372036854775807",
                                                   "9223372036854775808",
                                                   "18446744073709551615",
                                                   "18446744073709551616",
                                                   "1e18",
                                                   "1e308",
                                                   "1e-320",
                                                   "1e999",
                                                   "nan",
                                                   "-inf",
                                                   "0x10",
                                                   "1.5",
                                                   "+-3"};
constexpr std::array<std::string_view, 14> pieces{"\x1b[31m",
                                                  "\x1b]0;x\a",
                                                  std::string_view("\0", 1),
                                                  "\xff\xfe",
                                                  "\xef\xbb\xbf",
                                                  "\r\n",
                                                  "\n\n",
                                                  "\x9b",
                                                  "\"",
                                                  "'",
                                                  "<",
                                                  "{[",
                                                  "&#27;",
                                                  "\xe2\x80\xae"};
constexpr std::array<std::uint64_t, 10> words{
    0, 1, 0x7f, 0xff, 0x7fff'ffff, 0x8000'0000, 0xffff'ffff, 0x7fff'ffff'ffff'ffff, ~std::uint64_t{0}, 0x10'0000};

std::size_t somewhere(dice& d, std::string const& file) { return d.below(static_cast<std::uint32_t>(file.size()) + 1); }

bool is_number(char c) { return (c >= '0' && c <= '9') || c == '.'; }

/// The first number behind a place; without one nothing happens.
void change_number(dice& d, std::string& file) {
  auto const from = std::find_if(file.begin() + static_cast<std::ptrdiff_t>(somewhere(d, file)), file.end(), is_number);
  auto const to = std::find_if_not(from, file.end(), is_number);
  if (from != to) file.replace(from, to, numbers[d.below(numbers.size())]);
}

struct range {
  std::size_t from, size;
};

/// What two of these bytes enclose.
range between(dice& d, std::string const& file, char const* bytes) {
  std::size_t const at = somewhere(d, file);
  std::size_t const from = at == 0 ? std::string::npos : file.find_last_of(bytes, at - 1);
  std::size_t const begin = from == std::string::npos ? 0 : from + 1;
  return {begin, std::min(file.find_first_of(bytes, begin), file.size()) - begin};
}

void change_part(dice& d, std::string& file, char const* bytes) {
  range const one = between(d, file, bytes);
  range const other = between(d, file, bytes);
  std::string const text = file.substr(other.from, other.size);
  switch (d.below(4)) {
    case 0: file.erase(one.from, std::min(one.size + 1, file.size() - one.from)); break;
    case 1: file.replace(one.from, one.size, text); break;
    case 2: file.insert(one.from, text + bytes[0]); break;
    default: file.insert(one.from, pieces[d.below(pieces.size())]);
  }
}

void change_bytes(dice& d, std::string& file) {
  if (file.empty()) return;
  std::size_t const most = d.below(2) == 0 ? std::min<std::size_t>(file.size(), 256) : file.size();
  std::size_t const at = d.below(static_cast<std::uint32_t>(most));
  if (d.below(2) == 0) {
    file[at] = static_cast<char>(static_cast<unsigned char>(file[at]) ^ (1U << d.below(8)));
    return;
  }
  std::size_t const width = d.below(2) == 0 ? 4 : 8;
  std::uint64_t word = words[d.below(words.size())];
  std::size_t const aligned = at / width * width;
  if (d.below(3) == 0) {  // near what is there
    std::memcpy(&word, file.data() + aligned, std::min(width, file.size() - aligned));
    word += d.below(3) - 1;
  }
  std::memcpy(file.data() + aligned, &word, std::min(width, file.size() - aligned));
}

void change_piece(dice& d, std::string& file) {
  std::size_t const from = somewhere(d, file);
  std::size_t const size = std::min<std::size_t>(d.below(d.below(4) == 0 ? 4'096 : 32), file.size() - from);
  if (d.below(2) == 0) {
    file.erase(from, size);
    return;
  }
  std::string const piece = file.substr(from, size);
  std::uint32_t const times = d.below(8) == 0 ? 1'000 : 1 + d.below(4);
  std::string all;
  for (std::uint32_t i = 0; i < times; ++i) all += piece;
  file.insert(from, all);
}

void change_lines(std::string& file) {
  std::string changed;
  for (char const c : file) {
    if (c == '\n') changed += '\r';
    changed += c;
  }
  file = std::move(changed);
}

}  // namespace

void mutate(dice& d, std::string& file) {
  switch (d.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3: change_number(d, file); break;
    case 4:
    case 5:
    case 6: change_part(d, file, " \t\n\"<>,:"); break;
    case 7:
    case 8: change_part(d, file, "\n"); break;
    case 9:
    case 10:
    case 11: change_bytes(d, file); break;
    case 12: change_piece(d, file); break;
    case 13: file.resize(somewhere(d, file)); break;
    case 14: file.insert(somewhere(d, file), pieces[d.below(pieces.size())]); break;
    default: d.below(2) == 0 ? change_lines(file) : static_cast<void>(file.insert(0, "\xef\xbb\xbf"));
  }
  if (file.size() > most_mutated_bytes) file.resize(most_mutated_bytes);
}

}}}  // namespace skua::v0::testing
