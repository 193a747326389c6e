// SPDX-License-Identifier: MIT
// The app sssp.
#include <zlib.h>

#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "apps/program_app.hpp"
#include "apps/sssp/numbered_graph.hpp"
#include "apps/sssp/problem.hpp"
#include "apps/text_reader.hpp"
#include "skua/parts/base/whole_file.hpp"

namespace skua::apps {
namespace {

template <sssp::graph Graph>
Graph const& arcs_of(Graph const& g) {
  return g;
}
sssp::sparse_graph const& arcs_of(sssp::numbered_graph const& g) { return g.arcs(); }

class sssp_app final : public finish_app<sssp_app> {
 public:
  sssp_app()
      : finish_app("sssp",
                   "shortest paths from one node; the order of tasks takes the role of the priority queue (strategies, "
                   "2013)") {
    has_no_effect({"--strategy"}, ways::serial, "the serial program is Dijkstra's algorithm");
    has_no_effect({"--n", "--density", "--longest", "--dense"}, "--graph", "only the random graph has it");
  }

  template <has_finish Here>
  void program(Here& here) {
    std::visit([&](auto const& g) { result_ = sssp::program(here, arcs_of(g), start_, how_); }, *graph_);
  }
  /// Dijkstra's algorithm with a binary heap.
  void run_alone() {
    std::visit([&](auto const& g) { result_ = sssp::dijkstra(arcs_of(g), start_); }, *graph_);
  }

 private:
  using any_graph = std::variant<sssp::sparse_graph, sssp::dense_graph, sssp::numbered_graph>;

  void build() override {
    written_ = false;
    require_writable("--output", output_);
    are_facts({"--n", "--density", "--longest", "--seed", "--dense"}, file_.empty());
    are_facts({"--format", "--undirected"}, !file_.empty());
    file_.empty() ? make_random_graph() : read_graph();
    right_ = std::visit([this](auto const& g) { return sssp::dijkstra(arcs_of(g), start_).distances; }, *graph_);
  }
  void make_random_graph() {
    if (undirected_ || format_ != named_format::automatic) {
      throw usage_error(std::string("sssp: ") + (undirected_ ? "--undirected" : "--format") +
                        " is given without --graph; allowed: with it, because it says how to read the file");
    }
    sssp::random_shape const shape{.nodes = n_, .density = density_, .longest = longest_, .seed = seed_};
    if (is_dense_) {
      graph_.emplace(std::in_place_type<sssp::dense_graph>, shape);
    } else {
      graph_.emplace(sssp::random_sparse(shape));
    }
    auto const source = source_.value_or(1);
    require_between("sssp: --source", source, 1, std::int64_t{shape.nodes});
    start_ = static_cast<sssp::node>(source - 1);
    read_as_ = {};
  }
  void read_graph() {
    read_for("--graph", [&] {
      text_reader in(file_.text());
      auto const format = format_ == named_format::automatic ? sssp::format_of(in) : format_of_choice();
      if (undirected_ && format != sssp::graph_format::edges) {
        in.refuse_all(
            "--undirected is given; allowed: without it, because only lists of edges leave the direction open");
      }
      read_as_ = sssp::format_names[static_cast<std::size_t>(format)];
      std::optional<std::uint64_t> const source =
          source_ ? std::optional(static_cast<std::uint64_t>(*source_)) : std::nullopt;
      graph_.emplace(std::in_place_type<sssp::numbered_graph>, read_as(format, in), source);
      auto const& made = std::get<sssp::numbered_graph>(*graph_);
      auto const start = made.number_of(source.value_or(made.name_of(0)));
      if (!start) {
        in.refuse_all("it has no node " + std::to_string(*source) + ", which --source names; its first one is " +
                      std::to_string(made.name_of(0)));
      }
      start_ = *start;
    });
  }
  [[nodiscard]] sssp::named_graph read_as(sssp::graph_format format, text_reader& in) const {
    switch (format) {
      case sssp::graph_format::dimacs: return sssp::read_dimacs(in);
      case sssp::graph_format::metis: return sssp::read_metis(in);
      case sssp::graph_format::edges: break;
    }
    return sssp::read_edges(in, undirected_);
  }
  [[nodiscard]] sssp::graph_format format_of_choice() const {
    return static_cast<sssp::graph_format>(static_cast<std::uint8_t>(named_format{format_}) - 1);
  }
  [[nodiscard]] std::uint64_t name_of(sssp::node n) const {
    auto const* const read = std::get_if<sssp::numbered_graph>(&*graph_);
    return read == nullptr ? std::uint64_t{n} + 1 : read->name_of(n);
  }
  void write_answer(std::function<void(std::string_view)> const& out) const {
    sssp::write_distances(result_.distances, [this](sssp::node n) { return name_of(n); }, out);
  }
  void restore() override { result_ = {}; }
  /// Also writes --output, once: only verified distances are worth keeping.
  [[nodiscard]] std::string check() override {
    std::string found = sssp::wrong(result_.distances, right_);
    if (!found.empty() || output_.empty() || written_) return found;
    std::string text;
    write_answer([&](std::string_view piece) { text += piece; });
    runtime::write_whole_file(output_.text(), text);
    written_ = true;
    return found;
  }
  void add_facts(json_value& all) const override {
    auto const* const read = std::get_if<sssp::numbered_graph>(&*graph_);
    all["source"] = name_of(start_);
    all["nodes"] = read == nullptr ? right_.size() : read->nodes();
    if (read != nullptr) {
      all["arcs"] = read->arcs().arcs();
      all["format"] = read_as_;
    }
    if (!ran()) return;
    all["spawned"] = result_.counts.spawned;
    all["run"] = result_.counts.run;
    all["stale"] = result_.counts.stale;
    all["relaxed"] = result_.counts.relaxed;
    add_checksum(all);
  }
  void add_checksum(json_value& all) const {
    std::uint64_t reached = 0;
    std::uint64_t sum = 0;
    for (sssp::distance const d : result_.distances) {
      if (d == sssp::unreachable) continue;
      ++reached;
      sum += d;
    }
    unsigned long crc = crc32_z(0, nullptr, 0);
    write_answer([&](std::string_view piece) {
      crc = crc32_z(crc, reinterpret_cast<unsigned char const*>(piece.data()), piece.size());
    });
    char text[9];
    std::snprintf(text, sizeof text, "%08lx", crc);
    all["reached"] = reached;
    all["distance_sum"] = sum;
    all["crc32"] = text;
  }

