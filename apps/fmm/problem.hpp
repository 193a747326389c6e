// SPDX-License-Identifier: MIT
// fmm: the potential of charges in the plane by the fast multipole method on an adaptive quadtree. An irregular task graph of
// much parallelism. [Greengard, Rokhlin 1987; arms-2021 4.4, Figure 8(c)]
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/fmm/expansion.hpp"
#include "apps/fmm/tree.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/footprint.hpp"

namespace skua::apps::fmm {

enum class distribution : std::uint8_t {
  uniform,  ///< in a square
  circle,   ///< on a line around the origin
  cluster,  ///< dense in the middle, ever thinner outwards [Plummer 1911]
};

struct shape {
  std::uint32_t n = 1;      ///< charges
  std::uint32_t order = 1;  ///< of the series
  std::uint32_t leaf = 64;  ///< charges of a leaf, at most
  double theta = 0.5;
  distribution how = distribution::uniform;
  std::uint64_t seed = 1;
};

[[nodiscard]] std::vector<charge> charges_of(shape const& s);

/// Types of tasks; a team may run those of the second row.
inline constexpr task_type upward_type{.number = 1};
inline constexpr task_type downward_type{.number = 2};
inline constexpr task_type far_type{.number = 3, .moldable = 1};
inline constexpr task_type near_type{.number = 4, .moldable = 1};

/// The cells of a task: a whole subtree with few charges, or one cell above such subtrees.
struct group {
  std::uint32_t root = 0;
  std::vector<std::uint32_t> cells;    ///< parents first
  std::vector<std::uint32_t> leaves;   ///< of these
  std::vector<std::uint32_t> above;    ///< groups of the root's children, if it is a single cell
  std::optional<std::uint32_t> below;  ///< the group of the root's parent
  std::vector<std::uint32_t> far;      ///< groups whose multipoles this one reads, its own left out
};

class problem {
 public:
  /// Builds tree, lists and groups. Throws std::bad_alloc.
  problem(shape const& s, std::vector<charge> charges);

  [[nodiscard]] shape const& of() const noexcept { return shape_; }
  [[nodiscard]] tree const& cells() const noexcept { return tree_; }
  [[nodiscard]] std::vector<group> const& groups() const noexcept { return groups_; }
  [[nodiscard]] std::vector<double> const& potentials() const noexcept { return potentials_; }
  /// Of the middle of a group's charges, on the curve along which they are sorted.
  [[nodiscard]] address address_of(group const& g) const noexcept;

  /// Multipoles of a group, from its charges or from the groups of its children.
  void up(group const& g) noexcept;
  /// Local series of cells [begin, end) of a group, from the multipoles of others.
  void far(group const& g, std::size_t begin, std::size_t end) noexcept;
  /// Potentials at the charges of leaves [begin, end) of a group, of the charges near by.
  void near(group const& g, std::size_t begin, std::size_t end) noexcept;
  /// Local series down to the charges of the leaves; after `far` and `near` of the group and `down` of the one around it.
  void down(group const& g) noexcept;

  [[nodiscard]] double operations_up(group const& g) const noexcept;
  [[nodiscard]] double operations_far(group const& g) const noexcept;
  [[nodiscard]] double operations_near(group const& g) const noexcept;

  void reset();

  struct errors {
    double relative = 0;  ///< in the Euclidean norm, of the charges that were looked at
    double worst = 0;     ///< of one of them, in units of the sum of all |q|
  };
  /// Against direct summation at up to `samples` charges. Cost: samples * n.
  [[nodiscard]] errors errors_of(std::size_t samples) const;
  /// Empty if the error is what the order promises; else one line.
  [[nodiscard]] std::string wrong() const;

  // Where data lie, for footprints.
  [[nodiscard]] reads charges_read(cell const& c) const noexcept {
    return {charges_.data() + c.begin, c.charges() * sizeof(charge)};
  }
  [[nodiscard]] writes potentials_written(cell const& c) const noexcept {
    return {potentials_.data() + c.begin, c.charges() * sizeof(double)};
  }
  [[nodiscard]] reads multipole_read(std::uint32_t c) const noexcept {
    return {multipole(c), by_.terms() * sizeof(complex)};
  }
  [[nodiscard]] writes multipole_written(std::uint32_t c) const noexcept {
    return {multipole(c), by_.terms() * sizeof(complex)};
  }
  [[nodiscard]] writes local_written(std::uint32_t c) const noexcept {
    return {local(c), by_.terms() * sizeof(complex)};
  }

