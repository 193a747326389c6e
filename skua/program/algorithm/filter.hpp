// SPDX-License-Identifier: MIT
// Copies the elements that a predicate accepts, in order (also called pack, or copy_if).
#pragma once

#include <concepts>
#include <memory>
#include <vector>

#include "skua/program/algorithm/body.hpp"
#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/algorithm/split.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// One run of `filter`: first calls the predicate once per element, then copies each accepted element to its final
/// position.
template <class Here, class In, class Keep>
class filter_run {
 public:
  filter_run(Here& here, In in, std::size_t n, Keep& keep, std::size_t most)
      : in_(in), n_(n), most_(most), kept_(std::make_unique_for_overwrite<bool[]>(n)), starts_(divide_up(n, most) + 1) {
    for_each(
        here, std::size_t{0}, blocks(), [&](Here& h, std::size_t b) { starts_[b + 1] = judge(h, b, keep); }, grain{1});
    for (std::size_t b = 0; b < blocks(); ++b) starts_[b + 1] += starts_[b];
  }

  /// The number of accepted elements.
  [[nodiscard]] std::size_t count() const noexcept { return starts_.back(); }

  template <class Out>
  void copy_to(Here& here, Out out) const {
    for_each(here, std::size_t{0}, blocks(), [this, out](std::size_t b) { copy(b, after(out, starts_[b])); }, grain{1});
  }

 private:
  [[nodiscard]] std::size_t blocks() const noexcept { return starts_.size() - 1; }
  [[nodiscard]] std::size_t begin(std::size_t block) const noexcept { return block * most_; }
  [[nodiscard]] std::size_t end(std::size_t block) const noexcept { return std::min(n_, begin(block) + most_); }

  std::size_t judge(Here& here, std::size_t block, Keep& keep) {
    auto from = after(in_, begin(block));
    std::size_t kept = 0;
    for (std::size_t i = begin(block); i != end(block); ++i, ++from) {
      bool const wanted = static_cast<bool>(call_body(here, keep, std::as_const(*from)));
      kept_[i] = wanted;
      kept += wanted ? 1 : 0;
    }
    return kept;
  }

  template <class Out>
  void copy(std::size_t block, Out out) const {
    auto from = after(in_, begin(block));
    for (std::size_t i = begin(block); i != end(block); ++i, ++from) {
      if (kept_[i]) *out++ = *from;
    }
  }

  In in_;
  std::size_t n_;
  std::size_t most_;
  std::unique_ptr<bool[]> kept_;
  std::vector<std::size_t> starts_;  ///< output position of each block's accepted elements; last entry: their number
};

/// Copies the elements that keep([here,] element) accepts to `out`, in order; returns the end of the output. `out` must
/// have room for them and must not overlap the input. Calls `keep` exactly once per element.
/// `most`: elements per block; automatic: 8 to 16 blocks per worker.
/// Work O(n), span O(most + n / most + log n). Extra space: n bytes. Exceptions and stops: as for_each; it may have
/// written part of the output then.
template <fork_join Here, divisible_range In, std::random_access_iterator Out, class Keep>
  requires body_of<Keep, Here, reference_of<In>>
Out filter(Here& here, In&& in, Out out, Keep&& keep, grain most = automatic) {
  std::size_t const n = length(in);
  filter_run<Here, iterator_of<In>, Keep> const run{here, std::ranges::begin(in), n, keep, leaf_size(here, most, n)};
  run.copy_to(here, out);
  return after(out, run.count());
}

/// The same into a new vector. Not for bool: two workers cannot write neighbouring elements of a vector<bool> at once.
template <fork_join Here, divisible_range In, class Keep>
  requires body_of<Keep, Here, reference_of<In>> && std::default_initializable<value_of_range<In>> &&
           (!std::same_as<value_of_range<In>, bool>)
std::vector<value_of_range<In>> filter(Here& here, In&& in, Keep&& keep, grain most = automatic) {
  std::size_t const n = length(in);
  filter_run<Here, iterator_of<In>, Keep> const run{here, std::ranges::begin(in), n, keep, leaf_size(here, most, n)};
  std::vector<value_of_range<In>> kept(run.count());
  run.copy_to(here, kept.begin());
  return kept;
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::filter;

}}  // namespace skua::v0
