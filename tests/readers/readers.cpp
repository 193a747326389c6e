// SPDX-License-Identifier: MIT
#include "tests/readers/readers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "apps/cg/matrix_market.hpp"
#include "apps/hartree_fock/molecules/basis_set.hpp"
#include "apps/hartree_fock/molecules/molecule.hpp"
#include "apps/picture/picture.hpp"
#include "apps/sssp/numbered_graph.hpp"
#include "apps/strips/mesh_file.hpp"
#include "cli/balance/load_file.hpp"
#include "cli/balance/vt_files.hpp"
#include "cli/experiment/definition.hpp"
#include "cli/export/formats.hpp"
#include "cli/export/stays.hpp"
#include "cli/report/results.hpp"
#include "skua/machine/ranks/simulated/cluster.hpp"
#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/machine/sim/model/model_file.hpp"
#include "skua/machine/threads/engine/history/history_text.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/machine_details.hpp"
#include "skua/parts/topology/xml_seeds_test.hpp"
#include "tests/readers/originals.hpp"

namespace skua { inline namespace v0 { namespace testing {
namespace {

void promise(bool kept, char const* what) {
  if (!kept) throw broken_promise(what);
}

using runtime::testing::content_of;

void read_machine(std::string const& path) {
  runtime::described_machine const m = runtime::read_xml_machine(path);
  promise(!m.tree.pus().empty(), "a machine without a PU");
  for (auto const& of : m.details.distances) promise(!of.values.empty(), "distances without a value");
  try {
    promise(!sim::machine_model::load(path).figures().empty(), "a simulated machine without figures");
  } catch (usage_error const& refused) {
    promise(std::string(refused.what()).find(" has no ") != std::string::npos,
            "no prices for a machine with all caches");
  }
}

/// As far as `skua report` and `skua trace`: they meet what the reader lets through.
void read_trace(std::string const& path) {
  auto const runs = cli::traced::read_runs(path);
  promise(!runs.empty(), "a trace without a run");
  for (auto const& r : runs) {
    for (auto const& w : r.workers) {
      promise(std::is_sorted(w.events.begin(), w.events.end(),
                             [](auto const& a, auto const& b) { return a.ticks < b.ticks; }),
              "events of a worker that are not in the order of time");
    }
  }
  promise(!cli::traced::report_of(runs).empty(), "a report without a run");
  std::array const one{trace::read_trace(path)};
  cli::timeline const t = cli::timeline_of(one);
  promise(!cli::perfetto_of(t).empty() && !cli::chrome_json_of(t).empty() && !cli::csv_of(one).empty(),
          "an export without a byte");
}

void read_graph(std::string const& path) {
  apps::text_reader in{std::filesystem::path(path)};
  apps::sssp::graph_format const f = apps::sssp::format_of(in);
  apps::sssp::named_graph read = f == apps::sssp::graph_format::dimacs  ? apps::sssp::read_dimacs(in)
                                 : f == apps::sssp::graph_format::metis ? apps::sssp::read_metis(in)
                                                                        : apps::sssp::read_edges(in, false);
  for (auto const& a : read.arcs) {
    promise(read.declared == 0 || (a.from >= 1 && a.from <= read.declared && a.to >= 1 && a.to <= read.declared),
            "an arc of a node that is not declared");
  }
  apps::sssp::numbered_graph const numbered(std::move(read));
}

void read_mesh(std::string const& path) {
  apps::strips::mesh const m = apps::strips::read_mesh_file(path);
  for (apps::strips::triangle t = 0; t < m.triangles(); ++t) {
    for (apps::strips::triangle const n : m.neighbours(t))
      promise(n == apps::strips::nobody || n < m.triangles(), "a neighbour that is no triangle");
  }
}

void read_xyz(std::string const& path) {
  auto const m = apps::hartree_fock::molecules::read_xyz_file(path);
  promise(!m.nuclei.empty(), "a molecule without a nucleus");
  for (auto const& n : m.nuclei)
    promise(n.protons > 0 && std::isfinite(n.at.x + n.at.y + n.at.z), "a nucleus that is nowhere");
}

void read_basis(std::string const& path) {
  for (auto const& [protons, all] : apps::hartree_fock::molecules::read_basis_file(path)) {
    for (auto const& c : all) {
      promise(protons > 0 && c.l <= apps::hartree_fock::molecules::most_l, "functions that we do not have");
      promise(!c.exponents.empty() && c.exponents.size() == c.coefficients.size(), "a contraction with a part only");
      for (double const e : c.exponents) promise(std::isfinite(e) && e > 0, "an exponent that is none");
    }
  }
}

void read_loads(std::string const& path) {
  cli::load_set const read =
      cli::stands_for_vt_files(path) ? cli::read_vt_files(path, {}) : cli::read_loads_file(path, {});
  promise(!read.loads.empty(), "loads without a rank");
}

void read_system(std::string const& path) {
  apps::text_reader in{std::filesystem::path(path)};
  apps::cg::symmetric_matrix const m = apps::cg::read_matrix(in);
  for (double const sum : apps::cg::sums_of_rows(m.a))
    promise(!std::isnan(sum), "a matrix with an element that is no number");
}

void read_picture(std::string const& path) {
  apps::picture const p = apps::read_picture(path);
  promise(p.width > 0 && p.height > 0 && p.grey.size() == p.width * p.height, "a picture of another size");
  for (float const g : p.grey) promise(g >= 0 && g <= 1, "a grey that is none");
}

void read_model(std::string const& path) { static_cast<void>(sim::read_model(content_of(path), "x.toml")); }

void read_cluster(std::string const& path) {
  ranks::cluster const c = ranks::parse_cluster(content_of(path), "x.toml");
  promise(c.ranks_per_node > 0 && c.nodes_per_switch > 0, "a cluster without ranks");
}

void read_experiment(std::string const& path) {
  static_cast<void>(cli::parse_experiment(content_of(path), "x", "x.toml"));
}

void read_history(std::string const& path) {
  runtime::history const h = runtime::read_history("x", content_of(path));
  if (h.version == runtime::history::newest_version)
    promise(runtime::read_history("x", runtime::text_of(h)) == h, "a history that is another one when it is written");
}

constexpr std::array table{
    reader{"machine", "x.xml", original_machine, read_machine},
    reader{"trace", "x", original_trace, read_trace},
    reader{"dimacs", "x.gr", original_dimacs, read_graph, true},
    reader{"metis", "x.graph", original_metis, read_graph, true},
    reader{"edges", "x.txt", original_edges, read_graph, true},
    reader{"ply", "x.ply", original_ply, read_mesh},
    reader{"obj", "x.obj", original_obj, read_mesh},
    reader{"stl", "x.stl", original_stl, read_mesh},
    reader{"xyz", "x.xyz", original_xyz, read_xyz, true},
    reader{"json-basis", "x.json", original_json_basis, read_basis, true},
    reader{"nwchem-basis", "x.nw", original_nwchem_basis, read_basis, true},
    reader{"loads", "x.csv", original_loads, read_loads},
    reader{"vt-loads", "x.0.json", original_vt_loads, read_loads},
    reader{"system", "x.mtx", original_system, read_system, true},
    reader{"pgm", "x.pgm", original_pgm, read_picture},
    reader{"png", "x.png", original_png, read_picture},
    reader{"model", "x.toml", original_model, read_model},
    reader{"cluster", "x.toml", original_cluster, read_cluster},
    reader{"experiment", "x.toml", original_experiment, read_experiment},
    reader{"history", "x.json", original_history, read_history},
};

}  // namespace

std::span<reader const> all_readers() { return table; }

}}}  // namespace skua::v0::testing