  enum class named_format : std::uint8_t { automatic, dimacs, metis, edges };

  text_option file_{
      *this, "--graph", "",
      "a graph: DIMACS .gr, METIS .graph or a list of edges, each also as gzip; without it, a random one"};
  choice_option<named_format> format_{
      *this, "--format", "auto", {"auto", "dimacs", "metis", "edges"}, "of the file: auto, dimacs, metis or edges"};
  flag_option undirected_{*this, "--undirected", "each line of a list of edges leads both ways"};
  text_option output_{*this, "--output", "",
                      "write the verified distances to this file: a line NODE DISTANCE for each node reached"};
  maybe_option<std::int64_t> source_{*this, "--source",
                                     between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()),
                                     "node to start from, as the file names it; the first one by default"};
  number_option<sssp::node> n_{*this, "--n", 2000, between(1, 10'000'000), "nodes of the random graph"};
  number_option<double> density_{*this, "--density", 0.5, between(0, 1), "share of the possible edges that exist"};
  number_option<sssp::length> longest_{*this, "--longest", 1000, between(1, 1'000'000),
                                       "edges have lengths from 1 to this"};
  seed_option seed_{*this, "of the random graph"};
  flag_option is_dense_{*this, "--dense", "compute each edge when it is needed instead of keeping it"};
  choice_option<sssp::choice> how_{
      *this, "--strategy", "by-distance", {"by-distance", "none"}, "by-distance or none: what is given with each task"};
  std::optional<any_graph> graph_;
  sssp::node start_ = 0;
  std::string_view read_as_;
  std::vector<sssp::distance> right_;
  sssp::result result_;
  bool written_ = false;
};

}  // namespace

std::unique_ptr<app> make_sssp() { return std::make_unique<sssp_app>(); }

}  // namespace skua::apps
