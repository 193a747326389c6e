// SPDX-License-Identifier: MIT
// A machine as a file describes it: its parts, their speeds and sizes, the sources of these numbers, and which of them
// are only assumed. Format, keys, units: docs/machine-models.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skua/machine/sim/model/figure.hpp"
#include "skua/machine/sim/model/machine_numbers.hpp"
#include "skua/machine/sim/model/routes.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace sim {

struct model_file;

class machine_model {
 public:
  /// A shipped model by its name, or a file by its path (anything that contains a '/' or ends in ".toml" or ".xml"). A file of hwloc's
  /// (".xml") is a real machine, which takes its prices from the most similar shipped model (assumed_prices.hpp).
  /// Throws usage_error: "PATH:LINE: what is wrong; what is allowed" in one line, or the names of the shipped models.
  [[nodiscard]] static machine_model load(std::string_view name_or_path);

  /// From the text of a file; errors name it `origin`. Throws usage_error.
  [[nodiscard]] static machine_model parse(std::string_view text, std::string_view origin);

  /// Names of the shipped models, ascending. They are part of the program: shipped.cpp.in.
  [[nodiscard]] static std::span<std::string_view const> shipped() noexcept;
  /// The file of a shipped model, to read or to derive another one from. Throws usage_error with the names of all.
  [[nodiscard]] static std::string_view shipped_text(std::string_view name);

  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  [[nodiscard]] std::string const& about() const noexcept { return about_; }
  /// "machine model NAME" or the path.
  [[nodiscard]] std::string const& origin() const noexcept { return origin_; }
  [[nodiscard]] topology const& tree() const noexcept { return tree_; }
  /// Workers on it. Throws usage_error as the constructor of layout does.
  [[nodiscard]] layout layout_of(runtime::layout_options const& options) const { return layout(tree_, options); }

  /// Every figure, in the order of figure_rules().
  [[nodiscard]] std::span<figure const> figures() const noexcept { return figures_; }
  /// The machine with every figure at its value, its low or its high end.
  [[nodiscard]] machine_numbers numbers(bound which = bound::stated) const;
  /// The machine with every figure at its value but this one, to see its influence. It may be an optional figure that
  /// the file leaves out. Throws usage_error for an unknown key, and for a value that the figure cannot have.
  [[nodiscard]] machine_numbers numbers_with(std::string_view key, double value) const;

  /// The speeds of the kinds of cores, the fastest first: 1, or more than one if the topology says so.
  [[nodiscard]] std::span<double const> kind_speeds() const noexcept { return kind_speeds_; }

  [[nodiscard]] std::uint32_t nodes() const noexcept { return nodes_; }
  /// The distance between two NUMA nodes: 0 the same, 1 the nearest others, ... up to distances().
  [[nodiscard]] std::uint32_t distance(std::uint32_t a, std::uint32_t b) const noexcept {
    return distance_[a * nodes_ + b];
  }
  [[nodiscard]] std::uint32_t distances() const noexcept { return distances_; }
  /// The links between NUMA nodes, and the route of each pair. Nodes at the same distance are equally many hops apart,
  /// and nodes at a larger distance not fewer.
  [[nodiscard]] routes const& node_routes() const noexcept { return routes_; }

 private:
  [[nodiscard]] static std::optional<std::string_view> find_shipped(std::string_view name) noexcept;
  explicit machine_model(model_file read);
  machine_model(model_file read, topology tree);
  friend machine_model model_of(topology tree, std::string const& origin);
  [[nodiscard]] machine_numbers frame() const;
  /// What a file says beside its figures and its topology.
  [[nodiscard]] model_file frame_of_file() const;
  void rank_distances(std::span<std::uint64_t const> latency);
  [[nodiscard]] std::vector<std::uint32_t> hops_by_distance(model_file const& read) const;
  void check_lists(std::span<std::uint32_t const> hops) const;
  void check_caches() const;
  void check_first_level(figure const& first, std::string_view of_private) const;

  std::string name_;
  std::string about_;
  std::string origin_;
  topology tree_;
  std::vector<double> kind_speeds_;
  std::vector<figure> figures_;
  filling filling_ = filling::victim;
  std::uint64_t line_bytes_ = 64;
  std::uint64_t block_bytes_ = 0;
  std::uint64_t page_bytes_ = 0;
  std::uint32_t nodes_ = 1;
  std::uint32_t distances_ = 0;
  std::vector<std::uint32_t> distance_;  // row by row
  routes routes_;
};

}}}  // namespace skua::v0::sim
