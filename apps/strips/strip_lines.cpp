// SPDX-License-Identifier: MIT
#include "apps/strips/strip_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "apps/strips/problem.hpp"

namespace skua::apps::strips {
namespace {

bool has(corners const& t, vertex v) noexcept { return std::ranges::find(t, v) != t.end(); }

/// The corner that is neither of the two.
std::optional<vertex> third(corners const& t, vertex a, vertex b) noexcept {
  for (vertex const v : t) {
    if (v != a && v != b) return v;
  }
  return {};
}

/// The same triangle in the same direction.
bool same_turn(corners const& a, corners const& b) noexcept {
  for (std::size_t i = 0; i < 3; ++i) {
    if (a[0] == b[i] && a[1] == b[(i + 1) % 3] && a[2] == b[(i + 2) % 3]) return true;
  }
  return false;
}

/// What the next index makes of the last two.
corners turned(std::vector<vertex> const& line, vertex added) noexcept {
  vertex const a = line[line.size() - 2];
  vertex const b = line.back();
  return line.size() % 2 == 0 ? corners{a, b, added} : corners{b, a, added};
}

/// t as a beginning that ends in the edge to `after`, if there is one.
corners begun(corners t, corners const* after) noexcept {
  for (int i = 0; i < 2 && after != nullptr && !(has(*after, t[1]) && has(*after, t[2])); ++i)
    std::ranges::rotate(t, t.begin() + 1);
  return t;
}

/// From the last index to a triangle that shares no fitting edge: repetitions, none of which is a triangle.
void jump(std::vector<vertex>& line, corners const& t) {
  line.push_back(line.back());
  line.push_back(t[0]);
  if (line.size() % 2 != 0) line.push_back(t[0]);  // so that t begins at an even place
  line.insert(line.end(), {t[0], t[1], t[2]});
}

}  // namespace

std::vector<vertex> indices_of_strip(std::span<corners const> strip) {
  auto const after = [&](std::size_t i) { return i + 1 < strip.size() ? &strip[i + 1] : nullptr; };
  corners const first = begun(strip[0], after(0));
  std::vector<vertex> line(first.begin(), first.end());
  for (std::size_t i = 1; i < strip.size(); ++i) {
    vertex const a = line[line.size() - 2];
    vertex const b = line.back();
    auto const added = has(strip[i], a) && has(strip[i], b) ? third(strip[i], a, b) : std::nullopt;
    if (!added || !same_turn(turned(line, *added), strip[i])) {
      jump(line, begun(strip[i], after(i)));
      continue;
    }
    // The next triangle is over the edge from a: it turns to the other side.
    if (auto const* const next = after(i); next != nullptr && has(*next, a) && !has(*next, b)) line.push_back(a);
    line.push_back(*added);
  }
  return line;
}

std::vector<corners> triangles_of_line(std::span<vertex const> line) {
  std::vector<corners> found;
  for (std::size_t i = 0; i + 2 < line.size(); ++i) {
    corners t{line[i], line[i + 1], line[i + 2]};
    if (i % 2 == 1) std::swap(t[0], t[1]);
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) found.push_back(t);
  }
  return found;
}

std::string text_of_strips(mesh const& m, std::span<std::atomic<triangle> const> next) {
  std::vector<bool> has_one_before(m.triangles(), false);
  auto const behind = [&](triangle t) { return next[t].load(std::memory_order_relaxed); };
  for (triangle t = 0; t < m.triangles(); ++t) {
    if (behind(t) != search::last) has_one_before[behind(t)] = true;
  }
  std::string text;
  std::vector<corners> strip;
  for (triangle head = 0; head < m.triangles(); ++head) {
    if (has_one_before[head]) continue;
    strip.clear();
    for (triangle t = head; t != search::last; t = behind(t)) strip.push_back(m.corners_of(t));
    for (vertex const v : indices_of_strip(strip)) {
      std::array<char, 12> digits{};
      text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), v).ptr);
      text += ' ';
    }
    text.back() = '\n';
  }
  return text;
}

}  // namespace skua::apps::strips
