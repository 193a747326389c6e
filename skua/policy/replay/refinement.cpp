// SPDX-License-Identifier: MIT
#include "skua/policy/replay/refinement.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace skua { inline namespace v0 { namespace policies { namespace replay {
namespace {

/// More pieces, or other workers than in the record, pay if they shorten the iteration by at least this fraction
/// (1/50).
constexpr std::uint64_t gain = 50;
constexpr std::uint32_t most_moves = 256;

constexpr auto place = [](piece const& p) { return std::pair(p.group_path, p.index); };

}  // namespace

refinement::refinement(std::uint32_t workers, std::size_t entries)
    : groups(entries), children(entries), rehearse_(workers, entries) {
  pieces_.reserve(entries);
  tree_.reserve(entries);
  order_.reserve(entries);
  whole_.reserve(entries);
  size_.resize(entries);
  loads_.resize(workers);
}

std::uint64_t refinement::refine(record& r, std::uint64_t pieces) noexcept {
  is_uneven_ = false;
  if (groups.is_whole() && children.is_whole() && !r.has_gaps() && build(r)) {
    struct {
      std::uint64_t ns = ~std::uint64_t{0};
      std::uint32_t opened = 0;
      bool evenly = false;
    } best;
    bool is_last = false;
    for (std::uint32_t opened = 0; !is_last; opened += 1 + opened / 2) {
      for (bool const evenly : {false, true}) {
        divide(opened, evenly);
        std::uint64_t const ns = rehearse_.time_of(pieces_, tree_, root_groups_);
        if (ns + ns / gain < best.ns) best = {ns, opened, evenly};
      }
      is_last = !can_open();
    }
    divide(best.opened, best.evenly);
    std::uint64_t const all = std::accumulate(loads_.begin(), loads_.end(), std::uint64_t{0});
    is_uneven_ = best.ns > all / loads_.size() / 7 * 8;
    pieces = write(r);
  }
  forget();
  return pieces;
}

// ---- the tree of pieces ----------------------------------------------------------------------------------------------

/// Returns false if the log lacks an event.
bool refinement::build(record const& r) noexcept {
  met_ = groups.all();
  for (std::size_t i = 0; i < met_.size(); ++i) met_[i].log_index = i;
  std::ranges::sort(met_, {}, [](met_group const& g) { return std::pair(g.path, g.log_index); });
  auto const same_group = std::ranges::unique(met_, {}, &met_group::path);
  met_ = met_.first(met_.size() - same_group.size());

  auto sent = children.all();
  std::ranges::sort(sent, {}, [](sent_child const& c) { return std::tuple(c.group_path, c.index, c.ns); });
  pieces_.clear();
  tree_.clear();
  for (sent_child const& c : sent) {
    bool const has_sibling = !pieces_.empty() && pieces_.back().group_path == c.group_path;
    if (has_sibling && pieces_.back().index == c.index) continue;
    if (!has_sibling) {
      met_group const* const g = met_at(c.group_path);
      if (g == nullptr) return false;
      tree_.push_back({.path = g->path,
                       .met_at = g->log_index,
                       .first = static_cast<std::uint32_t>(pieces_.size()),
                       .met_by = g->met_by});
    }
    ++tree_.back().pieces;
    pieces_.push_back({.path = c.path, .group_path = c.group_path, .index = c.index, .ns = c.ns});
  }
  for (piece_group& g : tree_) {
    met_group const& met = *met_at(g.path);
    if (!find_owners(r, met, g)) return false;
    g.parent = enclosing(met);
  }
  std::ranges::sort(tree_, {}, [](piece_group const& g) { return std::pair(g.parent + 1, g.met_at); });  // none: 0
  root_groups_ = 0;
  for (std::uint32_t i = 0; i < tree_.size(); ++i) {
    piece_group& g = tree_[i];
    if (g.parent == no_piece) {
      ++root_groups_;
    } else if (pieces_[g.parent].groups++ == 0) {
      pieces_[g.parent].first_group = i;
    }
    for (std::uint32_t const c : g.members()) {
      pieces_[c].parent = g.parent;
      pieces_[c].group = i;
    }
  }
  for (piece_group& g : tree_) g.inside = outer_group(g);
  return weigh();
}

