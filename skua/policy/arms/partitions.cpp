// SPDX-License-Identifier: MIT
#include "skua/policy/arms/partitions.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/base/settings.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace arms {
namespace {

constexpr std::uint64_t most_members = std::uint64_t{1} << 24;  // of all partitions together

// ---- from the topology -----------------------------------------------------------------------------------------------

class from_layout {
 public:
  from_layout(layout const& where, partition_limits const& limits) : where_(where), limits_(limits) {}

  std::vector<partition> made() && {
    if (limits_.across_packages) {
      add(0, where_.workers(), package);
    } else {
      for (auto const& [first, count] : runs(0, where_.workers(), package)) add(first, count, package - 1);
    }
    std::ranges::sort(all_, {}, [](partition const& p) { return std::pair(p.width, index(p.leader)); });
    all_.erase(std::ranges::unique(all_).begin(), all_.end());
    return std::move(all_);
  }

 private:
  using run = std::pair<std::uint32_t, std::uint32_t>;  // first worker, count

  // Levels are distances of layout.hpp, up to the same NUMA node; then the package.
  static constexpr std::uint32_t package = 5;
  static constexpr std::uint32_t single = 0;

  [[nodiscard]] bool share(std::uint32_t a, std::uint32_t b, std::uint32_t level) const {
    if (level == package) return where_.package_of(worker_id{a}) == where_.package_of(worker_id{b});
    return where_.distance(worker_id{a}, worker_id{b}) <= level;
  }

  [[nodiscard]] std::vector<run> runs(std::uint32_t first, std::uint32_t count, std::uint32_t level) const {
    std::vector<run> found;
    for (std::uint32_t w = first; w < first + count; ++w) {
      if (found.empty() || !share(found.back().first, w, level)) found.push_back({w, 0});
      ++found.back().second;
    }
    return found;
  }

  void add(std::uint32_t first, std::uint32_t count) {
    if (count > limits_.width && count > 1) return;
    all_.push_back({.leader = worker_id{first}, .width = static_cast<std::uint16_t>(count)});
  }

  /// These workers, what they consist of at this level and below, and blocks of that.
  void add(std::uint32_t first, std::uint32_t count, std::uint32_t level) {
    add(first, count);
    if (count == 1) return;
    std::vector<run> const parts = runs(first, count, level);
    for (auto const& [begin, workers] : parts) {
      if (level == single) {
        add(begin, workers);
      } else {
        add(begin, workers, level - 1);
      }
    }
    auto const each = parts.front().second;
    if (std::ranges::any_of(parts, [&](run const& r) { return r.second != each; })) return;
    add_blocks(first, count, each);
  }

  /// Blocks of two or more parts, as wide as divides the workers evenly. A width that is closer than 4/3 to the one before
  /// is left out: it would have to be tried as well, and its times are much the same.
  void add_blocks(std::uint32_t first, std::uint32_t count, std::uint32_t each) {
    std::uint32_t last = each;
    for (std::uint32_t block = 2 * each; 2 * block <= count; block += each) {
      if (count % block != 0 || 3 * block < 4 * last) continue;
      last = block;
      for (std::uint32_t begin = first; begin < first + count; begin += block) add(begin, block);
    }
  }

  layout const& where_;
  partition_limits const limits_;
  std::vector<partition> all_;
};

std::vector<std::uint32_t> processors_of(layout const& where) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t w = 0; w < where.workers(); ++w) {
    std::uint32_t const pu = where.pu_of(worker_id{w});
    all.push_back(pu == runtime::no_index ? w : pu);
  }
  return all;
}

// ---- from a text -------------------------------------------------------------------------------------------------------

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

