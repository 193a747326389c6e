// SPDX-License-Identifier: MIT
// Ranks of MPI. mpi_transport.md describes how messages travel.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "skua/machine/ranks/transport/transport.hpp"

namespace skua { inline namespace v0 { namespace ranks {

struct mpi_limits {
  std::size_t letter_bytes = 3072;                 ///< bodies up to here travel with their header
  std::size_t piece_bytes = std::size_t{1} << 30;  ///< MPI counts with int
  std::size_t kept_bytes = std::size_t{1} << 26;   ///< memory of a watched sum that the next one uses again, at most
};

class mpi_transport final : public transport {
 public:
  /// Collective over `program`, which stays the program's. Throws resource_error.
  explicit mpi_transport(MPI_Comm program, mpi_limits limits = {});
  ~mpi_transport() override;
  mpi_transport(mpi_transport const&) = delete;
  mpi_transport& operator=(mpi_transport const&) = delete;

  [[nodiscard]] rank_number rank() const noexcept override { return rank_; }
  [[nodiscard]] rank_number ranks() const noexcept override { return ranks_; }
  [[nodiscard]] neighbours node() const noexcept override { return node_; }
  void send(rank_number to, message_header head, std::span<std::byte const> body) override;
  void send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                     std::uint64_t token) override;
  bool poll(receiver& to) override;
  [[nodiscard]] std::uint64_t now_ns() const noexcept override;
  [[nodiscard]] std::uint64_t room_for_windows() const override;
  [[nodiscard]] std::unique_ptr<window> make_window(window_element type, std::uint64_t elements) override;
  void rest(std::uint32_t rounds) override;
  /// What MPI granted.
  [[nodiscard]] bool allows_threads() const noexcept override;
  [[nodiscard]] bool allows_any_thread() const noexcept override;
  /// By process number: for ranks of this node whose processes are visible to each other.
  [[nodiscard]] life life_of(rank_number rank) const override;
  void abandon(rank_number rank) override;
  [[nodiscard]] bool sums() const noexcept override { return true; }
  void sum(std::span<double> own) override;
  void start_sum(std::span<double const> own) override;
  [[nodiscard]] bool take_sum(std::span<double> to) override;
  void receive_the_rest() override;

 private:
  /// The begin of a letter.
  struct letter_head {
    message_header head;
    std::uint64_t body_bytes;
    std::uint64_t follows;  ///< 1: the body comes in separate pieces
  };
  /// Sends under way. The memory of a letter or of a copied body is held until they are complete.
  struct parcel_out {
    rank_number receiver = 0;
    std::vector<MPI_Request> requests;
    std::vector<std::byte> letter;
    std::vector<std::byte> copy;
    std::uint64_t token = 0;
    bool tells = false;  ///< on_sent is due
  };
  /// A body whose pieces are on their way to this rank.
  struct parcel_in {
    std::vector<MPI_Request> requests;
    message_header head;
    std::vector<std::byte> body;
  };

  void find_node(MPI_Comm program);
  void find_processes();
  void post(std::size_t slot);
  /// Calls f(first, count) for parts of a vector that MPI can count.
  template <class F>
  void each_piece(std::size_t doubles, F f) const;
  [[nodiscard]] parcel_out letter_to(rank_number to, message_header head, std::span<std::byte const> body,
                                     bool follows);
  void send_pieces(rank_number to, std::span<std::byte const> body, parcel_out& out);
  bool take_letter(receiver& to);
  void expect_body(letter_head const& head);
  bool take_bodies(receiver& to);
  bool take_completions(receiver& to);

  mpi_limits const limits_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  rank_number rank_ = 0;
  rank_number ranks_ = 1;
  neighbours node_{0, 1};
  std::vector<std::int64_t> processes_;  ///< of the ranks of this node; 0: not visible from here
  bool has_lost_ = false;
  struct sum_memory {
    std::unique_ptr<double[]> first;
    std::size_t doubles = 0;
  };
  /// A sum under way: in pieces, because MPI counts with int.
  struct sum_under_way {
    std::vector<MPI_Request> requests;
    sum_memory result;
  };
  /// For this many. The memory of the last sum, unless that was too long to be kept.
  [[nodiscard]] sum_memory memory_of_sum(std::size_t doubles);

  std::unique_ptr<sum_under_way> sum_;
  sum_memory kept_;                  ///< MPI does not use it: a sum under way has its own
  std::vector<std::uint64_t> sent_;  ///< letters, by receiver
  std::uint64_t received_ = 0;       ///< letters

  std::vector<std::vector<std::byte>> ring_;
  std::vector<MPI_Request> ring_requests_;
  std::size_t oldest_ = 0;
  std::deque<parcel_out> outgoing_;
  std::deque<parcel_in> incoming_;
};

}}}  // namespace skua::v0::ranks
