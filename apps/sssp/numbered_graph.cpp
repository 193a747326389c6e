// SPDX-License-Identifier: MIT
#include "apps/sssp/numbered_graph.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <utility>

#include "apps/checks.hpp"

namespace skua::apps::sssp {
namespace {

using names = std::vector<std::uint64_t>;

/// A table by names may be this large.
std::uint64_t small_span(std::vector<named_arc> const& arcs) { return 2 * arcs.size() + (1 << 16); }

/// The names of all ends of arcs, ascending.
names names_in(std::vector<named_arc> const& arcs) {
  names all;
  if (arcs.empty()) return all;
  std::uint64_t least = arcs[0].from;
  std::uint64_t most = least;
  for (named_arc const& a : arcs) {
    least = std::min({least, a.from, a.to});
    most = std::max({most, a.from, a.to});
  }
  if (most - least < small_span(arcs)) {
    std::vector<bool> there(most - least + 1);
    for (named_arc const& a : arcs) there[a.from - least] = there[a.to - least] = true;
    for (std::uint64_t i = 0; i < there.size(); ++i) {
      if (there[i]) all.push_back(least + i);
    }
    return all;
  }
  all.reserve(2 * arcs.size());
  for (named_arc const& a : arcs) all.insert(all.end(), {a.from, a.to});
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  all.shrink_to_fit();
  return all;
}

names names_of(named_graph const& read, std::optional<std::uint64_t> also) {
  if (read.declared > 0 && read.declared <= small_span(read.arcs)) return {};
  names all = names_in(read.arcs);
  bool const is_declared = also && *also >= 1 && *also <= read.declared;
  // A graph without arcs has a node all the same.
  std::uint64_t const extra = is_declared ? *also : 1;
  auto const at = std::ranges::lower_bound(all, extra);
  if ((is_declared || all.empty()) && (at == all.end() || *at != extra)) all.insert(at, extra);
  return all;
}

/// Numbers by names: a table where they are dense, else a search.
class numbering {
 public:
  numbering(names const& all, std::vector<named_arc> const& arcs) : names_(all) {
    if (names_.empty() || names_.back() - names_.front() >= small_span(arcs)) return;
    table_.resize(names_.back() - names_.front() + 1);
    for (std::size_t i = 0; i < names_.size(); ++i) table_[names_[i] - names_.front()] = static_cast<node>(i);
  }
  [[nodiscard]] node operator()(std::uint64_t name) const noexcept {
    if (names_.empty()) return static_cast<node>(name - 1);
    if (!table_.empty()) return table_[name - names_.front()];
    return static_cast<node>(std::ranges::lower_bound(names_, name) - names_.begin());
  }

 private:
  names const& names_;
  std::vector<node> table_;
};

sparse_graph graph_of(named_graph&& read, names const& all) {
  if (!all.empty()) require_between("sssp: the number of nodes", static_cast<std::int64_t>(all.size()), 1, most_nodes);
  std::vector<arc> arcs;
  {
    auto const named = std::move(read.arcs);
    numbering const number(all, named);
    arcs.reserve(named.size());
    for (named_arc const& a : named) arcs.push_back({number(a.from), number(a.to), a.cost});
  }
  return {static_cast<node>(all.empty() ? read.declared : all.size()), arcs};
}

}  // namespace

numbered_graph::numbered_graph(named_graph read, std::optional<std::uint64_t> also)
    : names_(names_of(read, also)), nodes_(read.declared > 0 ? read.declared : names_.size()),
      graph_(graph_of(std::move(read), names_)) {}

std::optional<node> numbered_graph::number_of(std::uint64_t name) const noexcept {
  if (names_.empty()) {
    if (name < 1 || name > nodes_) return {};
    return static_cast<node>(name - 1);
  }
  auto const at = std::ranges::lower_bound(names_, name);
  if (at == names_.end() || *at != name) return {};
  return static_cast<node>(at - names_.begin());
}

void write_distances(std::span<distance const> distances, std::function<std::uint64_t(node)> const& name_of,
                     std::function<void(std::string_view)> const& out) {
  constexpr std::size_t piece = 1 << 16;
  std::string text;
  for (node n = 0; n < distances.size(); ++n) {
    if (distances[n] == unreachable) continue;
    text += std::to_string(name_of(n)) + ' ' + std::to_string(distances[n]) + '\n';
    if (text.size() < piece) continue;
    out(text);
    text.clear();
  }
  out(text);
}

}  // namespace skua::apps::sssp