/// Divides the children of a group as `replay` marks them.
bool refinement::find_owners(record const& r, met_group const& met, piece_group const& group) noexcept {
  child_owners owners(r, met.path, met.met_by);
  std::uint32_t seen = 0;
  for (std::uint32_t const i : group.members()) {
    piece& p = pieces_[i];
    for (; seen <= p.index && seen < met.last; ++seen) p.owner = owners.next();
    if (p.index >= met.last) p.owner = owners.rest();
    if (p.owner >= loads_.size()) return false;
  }
  return true;
}

met_group const* refinement::met_at(std::uint64_t path) const noexcept {
  auto const found = std::ranges::lower_bound(met_, path, {}, &met_group::path);
  return found != met_.end() && found->path == path ? &*found : nullptr;
}

/// The innermost piece in which this group's task was called.
std::uint32_t refinement::enclosing(met_group const& g) const noexcept {
  met_group const* inner = &g;
  for (std::size_t up = 0; inner != nullptr && up <= met_.size(); ++up) {
    auto const p = std::ranges::lower_bound(pieces_, std::pair(inner->outer_path, inner->task_index), {}, place);
    if (p != pieces_.end() && p->path == inner->task) return static_cast<std::uint32_t>(p - pieces_.begin());
    inner = met_at(inner->outer_path);
  }
  return no_piece;
}

/// The innermost group with pieces of the same parent in whose called child this group was met.
std::uint32_t refinement::outer_group(piece_group const& g) const noexcept {
  met_group const* outer = met_at(met_at(g.path)->outer_path);
  for (std::size_t up = 0; outer != nullptr && up <= met_.size(); ++up) {
    auto const c = std::ranges::lower_bound(pieces_, std::pair(outer->path, std::uint32_t{0}), {}, place);
    if (c != pieces_.end() && c->group_path == outer->path) return c->parent == g.parent ? c->group : no_group;
    outer = met_at(outer->outer_path);
  }
  return no_group;
}

/// Finds the order, sizes and weights of subtrees, and the worker with most of each. Returns false if the pieces form
/// no tree.
bool refinement::weigh() noexcept {
  order_.clear();
  auto& stack = whole_;
  stack.clear();
  auto const push_pieces_of = [&](piece_group const& g) {
    for (std::uint32_t const c : g.members()) stack.push_back(c);
  };
  for (std::uint32_t i = 0; i < root_groups_; ++i) push_pieces_of(tree_[i]);
  while (!stack.empty()) {
    std::uint32_t const p = stack.back();
    stack.pop_back();
    order_.push_back(p);
    size_[p] = 1;
    pieces_[p].weight = pieces_[p].ns;
    for (std::uint32_t i = 0; i < pieces_[p].groups; ++i) push_pieces_of(tree_[pieces_[p].first_group + i]);
  }
  if (order_.empty() || order_.size() != pieces_.size()) return false;
  std::ranges::fill(loads_, 0);
  auto& shares = loads_;
  for (std::size_t i = order_.size(); i-- > 0;) {
    piece& p = pieces_[order_[i]];
    std::span const below = std::span(order_).subspan(i, size_[order_[i]]);
    for (std::uint32_t const q : below) shares[pieces_[q].owner] += pieces_[q].ns;
    p.majority = p.owner;
    for (std::uint32_t const q : below) {
      if (shares[pieces_[q].owner] > shares[p.majority]) p.majority = pieces_[q].owner;
    }
    p.misplaced = p.weight - shares[p.majority];
    for (std::uint32_t const q : below) shares[pieces_[q].owner] = 0;
    if (p.parent == no_piece) continue;
    pieces_[p.parent].weight += p.weight;
    size_[p.parent] += size_[order_[i]];
  }
  return true;
}

