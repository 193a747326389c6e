// SPDX-License-Identifier: MIT
#include "skua/parts/topology/cgroup.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "skua/parts/base/file.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::size_t longest_file_bytes = std::size_t{16} << 20;

/// One line of /proc/self/cgroup: the group of this process in one hierarchy.
struct membership {
  bool v2 = false;
  std::string group;  // "/" = the root of the hierarchy, or of our cgroup namespace
};

/// One line of /proc/self/mountinfo: a hierarchy, or a part of one, that is visible as files.
struct mount {
  bool v2 = false;
  std::string top;  // the group that `where` shows
  std::string where;
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    auto const end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool has_cpu(std::string_view comma_list) {
  return std::ranges::any_of(split(comma_list, ','), [](std::string const& word) { return word == "cpu"; });
}

std::vector<std::string> lines_of(std::string const& file) {
  std::vector<std::string> lines = split(read_file(file, longest_file_bytes).text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

/// "5:cpu,cpuacct:/docker/ab12" and "0::/user.slice". A group's name may contain colons.
std::vector<membership> memberships(std::string const& root) {
  std::vector<membership> found;
  for (std::string const& line : lines_of(root + "/proc/self/cgroup")) {
    auto const first = line.find(':');
    auto const second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string_view const controllers = std::string_view{line}.substr(first + 1, second - first - 1);
    bool const v2 = controllers.empty() && line.starts_with("0:");
    if (v2 || has_cpu(controllers)) found.push_back({.v2 = v2, .group = line.substr(second + 1)});
  }
  return found;
}

/// mountinfo writes space, tab, newline and backslash as \040 and so on.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 4, code, 8).ptr == text.data() + i + 4) {
      result += static_cast<char>(code);
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// "32 31 0:29 /top /where rw,relatime shared:7 - cgroup cgroup rw,cpu": any number of fields before the dash.
std::vector<mount> mounts(std::string const& root) {
  std::vector<mount> found;
  for (std::string const& line : lines_of(root + "/proc/self/mountinfo")) {
    std::vector<std::string> const fields = split(line, ' ');
    auto const dash = std::ranges::find(fields, "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 4) continue;
    bool const v2 = dash[1] == "cgroup2";
    if (!v2 && (dash[1] != "cgroup" || !has_cpu(dash[3]))) continue;
    found.push_back({.v2 = v2, .top = unescaped(fields[3]), .where = unescaped(fields[4])});
  }
  return found;
}

/// The path of `group` relative to `top`: "/a/b" below "/a" is "/b". nullopt: it is elsewhere.
std::optional<std::string> below(std::string_view top, std::string_view group) {
  if (top == "/") top = "";
  if (group == "/") group = "";
  // Names outside our cgroup namespace begin with "..": they cannot be followed.
  if (group.starts_with("/..") || top.starts_with("/..") || !group.starts_with(top)) return std::nullopt;
  std::string_view const rest = group.substr(top.size());
  if (!rest.empty() && rest.front() != '/') return std::nullopt;
  return std::string{rest};
}

class collector {
 public:
  collector(std::string const& root, cpu_quota& quota) : root_(root), quota_(quota) {}

  /// Reads every group from `rest` below the mount up to the mount's own.
  void climb(mount const& at, std::string rest) {
    for (;;) {
      std::string const directory = at.where + rest;
      if (at.v2) {
        read_v2(directory + "/cpu.max");
      } else {
        read_v1(directory + "/cpu.cfs_quota_us", directory + "/cpu.cfs_period_us");
      }
      if (rest.empty()) return;
      rest.erase(rest.rfind('/'));
    }
  }

 private:
  [[nodiscard]] std::optional<std::string> first_line(std::string const& file) const {
    std::vector<std::string> lines = lines_of(root_ + file);
    if (lines.empty()) return std::nullopt;
    return std::move(lines.front());
  }

  static std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (wrong != std::errc{} || end != text.data() + text.size() || value == 0) return std::nullopt;
    return value;
  }

  void add(std::string const& file, std::string const& said, std::optional<std::uint64_t> quota,
           std::optional<std::uint64_t> period) {
    if (quota && period) {
      quota_.limits.push_back({.quota_us = *quota, .period_us = *period, .file = file});
    } else {
      quota_.remarks.push_back(file + " says \"" + said + "\", which Skua does not understand and ignores");
    }
  }

  /// "max 100000" or "150000 100000".
  void read_v2(std::string const& file) {
    auto const line = first_line(file);
    if (!line) return;
    std::vector<std::string> const words = split(*line, ' ');
    if (words[0] == "max") return;
    add(file, *line, number(words[0]), words.size() > 1 ? number(words[1]) : std::optional<std::uint64_t>{100'000});
  }

  /// -1 or a number in one file, the period in another.
  void read_v1(std::string const& quota_file, std::string const& period_file) {
    auto const quota = first_line(quota_file);
    if (!quota || *quota == "-1") return;
    auto const period = first_line(period_file);
    add(quota_file, *quota + "\" per \"" + period.value_or("nothing"), number(*quota),
        period ? number(*period) : std::nullopt);
  }

  std::string const& root_;
  cpu_quota& quota_;
};

}  // namespace

std::optional<std::uint32_t> cpu_quota::whole_cpus() const noexcept {
  if (limits.empty()) return std::nullopt;
  cpu_limit const& tightest = limits.front();
  // Rounded up without an addition first: quota + period could wrap around.
  std::uint64_t const whole =
      tightest.quota_us / tightest.period_us + (tightest.quota_us % tightest.period_us != 0 ? 1 : 0);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(whole, 1, 0xffff'ffffU));
}

cpu_quota read_cpu_quota(std::string const& root) {
  cpu_quota quota;
  collector collect{root, quota};
  std::vector<mount> const all = mounts(root);
  for (membership const& m : memberships(root)) {
    mount const* fallback = nullptr;
    bool found = false;
    for (mount const& at : all) {
      if (at.v2 != m.v2) continue;
      if (auto const rest = below(at.top, m.group)) {
        collect.climb(at, *rest);
        found = true;
        break;
      }
      if (fallback == nullptr) fallback = &at;
    }
    // In a container the mount's top may be our own group, under a name from outside (or from beyond our namespace).
    if (!found && fallback != nullptr) collect.climb(*fallback, "");
  }
  std::ranges::sort(quota.limits, {}, [](cpu_limit const& l) { return std::pair{l.cpus(), std::string_view{l.file}}; });
  return quota;
}

}}}  // namespace skua::v0::runtime
