// SPDX-License-Identifier: MIT
// The ranks that work together, and this process's place among them.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "skua/machine/ranks/communicator/sent_values.hpp"
#include "skua/program/collection/host.hpp"
#include "skua/program/collection/worker_threads.hpp"

namespace skua { inline namespace v0 {

namespace ranks {

class communicator_core;
class matrix_core;
class transport;
enum class window_element : std::uint8_t;

}  // namespace ranks

class matrix_distribution;

namespace mpi {

class session;

}  // namespace mpi

/// One thread of each rank uses it: the one that made it. Its functions are collective unless they say otherwise: every
/// rank calls the same ones in the same order, outside tasks; else every rank throws a usage_error that names two calls. None of them touches messages that the program itself sends by MPI.
class communicator final : public runtime::collection_host {
 public:
  /// Over any transport. Programs get theirs from skua::mpi::session, or from `alone`. Collective: throws usage_error
  /// on every rank if the ranks do not run the same binary.
  explicit communicator(std::unique_ptr<ranks::transport> network);
  /// One rank, without MPI. Local.
  [[nodiscard]] static std::unique_ptr<communicator> alone();
  ~communicator();
  communicator(communicator const&) = delete;
  communicator& operator=(communicator const&) = delete;

  /// This rank, 0 .. size() - 1. Local.
  [[nodiscard]] std::uint32_t rank() const noexcept;
  /// Local.
  [[nodiscard]] std::uint32_t size() const noexcept;

  /// The sum over all ranks, the same bits on every rank. O(log size) messages deep.
  [[nodiscard]] double sum(double own);
  /// Exact; modulo 2^64.
  [[nodiscard]] std::uint64_t sum(std::uint64_t own);
  [[nodiscard]] std::int64_t sum(std::int64_t own);
  /// Of any other type of integers: an unsigned or a signed 64-bit sum.
  template <std::integral T>
  [[nodiscard]] auto sum(T own) {
    return sum(static_cast<wide<T>>(own));
  }

  /// The largest and the smallest value of all ranks. NaN if any rank has NaN. Integers are compared as integers.
  [[nodiscard]] double max(double own);
  [[nodiscard]] std::uint64_t max(std::uint64_t own);
  [[nodiscard]] std::int64_t max(std::int64_t own);
  template <std::integral T>
  [[nodiscard]] T max(T own) {
    return static_cast<T>(max(static_cast<wide<T>>(own)));
  }
  [[nodiscard]] double min(double own);
  [[nodiscard]] std::uint64_t min(std::uint64_t own);
  [[nodiscard]] std::int64_t min(std::int64_t own);
  template <std::integral T>
  [[nodiscard]] T min(T own) {
    return static_cast<T>(min(static_cast<wide<T>>(own)));
  }
  /// Element by element, in place; of equal length on every rank, else every rank throws usage_error and nothing changes.
  void sum(std::span<double> own);
  void sum(std::span<std::uint64_t> own);
  void sum(std::span<std::int64_t> own);
  void max(std::span<double> own);
  void max(std::span<std::uint64_t> own);
  void max(std::span<std::int64_t> own);
  void min(std::span<double> own);
  void min(std::span<std::uint64_t> own);
  void min(std::span<std::int64_t> own);

  // Values go from rank to rank as tasks do: as their bytes in memory, or by `serialize` (archive.hpp). T has a default constructor. The ranks
  // call with the same T and the same root, else every rank throws usage_error. A rank that died has an empty value.

  /// At the root, every rank's value, by rank; elsewhere nothing. Strings and vectors may have another length on each
  /// rank. Cost: a reduction, and one message of each rank to the root.
  template <class T>
  [[nodiscard]] std::vector<T> gather(T const& own, std::uint32_t root = 0) {
    return ranks::read_values<T>(gather_bytes(ranks::words_of_value<T>(), root, ranks::written(own)));
  }
  /// The same of elements that travel as their bytes; each rank may have another number of them.
  template <class T, std::size_t N>
  [[nodiscard]] std::vector<ranks::elements<T>> gather(std::span<T, N> own, std::uint32_t root = 0) {
    return ranks::read_rows<T>(gather_bytes(ranks::words_of_rows<T>(), root, ranks::written_row(own)));
  }

  /// On every rank, every rank's value, by rank. Lengths may differ as in gather. Cost: a reduction that carries all
  /// values, so each rank receives and stores them all.
  template <class T>
  [[nodiscard]] std::vector<T> allgather(T const& own) {
    return ranks::read_values<T>(allgather_bytes(ranks::words_of_value<T>(), ranks::written(own)));
  }
  template <class T, std::size_t N>
  [[nodiscard]] std::vector<ranks::elements<T>> allgather(std::span<T, N> own) {
    return ranks::read_rows<T>(allgather_bytes(ranks::words_of_rows<T>(), ranks::written_row(own)));
  }