class reader {
 public:
  reader(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  std::vector<std::uint32_t> affinity() {
    next_line();
    std::vector<std::uint32_t> all = numbers("a processor", 0, std::numeric_limits<std::uint32_t>::max() - 1);
    if (all.size() > runtime::max_workers)
      refuse("names " + std::to_string(all.size()) + " processors", "at most " + std::to_string(runtime::max_workers));
    return all;
  }

  void widths_of(std::uint32_t leader, std::uint32_t workers, std::vector<partition>& all) {
    std::string const whose = "the widths of worker " + std::to_string(leader);
    if (!next_line() || line_.empty())
      refuse("is missing", "a line for each of the " + std::to_string(workers) + " workers of line 1");
    std::vector<std::uint32_t> widths = numbers("a width", 1, std::min<std::uint32_t>(workers - leader, 0xffff));
    std::ranges::sort(widths);
    if (auto const twice = std::ranges::adjacent_find(widths); twice != widths.end())
      refuse("has the width " + std::to_string(*twice) + " twice", whose + ", each once");
    if (widths.front() != 1) refuse("has no width 1", whose + ", 1 among them");
    for (std::uint32_t const w : widths) {
      members_ += w;
      all.push_back({.leader = worker_id{leader}, .width = static_cast<std::uint16_t>(w)});
    }
    if (members_ > most_members)
      refuse("brings the workers of all partitions to " + std::to_string(members_),
             "at most " + std::to_string(most_members));
  }

  void end(std::uint32_t workers) {
    while (next_line()) {
      if (!line_.empty())
        refuse("follows the last worker",
               std::to_string(workers + 1) + " lines for " + std::to_string(workers) + " workers");
    }
  }

 private:
  bool next_line() {
    ++number_;
    if (rest_begins_ > text_.size()) return false;
    std::size_t const end = std::min(text_.find('\n', rest_begins_), text_.size());
    line_ = trimmed(text_.substr(rest_begins_, end - rest_begins_));
    rest_begins_ = end + 1;
    return true;
  }

  std::vector<std::uint32_t> numbers(std::string const& what, std::uint32_t least, std::uint32_t most) {
    std::vector<std::uint32_t> all;
    for (std::string_view rest = line_;;) {
      std::size_t const comma = rest.find(',');
      std::string_view const word = trimmed(rest.substr(0, comma));
      std::uint32_t n = 0;
      auto const [stop, problem] = std::from_chars(word.data(), word.data() + word.size(), n);
      if (problem != std::errc{} || stop != word.data() + word.size() || n < least || n > most) {
        refuse("has '" + std::string(word.substr(0, 40)) + "' as " + what,
               "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
      }
      all.push_back(n);
      if (comma == std::string_view::npos) return all;
      rest.remove_prefix(comma + 1);
    }
  }

  [[noreturn]] void refuse(std::string const& fault, std::string const& allowed) const {
    throw usage_error(runtime::printable(std::string(name_) + ": line " + std::to_string(number_) + " " + fault +
                                         "; allowed: " + allowed));
  }

  std::string_view name_;
  std::string_view text_;
  std::string_view line_;
  std::size_t rest_begins_ = 0;
  std::size_t number_ = 0;
  std::uint64_t members_ = 0;
};

std::string with_commas(auto const& numbers) {
  std::string line;
  for (auto const n : numbers) line += (line.empty() ? "" : ",") + std::to_string(n);
  return line + "\n";
}

}  // namespace

partitions::partitions(layout const& where, partition_limits const& limits)
    : partitions(processors_of(where), from_layout(where, limits).made()) {}

partitions::partitions(std::vector<std::uint32_t> affinity, std::vector<partition> all)
    : affinity_(std::move(affinity)), all_(std::move(all)), begins_(affinity_.size() + 1) {
  for (partition const& p : all_) {
    if (widths_.empty() || widths_.back() != p.width) widths_.push_back(p.width);
    classes_.push_back(static_cast<std::uint16_t>(widths_.size() - 1));
    for (std::uint32_t w = index(p.leader); w < index(p.leader) + p.width; ++w) ++begins_[w + 1];
  }
  for (std::uint32_t w = 0; w < workers(); ++w) {
    runtime::invariant(all_[w] == partition{.leader = worker_id{w}, .width = 1}, "sorted");
    begins_[w + 1] += begins_[w];
  }
  inclusive_.resize(begins_.back());
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (std::uint32_t i = 0; i < all_.size(); ++i) {
    partition const& p = all_[i];
    for (std::uint32_t w = index(p.leader); w < index(p.leader) + p.width; ++w) inclusive_[next[w]++] = partition_id{i};
  }
}

partitions partitions::read(std::string_view name, std::string_view text) {
  reader from(name, text);
  std::vector<std::uint32_t> affinity = from.affinity();
  auto const workers = static_cast<std::uint32_t>(affinity.size());
  std::vector<partition> all;
  for (std::uint32_t leader = 0; leader < workers; ++leader) from.widths_of(leader, workers, all);
  from.end(workers);
  std::ranges::sort(all, {}, [](partition const& p) { return std::pair(p.width, index(p.leader)); });
  return {std::move(affinity), std::move(all)};
}

std::string partitions::text() const {
  std::string lines = with_commas(affinity_);
  for (std::uint32_t leader = 0; leader < workers(); ++leader) {
    std::vector<std::uint16_t> widths;
    for (partition_id const p : inclusive(worker_id{leader})) {
      if (all_[index(p)].leader == worker_id{leader}) widths.push_back(all_[index(p)].width);
    }
    lines += with_commas(widths);
  }
  return lines;
}

partitions::range partitions::neighbours(worker_id w) const noexcept {
  std::uint32_t first = index(w);
  std::uint32_t end = first + 1;
  for (partition_id const p : inclusive(w)) {
    first = std::min(first, index(all_[index(p)].leader));
    end = std::max(end, index(all_[index(p)].leader) + all_[index(p)].width);
  }
  return {.first = worker_id{first}, .count = end - first};
}

}}}}  // namespace skua::v0::policies::arms
