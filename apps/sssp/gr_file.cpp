// SPDX-License-Identifier: MIT
#include "apps/sssp/gr_file.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>

#include "skua/parts/base/error.hpp"

namespace skua::apps::sssp {
namespace {

constexpr std::string_view blanks = " \t\r";

/// Takes the first word off a line; empty at its end.
std::string_view next_word(std::string_view& line) {
  auto const begin = line.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return line = {};
  line.remove_prefix(begin);
  auto const word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

class reader {
 public:
  explicit reader(std::string_view name) : name_(name) {}

  void read(std::string_view line) {
    ++line_;
    rest_ = line;
    auto const kind = next_word(rest_);
    if (kind.empty() || kind == "c") return;
    if (kind == "p") return read_problem();
    if (kind == "a") return read_arc();
    refuse("a line begins with '" + std::string(kind) + "'; allowed: c, p, a");
  }
  sparse_graph made() {
    if (nodes_ == 0) refuse("there is no line 'p sp NODES ARCS'");
    if (arcs_.size() != promised_) {
      refuse("the file ends after " + std::to_string(arcs_.size()) + " arcs; its line p says " +
             std::to_string(promised_));
    }
    return {nodes_, arcs_};
  }

 private:
  [[noreturn]] void refuse(std::string const& why) const {
    throw usage_error(std::string(name_) + ":" + std::to_string(line_) + ": " + why);
  }
  std::uint64_t number(std::string_view what, std::uint64_t least, std::uint64_t most) {
    auto const word = next_word(rest_);
    std::uint64_t value = 0;
    auto const [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failed != std::errc{} || end != word.data() + word.size() || value < least || value > most) {
      refuse(std::string(what) + " is '" + std::string(word) + "'; allowed: " + std::to_string(least) + " to " +
             std::to_string(most));
    }
    return value;
  }
  void end_of_line() {
    if (auto const more = next_word(rest_); !more.empty())
      refuse("'" + std::string(more) + "' is too much in its line");
  }
  void read_problem() {
    if (nodes_ != 0) refuse("a second line p; allowed: one");
    if (auto const word = next_word(rest_); word != "sp") {
      refuse("the problem is '" + std::string(word) + "'; allowed: sp");
    }
    nodes_ = static_cast<node>(number("the number of nodes", 1, most_nodes));
    promised_ = number("the number of arcs", 0, std::numeric_limits<std::uint32_t>::max());
    end_of_line();
  }
  void read_arc() {
    if (nodes_ == 0) refuse("an arc before the line 'p sp NODES ARCS'");
    if (arcs_.size() == promised_) refuse("more arcs than the " + std::to_string(promised_) + " of the line p");
    auto const from = static_cast<node>(number("a node", 1, nodes_));
    auto const to = static_cast<node>(number("a node", 1, nodes_));
    arcs_.push_back({from - 1, to - 1, static_cast<length>(number("an arc's length", 0, most_length))});
    end_of_line();
  }

  std::string_view name_;
  std::string_view rest_;  ///< of the line
  std::size_t line_ = 0;
  node nodes_ = 0;
  std::uint64_t promised_ = 0;
  std::vector<arc> arcs_;
};

}  // namespace

sparse_graph read_gr(std::istream& in, std::string_view name) {
  reader all(name);
  for (std::string line; std::getline(in, line);) all.read(line);
  if (in.bad()) throw usage_error(std::string(name) + ": cannot be read to its end");
  return all.made();
}

sparse_graph read_gr_file(std::filesystem::path const& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    throw usage_error(file.string() + ": cannot be opened; allowed: a readable file in the format of DIMACS (.gr)");
  }
  return read_gr(in, file.string());
}

}  // namespace skua::apps::sssp
