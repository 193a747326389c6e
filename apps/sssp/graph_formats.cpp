// SPDX-License-Identifier: MIT
#include "apps/sssp/graph_formats.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "skua/parts/base/error.hpp"

namespace skua::apps::sssp {
namespace {

constexpr std::uint64_t most_arcs = std::numeric_limits<std::uint32_t>::max();

constexpr std::string_view allowed_formats =
    "DIMACS (.gr), METIS (.graph) or lines FROM TO [LENGTH], each also as gzip";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_comment(std::string_view line) { return line.starts_with('#') || line.starts_with('%'); }
/// "# Undirected graph: ...": SNAP's files have each edge once then.
bool says_undirected(std::string_view comment) {
  comment.remove_prefix(std::min(comment.find_first_not_of("#% \t"), comment.size()));
  return comment.starts_with("Undirected graph");
}

/// The first line of a METIS file.
struct metis_header {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  bool has_sizes = false;
  bool has_lengths = false;
  std::uint64_t weights = 0;  ///< of each node

  [[nodiscard]] std::uint64_t words_before_edges() const noexcept { return weights + (has_sizes ? 1 : 0); }
};

metis_header read_metis_header(text_reader& in) {
  metis_header found;
  found.nodes = in.whole("the number of nodes", 1, most_nodes);
  found.edges = in.whole("the number of edges", 0, most_arcs / 2);
  auto const format = in.word();
  if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos) {
    in.refuse("the format is " + shown(format) + "; allowed: up to three digits, each 0 or 1, such as 001");
  }
  auto const digit = [&](std::size_t from_right) {
    return format.size() > from_right && format[format.size() - 1 - from_right] == '1';
  };
  found.has_lengths = digit(0);
  found.has_sizes = digit(2);
  if (digit(1)) {
    found.weights = in.is_at_end_of_line() ? 1 : in.whole("the number of weights of a node", 1, 1000);
  }
  in.end_of_line();
  return found;
}

/// The next line that is no comment. Blank ones count: they are nodes without edges.
bool next_metis_line(text_reader& in) {
  while (in.next_line()) {
    if (!in.rest().starts_with('%')) return true;
  }
  return false;
}

/// True if the text, whose first line this is, has as many lines and words as that says of a METIS file. Stops where it has more.
bool counts_like_metis(text_reader& in) {
  metis_header said;
  try {
    said = read_metis_header(in);
  } catch (usage_error const&) {
    return false;
  }
  std::uint64_t const most_words = said.nodes * said.words_before_edges() + 2 * said.edges * (said.has_lengths ? 2 : 1);
  std::uint64_t lines = 0;
  std::uint64_t words = 0;
  while (next_metis_line(in)) {
    if (lines == said.nodes && in.is_at_end_of_line()) continue;
    if (++lines > said.nodes) return false;
    while (!in.word().empty()) {
      if (++words > most_words) return false;
    }
  }
  return lines == said.nodes && words == most_words;
}

graph_format format_of_numbers(text_reader& in) {
  std::string name = in.name();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (name.ends_with(".graph") || name.ends_with(".metis")) return graph_format::metis;
  return counts_like_metis(in) ? graph_format::metis : graph_format::edges;
}

graph_format format_of_first_lines(text_reader& in) {
  while (in.next_line()) {
    auto const word = in.word();
    if (word.empty()) continue;
    if (word == "c" || word == "p" || word == "a") return graph_format::dimacs;
    if (word.starts_with('#')) return graph_format::edges;
    if (word.starts_with('%') && !word.starts_with("%%")) return graph_format::metis;
    if (!is_digit(word[0]))
      in.refuse("a line begins with " + shown(word) + "; allowed: " + std::string(allowed_formats));
    in.begin_line_again();
    return format_of_numbers(in);
  }
  in.refuse("it is empty; allowed: " + std::string(allowed_formats));
}

class dimacs_reader {
 public:
  explicit dimacs_reader(text_reader& in) : in_(in) {}

  named_graph read() {
    while (in_.next_line()) read_line();
    if (made_.declared == 0) in_.refuse("there is no line 'p sp NODES ARCS'");
    if (made_.arcs.size() != promised_) {
      in_.refuse("the file ends after " + std::to_string(made_.arcs.size()) + " arcs; its line p says " +
                 std::to_string(promised_));
    }
    return std::move(made_);
  }