 private:
  void divide_into_groups();
  [[nodiscard]] complex* multipole(std::uint32_t c) noexcept { return multipoles_.data() + c * by_.terms(); }
  [[nodiscard]] complex const* multipole(std::uint32_t c) const noexcept {
    return multipoles_.data() + c * by_.terms();
  }
  [[nodiscard]] complex* local(std::uint32_t c) noexcept { return locals_.data() + c * by_.terms(); }
  [[nodiscard]] complex const* local(std::uint32_t c) const noexcept { return locals_.data() + c * by_.terms(); }

  shape shape_;
  translations by_;
  std::vector<charge> charges_;  ///< in the order of the tree
  tree tree_;
  std::vector<group> groups_;  ///< parents first
  std::vector<complex> multipoles_;
  std::vector<complex> locals_;
  std::vector<double> potentials_;
};

/// The graph: per group a task up, one for what is far, one for what is near, one down. Every cell's sums have one order, so
/// the answer has the same bits however it is run.
template <class Here>
void program(Here& here, problem& p) {
  flow graph(here);
  std::vector<group> const& all = p.groups();
  std::vector<runtime::node<void>> up;
  up.reserve(all.size());
  for (group const& g : all) {
    up.push_back(graph.add(p.address_of(g), upward_type, work{p.operations_up(g)}, [&p, &g](auto& h) {
      cell const& root = p.cells().cells()[g.root];
      if (g.above.empty()) {
        h.leaf(p.charges_read(root), p.multipole_written(g.root), flops{p.operations_up(g)}, [&] { p.up(g); });
      } else {
        h.leaf(p.multipole_read(root.first_child), p.multipole_written(g.root), flops{p.operations_up(g)},
               [&] { p.up(g); });
      }
    }));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::uint32_t const child : all[i].above) graph.edge(up[child], up[i]);
  }
  std::vector<runtime::node<void>> down;
  down.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    group const& g = all[i];
    cell const& root = p.cells().cells()[g.root];
    auto const shared = [&](task_type type, double operations, std::size_t parts, auto const& read, auto const& written,
                            auto const& run) {
      return graph.add_team(p.address_of(g), type, work{operations}, [=, &p, &g](auto& mine) {
        auto const [begin, end] = mine.share(parts);
        if (begin == end) return;
        double const part = static_cast<double>(end - begin) / static_cast<double>(parts);
        mine.here().leaf(read, written, flops{operations * part},
                         [&, first = begin, last = end] { run(p, g, first, last); });
      });
    };
    auto const far =
        shared(far_type, p.operations_far(g), g.cells.size(), p.multipole_read(g.root), p.local_written(g.root),
               [](problem& q, group const& of, std::size_t begin, std::size_t end) { q.far(of, begin, end); });
    graph.edge(up[i], far);
    for (std::uint32_t const source : g.far) graph.edge(up[source], far);
    auto const to_charges =
        graph.add(p.address_of(g), downward_type, work{p.operations_up(g)}, after(far), [&p, &g, &root](auto& h) {
          h.leaf(p.charges_read(root), p.potentials_written(root), flops{p.operations_up(g)}, [&] { p.down(g); });
        });
    if (!g.leaves.empty()) {
      auto const near =
          shared(near_type, p.operations_near(g), g.leaves.size(), p.charges_read(root), p.potentials_written(root),
                 [](problem& q, group const& of, std::size_t begin, std::size_t end) { q.near(of, begin, end); });
      graph.edge(near, to_charges);
    }
    if (g.below) graph.edge(down[*g.below], to_charges);
    down.push_back(to_charges);
  }
  graph.run(here);
}

/// One group after the other.
void run_alone(problem& p);
void with_openmp(unsigned workers, problem& p);

}  // namespace skua::apps::fmm