// ---- the worker of each piece
// ----------------------------------------------------------------------------------------

/// The coarsest division, in which this many pieces are opened, those with the most misplaced work first.
void refinement::divide(std::uint32_t opened, bool evenly) noexcept {
  std::ranges::fill(loads_, 0);
  whole_.clear();
  for (piece& p : pieces_) p.status = piece::state::hidden;
  for (std::uint32_t i = 0; i < root_groups_; ++i) {
    for (std::uint32_t const c : tree_[i].members()) becomes_whole(c);
  }
  for (std::uint32_t i = 0; i < opened && can_open(); ++i) open_first();
  if (evenly) even_out();
}

bool refinement::can_open() const noexcept { return !whole_.empty() && pieces_[whole_.front()].misplaced > 0; }

void refinement::becomes_whole(std::uint32_t which) noexcept {
  piece& p = pieces_[which];
  p.status = piece::state::whole;
  p.assigned = p.majority;
  loads_[p.assigned] += p.weight;
  whole_.push_back(which);
  std::ranges::push_heap(whole_, {}, [this](std::uint32_t q) { return pieces_[q].misplaced; });
}

void refinement::open_first() noexcept {
  std::ranges::pop_heap(whole_, {}, [this](std::uint32_t q) { return pieces_[q].misplaced; });
  piece& p = pieces_[whole_.back()];
  whole_.pop_back();
  p.status = piece::state::opened;
  loads_[p.assigned] -= p.weight;
  loads_[p.owner] += p.ns;
  for (std::uint32_t i = 0; i < p.groups; ++i) {
    for (std::uint32_t const c : tree_[p.first_group + i].members()) becomes_whole(c);
  }
}

/// Moves whole pieces from the busiest worker to the one with the least work: the record of an uneven iteration is uneven.
void refinement::even_out() noexcept {
  for (std::uint32_t moves = 0; moves < most_moves; ++moves) {
    auto const from = static_cast<std::uint32_t>(std::ranges::max_element(loads_) - loads_.begin());
    auto const to = static_cast<std::uint32_t>(std::ranges::min_element(loads_) - loads_.begin());
    std::uint64_t const apart = loads_[from] - loads_[to];
    std::uint64_t best = std::max(2 * rehearsal::price, loads_[from] / gain);
    piece* moved = nullptr;
    for (std::uint32_t const which : whole_) {
      piece& p = pieces_[which];
      if (p.assigned != from || p.weight >= apart) continue;
      std::uint64_t const closer = std::min(p.weight, apart - p.weight);
      if (closer > best) std::tie(best, moved) = std::tuple(closer, &p);
    }
    if (moved == nullptr) return;
    moved->assigned = to;
    loads_[from] -= moved->weight;
    loads_[to] += moved->weight;
  }
}

/// Returns the number of pieces that the record has then.
std::uint64_t refinement::write(record& r) const noexcept {
  auto const drop = [&](fact f, std::uint64_t path) {
    if (thief_of(r, f, path)) r.note(key(f, path), nobody);
  };
  std::uint64_t pieces = 0;
  for (met_group const& g : met_) {
    for (std::uint32_t i = 0; i < g.last; ++i) {
      drop(fact::rest, mixed(g.path, i));
      drop(fact::child, mixed(g.path, i));
    }
    if (g.last > 0) r.note(key(fact::last, g.path), 0);
  }
  for (piece_group const& g : tree_) {
    bool const is_divided = g.parent == no_piece || pieces_[g.parent].status == piece::state::opened;
    if (!is_divided) continue;
    std::uint32_t last = 0;
    for (std::uint32_t const i : g.members()) {
      piece const& p = pieces_[i];
      if (p.worker() == g.met_by) continue;
      if (r.note(key(fact::child, p.path), p.worker()) == record::noted::not_at_all) continue;
      ++pieces;
      last = p.index + 1;
    }
    if (last > 0) r.note(key(fact::last, g.path), last);
  }
  return pieces;
}

}}}}  // namespace skua::v0::policies::replay