 private:
  void read_line() {
    auto const kind = in_.word();
    if (kind.empty() || kind == "c") return;
    if (kind == "p") return read_problem();
    if (kind == "a") return read_arc();
    in_.refuse("a line begins with " + shown(kind) + "; allowed: c, p, a");
  }
  void read_problem() {
    if (made_.declared != 0) in_.refuse("a second line p; allowed: one");
    if (auto const word = in_.word(); word != "sp") in_.refuse("the problem is " + shown(word) + "; allowed: sp");
    made_.declared = in_.whole("the number of nodes", 1, most_nodes);
    promised_ = in_.whole("the number of arcs", 0, most_arcs);
    in_.end_of_line();
  }
  void read_arc() {
    if (made_.declared == 0) in_.refuse("an arc before the line 'p sp NODES ARCS'");
    if (made_.arcs.size() == promised_)
      in_.refuse("more arcs than the " + std::to_string(promised_) + " of the line p");
    auto const from = in_.whole("a node", 1, made_.declared);
    auto const to = in_.whole("a node", 1, made_.declared);
    made_.arcs.push_back({from, to, static_cast<length>(in_.whole("an arc's length", 0, most_length))});
    in_.end_of_line();
  }

  text_reader& in_;
  named_graph made_;
  std::uint64_t promised_ = 0;
};

/// The neighbours of one node.
void read_metis_node(text_reader& in, metis_header const& said, std::uint64_t from, named_graph& made) {
  for (std::uint64_t i = 0; i < said.words_before_edges(); ++i) {
    static_cast<void>(in.whole("a weight of a node", 0, std::numeric_limits<std::uint64_t>::max()));
  }
  while (!in.is_at_end_of_line()) {
    if (made.arcs.size() == 2 * said.edges) {
      in.refuse("more neighbours than the " + std::to_string(2 * said.edges) + " of " + std::to_string(said.edges) +
                " edges");
    }
    auto const to = in.whole("a node", 1, said.nodes);
    auto const cost = said.has_lengths ? in.whole("an edge's weight", 0, most_length) : 1;
    made.arcs.push_back({from, to, static_cast<length>(cost)});
  }
}

}  // namespace

graph_format format_of(text_reader& in) {
  graph_format const found = format_of_first_lines(in);
  in.rewind();
  return found;
}

named_graph read_dimacs(text_reader& in) { return dimacs_reader(in).read(); }

named_graph read_metis(text_reader& in) {
  named_graph made;
  do {
    if (!next_metis_line(in)) in.refuse("there is no line NODES EDGES; allowed: a graph in the format of METIS");
  } while (in.is_at_end_of_line());
  metis_header const said = read_metis_header(in);
  for (std::uint64_t from = 1; from <= said.nodes; ++from) {
    if (!next_metis_line(in)) {
      in.refuse("the file ends after " + std::to_string(from - 1) + " of " + std::to_string(said.nodes) + " nodes");
    }
    read_metis_node(in, said, from, made);
  }
  while (next_metis_line(in)) in.end_of_line();
  if (made.arcs.size() != 2 * said.edges) {
    in.refuse("the file ends after " + std::to_string(made.arcs.size()) + " neighbours; " + std::to_string(said.edges) +
              " edges have " + std::to_string(2 * said.edges));
  }
  made.declared = said.nodes;
  return made;
}

named_graph read_edges(text_reader& in, bool undirected) {
  constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
  named_graph made;
  in.separate_also_by(",");
  while (in.next_line()) {
    if (in.is_at_end_of_line()) continue;
    if (is_comment(in.rest())) {
      undirected = undirected || says_undirected(in.rest());
      continue;
    }
    auto const from = in.whole("a node", 0, any);
    auto const to = in.whole("a node", 0, any);
    auto const cost = static_cast<length>(in.is_at_end_of_line() ? 1 : in.whole("an edge's length", 0, most_length));
    in.end_of_line();
    if (made.arcs.size() + 2 > most_arcs) in.refuse("more than " + std::to_string(most_arcs) + " arcs");
    made.arcs.push_back({from, to, cost});
    if (undirected) made.arcs.push_back({to, from, cost});
  }
  if (made.arcs.empty()) in.refuse("there is no edge in it; allowed: lines FROM TO [LENGTH]");
  return made;
}

}  // namespace skua::apps::sssp
