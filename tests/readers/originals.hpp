// SPDX-License-Identifier: MIT
// Files that can be read, of every kind: from the program or the library that writes such files, from those that Skua ships, or, where
// files are text that people write, drawn line by line.
#pragma once

#include <string>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace testing {

[[nodiscard]] std::string original_machine(runtime::dice& d);  ///< hwloc's XML
[[nodiscard]] std::string original_trace(runtime::dice& d);    ///< trace_file's: events of all kinds, of two workers
[[nodiscard]] std::string original_dimacs(runtime::dice& d);
[[nodiscard]] std::string original_metis(runtime::dice& d);
[[nodiscard]] std::string original_edges(runtime::dice& d);
[[nodiscard]] std::string original_ply(runtime::dice& d);  ///< text or binary; triangles, polygons or strips
[[nodiscard]] std::string original_obj(runtime::dice& d);
[[nodiscard]] std::string original_stl(runtime::dice& d);
[[nodiscard]] std::string original_xyz(runtime::dice& d);
[[nodiscard]] std::string original_json_basis(runtime::dice& d);
[[nodiscard]] std::string original_nwchem_basis(runtime::dice& d);
[[nodiscard]] std::string original_loads(runtime::dice& d);
[[nodiscard]] std::string original_vt_loads(runtime::dice& d);  ///< DARMA vt's, of one rank
[[nodiscard]] std::string original_system(runtime::dice& d);    ///< Matrix Market: real, integer or pattern
[[nodiscard]] std::string original_pgm(runtime::dice& d);
[[nodiscard]] std::string original_png(runtime::dice& d);
[[nodiscard]] std::string original_model(runtime::dice& d);       ///< one of machines/
[[nodiscard]] std::string original_cluster(runtime::dice& d);     ///< one of machines/clusters/
[[nodiscard]] std::string original_experiment(runtime::dice& d);  ///< one of experiments/
[[nodiscard]] std::string original_history(runtime::dice& d);

/// A file in a folder of its own, which a writer writes and nobody else.
class scratch_file {
 public:
  explicit scratch_file(std::string const& name);
  ~scratch_file();
  scratch_file(scratch_file const&) = delete;
  scratch_file& operator=(scratch_file const&) = delete;
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] std::string content() const;

 private:
  std::string folder_, path_;
};

}}}  // namespace skua::v0::testing
