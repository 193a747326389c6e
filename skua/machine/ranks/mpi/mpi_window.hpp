// SPDX-License-Identifier: MIT
// Windows of MPI-3, passive target: locked for all from the first transfer to the end. distributed_matrix.md says why transfers are
// of consecutive elements.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "skua/machine/ranks/transport/window.hpp"

namespace skua { inline namespace v0 { namespace ranks {

class mpi_window final : public window {
 public:
  /// Collective. Null if MPI refuses. `one_node`: all ranks share memory.
  [[nodiscard]] static std::unique_ptr<mpi_window> make(MPI_Comm comm, window_element type, std::uint64_t elements,
                                                        bool one_node);
  /// Collective.
  ~mpi_window() override;
  mpi_window(mpi_window const&) = delete;
  mpi_window& operator=(mpi_window const&) = delete;

  [[nodiscard]] std::byte* own() const noexcept override { return own_; }
  [[nodiscard]] bool is_unified() const noexcept override { return is_unified_; }
  [[nodiscard]] std::uint64_t start(transfer_kind what, std::span<window_run const> runs) override;
  [[nodiscard]] bool test(std::uint64_t started) override;
  void flush() override;
  [[nodiscard]] bool is_flushed() const noexcept override { return is_flushed_; }
  void publish() override;

 private:
  struct under_way {
    std::uint64_t number;
    std::vector<MPI_Request> requests;
  };
  void begin(transfer_kind what, window_run const& run, MPI_Request* request);
  mpi_window(MPI_Win made, std::byte* own, MPI_Datatype type) noexcept : window_(made), own_(own), type_(type) {}

  MPI_Win window_;
  std::byte* const own_;
  MPI_Datatype const type_;
  bool is_unified_ = false;
  bool is_immediate_ = false;  ///< transfers complete within `start`
  bool is_flushed_ = true;     ///< since the last put or accumulate
  std::uint64_t last_ = 0;
  std::vector<under_way> under_way_;
};

}}}  // namespace skua::v0::ranks
