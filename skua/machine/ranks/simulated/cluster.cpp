// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/simulated/cluster.hpp"

#include <algorithm>

#include "skua/machine/ranks/simulated/shipped_clusters.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/file.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua { inline namespace v0 { namespace ranks {

cluster cluster_named(std::string_view name_or_path) {
  auto const at = std::ranges::find(clusters(), name_or_path);
  if (at != clusters().end()) {
    return parse_cluster(cluster_texts()[static_cast<std::size_t>(at - clusters().begin())],
                         "cluster " + std::string(name_or_path));
  }
  std::string const path(name_or_path);
  std::string why;
  if (path.find('/') != std::string::npos || path.ends_with(".toml")) {
    constexpr std::size_t longest_file_bytes = std::size_t{1} << 20;
    runtime::file_text const file = runtime::read_file(path, longest_file_bytes);
    if (!file.wrong && !file.text.empty()) return parse_cluster(file.text, path);
    why = " (" + (file.wrong ? file.wrong.message() : std::string("empty")) + ")";
  }
  std::string known;
  for (std::string_view const name : clusters()) known += (known.empty() ? "" : ", ") + std::string(name);
  throw usage_error("cluster is '" + runtime::printable(path) + "'" + why + "; allowed: " + known +
                    ", or the path of a file like theirs");
}

}}}  // namespace skua::v0::ranks
