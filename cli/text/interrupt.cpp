// SPDX-License-Identifier: MIT
#include "cli/text/interrupt.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "cli/text/output.hpp"
#include "cli/text/report.hpp"
#include "cli/text/terminal.hpp"

namespace skua::cli {
namespace {

constexpr unsigned patience_s = 1;
constexpr std::string_view request_heard = "stopping after this step; press Ctrl-C again to end at once\n";

/// GNU timeout sends its signal to the command and to its process group: signals this close are one request.
constexpr std::int64_t one_request_ns = 100'000'000;

enum class state : std::uint8_t { ends_soon, ends_by_itself, keeps, writes };

/// One word, so that a signal comes either before the state in which output is written, and all of the output says so, or is
/// ignored.
struct situation {
  state stage = state::ends_soon;
  std::uint8_t request = 0;  ///< the first signal; 0: none, or it was ignored
};

// What handlers read and write. Lock-free atomics are safe there; relaxed, since each is a word of its own.
std::atomic<situation> current{situation{}};
std::atomic<std::int64_t> first_signal_ns{0};  // 0: none
std::atomic<bool> has_terminal{false};
static_assert(std::atomic<situation>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

situation now() noexcept { return current.load(std::memory_order_relaxed); }

/// A state never goes back.
void enter(state next) noexcept {
  situation seen = now();
  while (seen.stage < next && !current.compare_exchange_weak(seen, {next, seen.request}, std::memory_order_relaxed)) {}
}

std::int64_t clock_ns() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

void end_by(int number) noexcept {
  ::signal(number, SIG_DFL);
  ::raise(number);  // blocked while its handler runs: it ends the process when the handler returns
}

void on_first(int number) noexcept {
  situation seen = now();
  while (seen.stage < state::writes &&
         !current.compare_exchange_weak(seen, {seen.stage, static_cast<std::uint8_t>(number)},
                                        std::memory_order_relaxed)) {}
  if (seen.stage == state::writes) return;
  wipe_shown_bar();
  if (seen.stage == state::ends_soon) ::alarm(patience_s);
  if (seen.stage == state::keeps && has_terminal.load(std::memory_order_relaxed)) {
    [[maybe_unused]] auto const written = ::write(STDERR_FILENO, request_heard.data(), request_heard.size());
  }
}

extern "C" void on_request(int number) {
  int const fault = errno;
  std::int64_t const at_ns = clock_ns();
  std::int64_t first_ns = 0;
  if (first_signal_ns.compare_exchange_strong(first_ns, at_ns, std::memory_order_relaxed)) {
    on_first(number);
  } else if (at_ns - first_ns > one_request_ns) {
    end_by(number);
  }
  errno = fault;
}

extern "C" void on_alarm(int) {
  if (now().stage > state::ends_soon) return;
  wipe_shown_bar();
  ::_exit(exit_code_of_interrupt());
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
  has_terminal.store(::isatty(STDERR_FILENO) == 1, std::memory_order_relaxed);
  // SA_RESETHAND: the second one finds the default action, and ends the process even within one_request_ns. There is nothing to lose.
  handle(SIGINT, on_request, SA_RESTART | static_cast<int>(SA_RESETHAND));
  handle(SIGALRM, on_alarm, SA_RESTART);
  handle(SIGPIPE, SIG_DFL, 0);
}

bool interrupted() noexcept { return signal_of_interrupt() != 0; }

void stop_if_interrupted() {
  if (interrupted()) throw interruption{};
}

void end_by_itself_after_interrupts() noexcept { enter(state::ends_by_itself); }

void keep_after_interrupts() noexcept {
  if (now().stage >= state::keeps) return;
  enter(state::keeps);
  for (int const number : {SIGINT, SIGTERM}) handle(number, on_request, SA_RESTART);
}

void finish_in_spite_of_interrupts() noexcept { enter(state::writes); }

int signal_of_interrupt() noexcept { return now().request; }

void take_signal_of_another(int number) noexcept {
  situation seen = now();
  while (!current.compare_exchange_weak(seen, {seen.stage, static_cast<std::uint8_t>(number)},
                                        std::memory_order_relaxed)) {}
}

int exit_code_of_interrupt() noexcept { return 128 + signal_of_interrupt(); }

std::string interrupt_note(std::uint64_t done, std::uint64_t planned, std::string_view unit) {
  return interrupted() ? fmt::format("interrupted after {} of {}", done, in_words(planned, unit)) : "";
}

std::string interrupt_line(std::uint64_t done, std::uint64_t planned, std::string_view unit) {
  return interrupted() ? interrupt_note(done, planned, unit) + "\n" : "";
}

int exit_code_after(std::string_view subcommand, std::uint64_t done, std::uint64_t planned, std::string_view unit) {
  if (!interrupted()) return 0;
  write_to_stderr(fmt::format("{}: {}", subcommand, interrupt_note(done, planned, unit)));
  return exit_code_of_interrupt();
}

}  // namespace skua::cli
