// SPDX-License-Identifier: MIT
#include "cli/top/screen.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>

#include "cli/text/interrupt.hpp"
#include "cli/text/output.hpp"

namespace skua::cli::top {
namespace {

constexpr std::string_view open_screen = "\033[?1049h\033[?25l\033[2J";
constexpr std::string_view close_screen = "\033[?25h\033[?1049l";

// Signals are let in only while the screen waits (ppoll), so the handler's flag is never looked at too early.
constexpr std::array handled{SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT};
constexpr std::array ending{SIGTERM, SIGHUP, SIGQUIT};
std::atomic<int> came{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void note_signal(int number) {
  came.store(number, std::memory_order_relaxed);
}  // relaxed: a flag of its own

void handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

screen::screen() : has_keys_(::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGINT);  // interrupt.hpp handles it
  for (int const s : handled) ::sigaddset(&blocked, s);
  ::sigprocmask(SIG_BLOCK, &blocked, &mask_before_);
  for (int const s : handled) handle(s, note_signal);
  enter();
}

screen::~screen() {
  leave();
  for (int const s : handled) handle(s, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

void screen::enter() const {
  if (has_keys_) {
    termios keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &keys);
  }
  write_to_stdout(open_screen);
}

void screen::leave() const noexcept {
  // If the terminal is gone, nothing is left to be restored.
  [[maybe_unused]] auto const written = ::write(STDOUT_FILENO, close_screen.data(), close_screen.size());
  if (has_keys_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

screen_size screen::size() const {
  winsize w{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0 || w.ws_row == 0) return {.columns = 80, .rows = 24};
  return {.columns = w.ws_col, .rows = w.ws_row};
}

void screen::draw(std::vector<std::string> const& lines) const {
  std::string all = "\033[H";
  for (std::size_t i = 0; i < lines.size(); ++i) all += (i == 0 ? "" : "\r\n") + lines[i] + "\033[K";
  write_to_stdout(all + "\033[J");
}

key screen::wait(std::chrono::milliseconds at_most) {
  pollfd input{.fd = has_keys_ ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0};
  timespec const limit{.tv_sec = at_most.count() / 1000, .tv_nsec = at_most.count() % 1000 * 1'000'000};
  int const ready = ::ppoll(&input, 1, &limit, &mask_before_);
  stop_if_interrupted();
  if (ready < 0) {
    heed_signals();
    return key::redraw;
  }
  return ready == 0 ? key::none : read_key();
}

void screen::heed_signals() {
  int const number = came.exchange(0, std::memory_order_relaxed);  // relaxed: a flag of its own
  bool const ends = std::ranges::find(ending, number) != ending.end();
  if (!ends && number != SIGTSTP) return;
  // What the signal does by default, to a terminal that is as it was. After SIGTSTP the shell has it meanwhile.
  leave();
  int const what = ends ? number : SIGSTOP;
  handle(number, ends ? SIG_DFL : note_signal);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, number);
  if (ends) ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(what);
  enter();
}

/// Arrow keys come as three characters.
key screen::read_key() const {
  std::array<char, 64> typed{};
  auto const got = ::read(STDIN_FILENO, typed.data(), typed.size());
  if (got == 0 || (got < 0 && errno != EINTR)) return key::quit;  // the terminal is gone
  std::string_view const text(typed.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
  if (text == "\033[A" || text == "k") return key::up;
  if (text == "\033[B" || text == "j") return key::down;
  return text.find_first_of("qQ") != std::string_view::npos ? key::quit : key::redraw;
}

}  // namespace skua::cli::top
