// SPDX-License-Identifier: MIT
#include "cli/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

#include "cli/verb.hpp"

namespace skua::cli {
namespace {

constexpr unsigned patience_s = 1;
constexpr std::string_view wipe_line = "\r\033[K";

// What handlers read and write. Lock-free atomics are safe there; relaxed, since each is a flag of its own.
std::atomic<bool> asked{false};
std::atomic<bool> finishing{false};
std::atomic<bool> line_in_use{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void wipe() noexcept {
  if (!line_in_use.load(std::memory_order_relaxed)) return;
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, wipe_line.data(), wipe_line.size());
}

extern "C" void on_interrupt(int) {
  if (finishing.load(std::memory_order_relaxed)) return;
  asked.store(true, std::memory_order_relaxed);
  wipe();
  ::alarm(patience_s);
}

extern "C" void on_alarm(int) {
  if (finishing.load(std::memory_order_relaxed)) return;
  wipe();
  ::_exit(exit_interrupted);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
  // SA_RESETHAND: the second SIGINT finds the default, and kills.
  handle(SIGINT, on_interrupt, SA_RESTART | static_cast<int>(SA_RESETHAND));
  handle(SIGALRM, on_alarm, SA_RESTART);
  handle(SIGPIPE, SIG_DFL, 0);
}

bool interrupted() noexcept { return asked.load(std::memory_order_relaxed); }

void stop_if_interrupted() {
  if (interrupted()) throw interruption{};
}

void finish_in_spite_of_interrupts() noexcept { finishing.store(true, std::memory_order_relaxed); }

void terminal_line_in_use(bool yes) noexcept { line_in_use.store(yes, std::memory_order_relaxed); }

}  // namespace skua::cli
