// SPDX-License-Identifier: MIT
// Windows between ranks that are threads of one process. For tests it completes transfers late and in any order, as a network may.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "skua/machine/ranks/transport/window.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Adds `count` elements. Integers wrap around.
void add_elements(window_element type, std::byte* to, std::byte const* from, std::uint64_t count) noexcept;

/// The memory of all ranks for one window. Each rank allocates its own part; the others use it after the ranks have met.
class window_memory {
 public:
  window_memory(window_element type, rank_number ranks) : type_(type), parts_(ranks) {}

  /// Throws std::bad_alloc.
  void allocate(rank_number rank, std::uint64_t elements);
  [[nodiscard]] std::byte* part(rank_number rank) const noexcept { return parts_[rank].elements.get(); }
  [[nodiscard]] std::size_t element_bytes() const noexcept { return size_of(type_); }
  void transfer(transfer_kind what, window_run const& run);

 private:
  static constexpr std::uint64_t stripe = 4096;  ///< elements that one lock guards against other accumulates
  struct aligned_delete {
    void operator()(std::byte* memory) const noexcept;
  };
  struct rank_part {
    std::unique_ptr<std::byte[], aligned_delete> elements;
    std::array<std::mutex, 16> locks;
  };

  window_element const type_;
  std::vector<rank_part> parts_;
};

class loopback_window final : public window {
 public:
  /// `delays_one_in`, 0: `start` completes the transfer. Otherwise a later `test` does, one in so many, and `flush`.
  loopback_window(std::shared_ptr<window_memory> memory, rank_number rank, bool any_thread, bool is_unified,
                  std::uint32_t delays_one_in, std::uint64_t seed)
      : memory_(std::move(memory)), rank_(rank), any_thread_(any_thread), is_unified_(is_unified),
        delays_one_in_(delays_one_in), dice_(seed) {}

  [[nodiscard]] std::byte* own() const noexcept override { return memory_->part(rank_); }
  [[nodiscard]] bool any_thread() const noexcept override { return any_thread_; }
  [[nodiscard]] bool is_unified() const noexcept override { return is_unified_; }
  [[nodiscard]] std::uint64_t start(transfer_kind what, std::span<window_run const> runs) override;
  [[nodiscard]] bool test(std::uint64_t started) override;
  void flush() override;
  [[nodiscard]] bool is_flushed() const noexcept override { return late_.empty(); }
  void publish() override {}

 private:
  struct late {
    std::uint64_t number;
    transfer_kind what;
    std::vector<window_run> runs;
    std::vector<std::byte> copy;  ///< of a put or accumulate whose memory the caller has back
    bool is_told;
  };
  void complete(late const& l);

  std::shared_ptr<window_memory> const memory_;
  rank_number const rank_;
  bool const any_thread_;
  bool const is_unified_;
  std::uint32_t const delays_one_in_;
  runtime::dice dice_;
  std::uint64_t last_ = 0;
  std::vector<late> late_;
};

}}}  // namespace skua::v0::ranks
