// SPDX-License-Identifier: MIT
// How ranks reach each other. Everything above this interface is the same over MPI, between threads of one process, and
// in virtual time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "skua/machine/ranks/transport/message.hpp"
#include "skua/machine/ranks/transport/window.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Takes arrived messages. Called from `poll` only.
class receiver {
 public:
  virtual void on_message(message const& m) = 0;
  /// The body of the send with this token has been copied.
  virtual void on_sent(std::uint64_t token) = 0;

 protected:
  ~receiver() = default;
};

/// One rank's end. One thread calls it, the same one always unless allows_any_thread(). Messages of one pair of ranks may overtake each other.
class transport {
 public:
  virtual ~transport() = default;

  [[nodiscard]] virtual rank_number rank() const noexcept = 0;
  [[nodiscard]] virtual rank_number ranks() const noexcept = 0;
  /// The ranks that share this one's memory: [first, last). A rank alone on its node: itself.
  struct neighbours {
    rank_number first;
    rank_number last;
  };
  [[nodiscard]] virtual neighbours node() const noexcept = 0;

  /// False: this process may have no other thread than the calling one.
  [[nodiscard]] virtual bool allows_threads() const noexcept { return true; }

  /// True: any thread may call it, one at a time, also while another one is in the network's own library.
  [[nodiscard]] virtual bool allows_any_thread() const noexcept { return false; }

  /// The state of another rank's process. unknown: this transport cannot tell; stopped: by a signal, and it may go on.
  enum class life : std::uint8_t { unknown, there, stopped, ended };
  [[nodiscard]] virtual life life_of(rank_number) const { return life::unknown; }
  /// A rank is dead: sends to it need not complete, and nothing of it will be received any more.
  virtual void abandon(rank_number) {}

  /// Sends; fills in head.sender. Copies the body before it returns. Sending to the rank itself is allowed. Throws
  /// std::bad_alloc and resource_error.
  virtual void send(rank_number to, message_header head, std::span<std::byte const> body) = 0;
  /// Sends without a copy: the caller keeps the body unchanged until on_sent(token).
  virtual void send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                             std::uint64_t token) = 0;

  /// Hands over arrived messages and completed sends, a bounded number. Returns false if there were none.
  virtual bool poll(receiver& to) = 0;

  /// Nanoseconds of a clock that never goes back. The only function that any thread may call.
  [[nodiscard]] virtual std::uint64_t now_ns() const noexcept = 0;
  /// True if the network adds up vectors faster than messages do, by the functions below. Vectors have equal lengths on
  /// all ranks, none of which was abandoned; sums have the same bits on every rank. They throw std::bad_alloc and
  /// resource_error.
  [[nodiscard]] virtual bool sums() const noexcept { return false; }
  /// Collective: replaces `own` by the sum. Does not return if a rank dies meanwhile.
  virtual void sum(std::span<double> /*own*/) {}
  /// Collective: begins a sum, one at a time. `own` stays unchanged until take_sum has returned true.
  virtual void start_sum(std::span<double const> /*own*/) {}
  /// The sum that was begun is complete: copies it. False: not yet.
  [[nodiscard]] virtual bool take_sum(std::span<double> /*to*/) { return false; }

  /// Collective, after the last message and the last poll, if no rank was abandoned: returns when every message to this
  /// rank has arrived. Drops them.
  virtual void receive_the_rest() {}

  /// How many bytes the windows of all ranks of this node may have together now, an upper bound. 0: this transport has no windows.
  [[nodiscard]] virtual std::uint64_t room_for_windows() const { return 0; }
  /// Collective: `elements` of this rank, for all ranks. Null, or std::bad_alloc or resource_error: the system refused; the caller
  /// sees to it that all ranks learn of that, and uses none of the windows then.
  [[nodiscard]] virtual std::unique_ptr<window> make_window(window_element, std::uint64_t /*elements*/) {
    return nullptr;
  }

  /// Nothing arrived in `rounds` consecutive polls: yields the processor, for longer the more rounds there were.
  virtual void rest(std::uint32_t rounds) = 0;
};

}}}  // namespace skua::v0::ranks