  /// Returns the root's value on every rank; the other ranks' arguments do not matter. Cost: a reduction that carries
  /// the value.
  template <class T>
  [[nodiscard]] T broadcast(T const& own, std::uint32_t root = 0) {
    return ranks::read_value<T>(
        broadcast_bytes(ranks::words_of_value<T>(), root, rank() == root ? ranks::written(own) : bytes()));
  }
  /// Copies the root's elements to every rank, in place; of equal length on every rank, else every rank throws usage_error. For a
  /// vector whose length only the root knows: `v = world.broadcast(v)`.
  template <class T, std::size_t N>
    requires(!std::is_const_v<T>)
  void broadcast(std::span<T, N> own, std::uint32_t root = 0) {
    ranks::read_row(
        broadcast_bytes(ranks::words_of_row<T>(own.size()), root, rank() == root ? ranks::written_row(own) : bytes()),
        own);
  }

  /// Returns parts[rank()] of the root; the other ranks' arguments do not matter. Parts that are strings or vectors may
  /// have different lengths. Every rank throws usage_error unless the root has size() parts. Cost: a reduction, and one message of the root to
  /// each rank.
  template <class T>
  [[nodiscard]] T scatter(std::vector<T> const& parts, std::uint32_t root = 0) {
    std::vector<bytes> all;
    for (std::size_t r = 0; rank() == root && r < parts.size(); ++r) all.push_back(ranks::written<T>(parts[r]));
    return ranks::read_value<T>(scatter_bytes(ranks::words_of_value<T>(), root, std::move(all)));
  }
  /// Copies the root's elements [rank() * own.size(), (rank() + 1) * own.size()) to `own`, which has the same length on every
  /// rank. Every rank throws usage_error if lengths differ, or unless the root has size() * own.size() elements.
  template <class T, std::size_t N, class U, std::size_t M>
    requires std::same_as<std::remove_const_t<T>, U>
  void scatter(std::span<T, N> all, std::span<U, M> own, std::uint32_t root = 0) {
    ranks::read_row(
        scatter_rows(ranks::words_of_row<U>(own.size()) + " for each rank", root, std::as_bytes(all), own.size_bytes()),
        own);
  }

  /// Returns when every rank has called it.
  void barrier();

  /// From now on the death of a rank is noticed. Within process() of a collection that can recover, the other ranks
  /// make up for it (lost_tasks); elsewhere every live rank throws rank_lost. On the node of the lowest live rank a rank is dead when
  /// its process has ended, or was stopped for `deadline_s` seconds; on another node, after `deadline_s` seconds > 0 of silence, so the deadline must be longer
  /// than any time that a rank spends without calling Skua. That rank watches all others, and they watch it. Throws
  /// usage_error. Local: no message; every rank calls it.
  void watch(double deadline_s);
  /// Ranks that have not died. Local.
  [[nodiscard]] std::uint32_t live() const noexcept;
  /// The position of this rank among those that have not died, 0 .. live() - 1. Local.
  [[nodiscard]] std::uint32_t live_position() const noexcept;
  /// The lowest rank that has not died, where a program prints and writes, and the root that it gives to calls after a loss. Local.
  [[nodiscard]] std::uint32_t first_live() const noexcept;
  /// Local: collections that this rank makes from now on also run their tasks on `threads`, which outlive them; null: the
  /// last ones end. Without any, tasks run on the calling thread only.
  /// Programs make a skua::rank_pool (skua/rank_pool.hpp), which does this. The number of threads may differ between
  /// ranks.
  void work_with(runtime::worker_threads* threads, serving how) noexcept;
  /// Local: how many workers a collection that this rank makes now has, at least 1.
  [[nodiscard]] std::uint32_t workers() const noexcept;
  /// The number of processors that this rank has for itself, at least 1: those of its affinity mask, each divided by
  /// the ranks of the node that may use it, and at most the rank's part of the CPU quota.
  [[nodiscard]] std::uint32_t processors();

  [[nodiscard]] std::unique_ptr<runtime::collection_engine> make_collection(
      collection_options const& options, runtime::task_binding const& binding) override;

  /// For distributed_matrix, which has the checks of types. Collective.
  [[nodiscard]] std::unique_ptr<ranks::matrix_core> make_matrix(std::string name, ranks::window_element type,
                                                                std::uint64_t rows, std::uint64_t columns,
                                                                matrix_distribution const& how);

 private:
  friend mpi::session;
  template <class T>
  using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  using bytes = std::vector<std::byte>;

  // `of`: what is sent, in words that ranks must agree on.
  [[nodiscard]] std::vector<bytes> gather_bytes(std::string const& of, std::uint32_t root, bytes own);
  [[nodiscard]] std::vector<bytes> allgather_bytes(std::string const& of, bytes own);
  [[nodiscard]] bytes broadcast_bytes(std::string const& of, std::uint32_t root, bytes own);
  [[nodiscard]] bytes scatter_bytes(std::string const& of, std::uint32_t root, std::vector<bytes> parts);
  [[nodiscard]] bytes scatter_rows(std::string const& of, std::uint32_t root, std::span<std::byte const> all,
                                   std::size_t row_bytes);

  std::unique_ptr<ranks::communicator_core> core_;
};

}}  // namespace skua::v0
