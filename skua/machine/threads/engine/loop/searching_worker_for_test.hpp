// SPDX-License-Identifier: MIT
// For models whose workers run the real search (work_search.hpp): what it asks of a worker besides regions and work.
#pragma once

#include <cstdint>
#include <utility>

namespace skua { inline namespace v0 { namespace runtime {

/// It has no clock, no region opens, no frame is tied to it, and nothing keeps it from searching. A model's worker derives from it and hides what it answers
/// otherwise.
class searching_worker {
 public:
  struct no_counters {
    struct none {
      static void add(unsigned) {}
    } wakeups_sent;
  };
  no_counters& counts() { return counts_; }
  static std::uint64_t now_ns() { return 1; }
  static std::uint64_t back_off(std::uint64_t) { return 0; }
  static void short_sleep(std::uint64_t) {}
  static void note_failed_round(std::uint64_t) {}
  static void leave_finish() {}
  static bool is_barred() { return false; }
  static bool stands_down(bool) { return false; }
  static void refresh_regions() {}
  static bool has_new_regions() { return false; }
  static bool has_tied_ready() { return false; }

  /// After its first sleep, when it counts as searching (worker::sleep_at_first).
  void note_woken() { is_woken_ = true; }
  bool was_woken() { return std::exchange(is_woken_, false); }

 private:
  no_counters counts_;
  bool is_woken_ = false;
};

}}}  // namespace skua::v0::runtime
