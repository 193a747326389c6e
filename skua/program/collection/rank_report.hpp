// SPDX-License-Identifier: MIT
// What each rank did in one process(): the figures of the paper's tables per core, and how far the ranks are apart. [retentive-hpdc12 7.2]
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace skua { inline namespace v0 {

/// One rank in one process(), and in the calls before it, back to the process() before that. Times in seconds. Bytes are those of tasks and of
/// elements, without headers; messages that only keep order, and the copies that lost_tasks costs, are not counted.
struct rank_report {
  std::uint32_t rank = 0;
  std::uint32_t workers = 0;
  std::uint64_t tasks = 0;       ///< executed
  std::uint64_t kept = 0;        ///< of them in its record: neither null nor spawned
  std::uint64_t attempted = 0;   ///< its attempts to steal from other ranks
  std::uint64_t successful = 0;  ///< those that returned tasks
  std::uint64_t stolen = 0;      ///< tasks that it stole from other ranks
  std::uint64_t given = 0;       ///< tasks that other ranks stole from it
  double seconds = 0;            ///< of its process()
  double busy = 0;               ///< in tasks, the mean of its workers
  double balancing = 0;          ///< in restore and rebalance before this process(), waiting for other ranks included
  std::uint64_t received = 0;    ///< bytes of tasks that it stole, or that balancing brought
  std::uint64_t sent = 0;        ///< bytes of tasks that were stolen from it, or that balancing took away
  // Of matrices, between this rank's tasks and other ranks' parts. What other ranks transfer to and from its part is in their reports.
  std::uint64_t got = 0;          ///< bytes
  std::uint64_t put = 0;          ///< bytes
  std::uint64_t accumulated = 0;  ///< bytes
  // With collection_options::footprints, else 0: what its tasks used of matrices, also what a cache had already.
  std::uint64_t needed = 0;           ///< bytes
  std::uint64_t needed_remotely = 0;  ///< bytes that other ranks own
};

/// One figure over all ranks.
struct spread {
  double least = 0;
  double mean = 0;
  double greatest = 0;
  /// How much longer the rank with most takes than if all had the same: greatest / mean; 1 if the mean is 0.
  [[nodiscard]] double imbalance() const noexcept { return mean > 0 ? greatest / mean : 1; }
};

struct ranks_report {
  std::uint32_t iteration = 0;
  std::vector<rank_report> ranks;  ///< the living ones, by number; on other ranks than 0 none

  /// For example r.of(&rank_report::busy), or r.of([](rank_report const& of) { return of.seconds - of.busy; }). All 0 without ranks.
  template <class Figure>
  [[nodiscard]] spread of(Figure figure) const {
    spread s;
    for (rank_report const& r : ranks) {
      auto const x = static_cast<double>(std::invoke(figure, r));
      bool const is_first = &r == &ranks.front();
      s.least = is_first ? x : std::min(s.least, x);
      s.greatest = is_first ? x : std::max(s.greatest, x);
      s.mean += x / static_cast<double>(ranks.size());
    }
    return s;
  }
};

/// A table with a row for each rank, and the least, mean and greatest of each column; the rows are left out if there are more ranks than
/// `most_rows`. Empty without ranks.
[[nodiscard]] std::string in_words(ranks_report const& r, std::size_t most_rows = 64);

}}  // namespace skua::v0
