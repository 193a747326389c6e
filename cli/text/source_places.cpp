// SPDX-License-Identifier: MIT
#include "cli/text/source_places.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/text/tool_output.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli {
namespace {

constexpr std::size_t most_per_call = 500;  // addresses: a command line has a length

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// "run(int)" of "run(int) [clone ._omp_fn.0]", "main" of "main._omp_fn.0".
std::string_view without_clone(std::string_view function) {
  for (std::string_view const mark : {" [clone ", "._omp_fn.", "._omp_cpyfn."}) {
    auto const at = function.find(mark);
    if (at != std::string_view::npos && at > 0) function = function.substr(0, at);
  }
  return function;
}

/// The names of one trace that stand for places in one object.
struct places_of_object {
  std::vector<std::pair<trace::trace_data*, std::uint32_t>> names;
  std::vector<code_place> at;
};

std::map<std::pair<std::string, std::string>, places_of_object> by_object(std::span<trace::trace_data> traces) {
  std::map<std::pair<std::string, std::string>, places_of_object> all;
  for (trace::trace_data& t : traces) {
    std::vector<std::uint32_t> names;
    for (trace::track_events const& track : t.tracks) {
      for (trace::event const& e : track.events)
        if (e.what == trace::kind::construct_began && e.other != 0) names.push_back(e.other);
    }
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    for (std::uint32_t const name : names) {
      std::optional<code_place> at = read_code_place(t.name(name));
      if (!at) continue;
      places_of_object& of = all[{at->object, at->build_id}];
      of.names.emplace_back(&t, name);
      of.at.push_back(*std::move(at));
    }
  }
  return all;
}

/// The file is the one that ran: a file, with that build id.
bool is_still_there(std::string const& object, std::string const& build_id) {
  struct stat about{};
  if (!object.starts_with('/') || ::stat(object.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return false;
  if (build_id.empty()) return true;
  std::optional<std::string> const notes = output_of({"readelf", "-n", object});
  return notes && notes->find("Build ID: " + build_id) != std::string::npos;
}

/// A program that is not position-independent: its addresses are those in the file. [gABI, e_type]
bool is_fixed(std::string const& object) {
  std::array<char, 18> head{};
  std::ifstream(object, std::ios::binary).read(head.data(), head.size());
  return head[16] == 2 && head[17] == 0;
}

/// Function and line of each place, by addr2line; fewer than there are places if it is missing.
std::vector<std::pair<std::string, std::string>> looked_up(std::string const& object,
                                                           std::span<code_place const> places) {
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t first = 0; first < places.size(); first += most_per_call) {
    std::vector<std::string> command{"addr2line", "-f", "-C", "-e", object};
    for (code_place const& p : places.subspan(first, std::min(most_per_call, places.size() - first)))
      command.push_back(fmt::format("{:#x}", p.offset));
    std::istringstream said(output_of(command).value_or(""));
    for (std::string function, line; std::getline(said, function) && std::getline(said, line);)
      all.emplace_back(function, line);
  }
  return all;
}

}  // namespace

std::string name_of_code(int process, std::uint64_t address) {
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  std::string object;
  std::uint64_t object_begins = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0;
    auto const at = line.find('/');
    char const* const text = line.data();
    auto const first = std::from_chars(text, text + line.size(), begin, 16);
    if (first.ec != std::errc{} || at == std::string::npos) continue;
    if (std::from_chars(first.ptr + 1, text + line.size(), end, 16).ec != std::errc{}) continue;
    if (std::string_view const path = std::string_view(line).substr(at); path != object) {
      object = path;
      object_begins = begin;  // mappings are sorted, and the first of an object is its beginning
    }
    if (address < begin || address >= end) continue;
    code_place const place{
        .object = object, .offset = is_fixed(object) ? address : address - object_begins, .build_id = {}};
    auto const said = looked_up(object, {&place, 1});
    return said.empty() ? in_words(place, "", "") : in_words(place, said[0].first, said[0].second);
  }
  return fmt::format("{:#x}", address);
}

std::optional<code_place> read_code_place(std::string_view text) {
  code_place at;
  constexpr std::string_view build = " build-id ";
  std::string_view where = text;
  if (auto const found = text.rfind(build); found != std::string_view::npos) {
    where = text.substr(0, found);
    at.build_id = text.substr(found + build.size());
  }
  auto const plus = where.rfind("+0x");
  if (plus == std::string_view::npos || plus == 0) return std::nullopt;
  std::string_view const digits = where.substr(plus + 3);
  auto const [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), at.offset, 16);
  if (wrong != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  at.object = where.substr(0, plus);
  return at;
}

std::string without_cython(std::string_view function) {
  bool const has_number = function.starts_with("__pyx_pf_") || function.starts_with("__pyx_pw_");  // before its name
  std::string_view left = function;
  if (has_number) {
    left.remove_prefix(9);
  } else if (left.starts_with("__pyx_f_")) {
    left.remove_prefix(8);
  } else {
    return std::string(function);
  }
  std::string words;
  for (;;) {
    std::size_t length = 0;
    char const* const end = left.data() + left.size();
    char const* const name = std::from_chars(left.data(), end, length).ptr;
    auto const room = static_cast<std::size_t>(end - name);
    bool const is_part = name != left.data() && length < room && name[length] == '_';
    // Of "4find_node_split" 4 is a number of the function: what follows a module's or a class's name is a length, or a number.
    bool const goes_on =
        is_part && length + 1 < room && (!has_number || name[length + 1] == '_' || is_digit(name[length + 1]));
    if (!goes_on) return words + std::string(has_number ? name : left.data(), end);
    words += std::string(name, length) + '.';
    left.remove_prefix(static_cast<std::size_t>(name - left.data()) + length + 1);
  }
}

std::string in_words(code_place const& at, std::string_view function, std::string_view line) {
  line = line.substr(0, line.find(" (discriminator"));
  bool const has_line = !line.empty() && !line.starts_with("??") && !line.ends_with(":?") && !line.ends_with(":0");
  bool const has_function = !function.empty() && function != "??";
  std::string const where = has_line ? std::string(file_name(line)) : std::string(file_name(at.object));
  std::string const name = without_cython(has_line ? without_clone(function) : function);
  if (has_function)
    return runtime::printable(has_line ? fmt::format("{} ({})", name, where) : fmt::format("{} in {}", name, where));
  return runtime::printable(has_line ? where : fmt::format("{}+{:#x}", where, at.offset));
}

void name_source_places(std::span<trace::trace_data> traces) {
  for (auto& [object, places] : by_object(traces)) {
    std::vector<std::pair<std::string, std::string>> said;
    if (is_still_there(object.first, object.second)) said = looked_up(object.first, places.at);
    if (said.size() != places.at.size()) said.assign(places.at.size(), {});
    for (std::size_t i = 0; i < said.size(); ++i)
      places.names[i].first->in_words[places.names[i].second] = in_words(places.at[i], said[i].first, said[i].second);
  }
}

}  // namespace skua::cli
