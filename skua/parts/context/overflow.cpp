// SPDX-License-Identifier: MIT
#include "skua/parts/context/overflow.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/fork_handlers.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/context/stack.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// Signal dispositions belong to the process, so this does too. (overflow.md, section 2)
struct handler_state {
  std::mutex mutex;
  std::size_t watches = 0;
  bool installed = false;          ///< our handler is in the chain, at its head or behind a later one
  struct sigaction previous = {};  ///< the handler behind ours; written before ours is installed, then only read
};
constinit handler_state handler;

/// One message, built without the heap and written with one write(2).
class signal_safe_line {
 public:
  signal_safe_line& operator<<(std::string_view text) noexcept {
    std::size_t const n = std::min(text.size(), sizeof text_ - size_);
    std::memcpy(text_ + size_, text.data(), n);
    size_ += n;
    return *this;
  }
  signal_safe_line& operator<<(std::size_t number) noexcept {
    char digits[20];
    std::size_t first = sizeof digits;
    do {
      digits[--first] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return *this << std::string_view(digits + first, sizeof digits - first);
  }
  void print() const noexcept {
    if (write(STDERR_FILENO, text_, size_) < 0) return;  // stderr is closed: the message is lost
  }

 private:
  char text_[400];
  std::size_t size_ = 0;
};

/// The stack pointer at the fault; 0 on a processor whose registers we do not know.
template <class Registers>
std::uintptr_t stack_pointer_in(Registers const& saved) noexcept {
  if constexpr (requires { saved.gregs; }) {
    return static_cast<std::uintptr_t>(saved.gregs[15]);  // x86-64's REG_RSP, an enumerator that only x86-64 has
  } else if constexpr (requires { saved.sp; }) {
    return static_cast<std::uintptr_t>(saved.sp);  // AArch64
  } else {
    return 0;
  }
}

/// True if a stack pointer here has run into the guard: it is at most a page above the guard's end, because a push, or a leaf
/// function below its stack pointer, touches the guard first; or below that, by at most the largest frame that could fit.
bool ran_into(address_range const& guard, std::size_t stack_bytes, std::uintptr_t stack_pointer) noexcept {
  if (stack_pointer == 0) return true;
  std::uintptr_t const lowest = guard.low - std::min<std::uintptr_t>(guard.low, stack_bytes);
  return lowest <= stack_pointer && stack_pointer < guard.high + 4096;
}

template <class Test>
bool is_full_outside(thread_record const& me, Test const& is_full) noexcept {
  outside_watch const* const own = current_outside_watch();
  return me.running == nullptr && me.owner != nullptr && own != nullptr &&
         is_full(own->native_guard, own->native_bytes);
}

/// Reports which stack is full if the fault was an overflow on this thread. A task that writes into a guard by a wild
/// pointer has its stack pointer elsewhere: that is a plain fault.
void explain(std::uintptr_t address, std::uintptr_t stack_pointer) noexcept {
  tsan::unseen const other_flows_wrote_the_record;
  thread_record* const me = current_thread();
  if (me == nullptr || me->overflow_reported) return;
  signal_safe_line line;
  line << "skua: stack overflow on worker " << std::size_t{me->worker} << ": ";
  auto const is_full = [&](address_range const& guard, std::size_t bytes) {
    return guard.contains(address) && ran_into(guard, bytes, stack_pointer);
  };
  if (me->running != nullptr && is_full(me->running->guard(), me->running->bytes())) {
    line << "its task needs more than the " << me->running->bytes() / 1024
         << " KiB of its stack. If the recursion is meant to be so deep, choose larger stacks with the environment"
            " variable SKUA_STACK or the pool option stack_bytes.\n";
  } else if (is_full(me->native_guard, me->native_bytes)) {
    line << "its thread needs more than the " << me->native_bytes / 1024
         << " KiB of its native stack. If the recursion is meant to be so deep, raise the limit with `ulimit -s`.\n";
  } else if (is_full_outside(*me, is_full)) {
    line
        << "it works for a thread whose call needs more than the " << current_outside_watch()->native_bytes / 1024
        << " KiB of that thread's own stack. If the recursion is meant to be so deep, raise the limit with `ulimit -s`,"
           " give the thread a larger stack, or set SKUA_STACK to twice as much: its calls then run on such stacks.\n";
  } else {
    return;
  }
  me->overflow_reported = true;
  line.print();
}

/// Lets the signal take its default action. After a real fault we return into the faulting instruction, which then
/// kills the process with the right address in the core; a signal that a process sent is sent again.
void die_by(int signal, bool sent) noexcept {
  struct sigaction fatal = {};
  fatal.sa_handler = SIG_DFL;
  sigaction(signal, &fatal, nullptr);
  if (sent) raise(signal);
}

/// Acts as if our handler were not installed.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  bool const sent = info->si_code <= 0;
  struct sigaction const& previous = handler.previous;
  if ((previous.sa_flags & SA_SIGINFO) == 0) {
    // The kernel does not let a process ignore its own faults.
    if (previous.sa_handler == SIG_IGN && sent) return;
    if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) return die_by(signal, sent);
  }
  if ((previous.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) die_by(signal, false);
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else {
    previous.sa_handler(signal);
  }
}

void on_fault(int signal, siginfo_t* info, void* context) noexcept {
  int const errno_before = errno;
  if (info->si_code > 0) {
    explain(reinterpret_cast<std::uintptr_t>(info->si_addr),
            stack_pointer_in(static_cast<ucontext_t const*>(context)->uc_mcontext));
  }
  pass_on(signal, info, context);
  errno = errno_before;
}

bool is_ours(struct sigaction const& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_fault;
}

[[noreturn]] void refuse(char const* what, int why) {
  throw resource_error(std::string("cannot watch for stack overflows: ") + what + ": " +
                       std::generic_category().message(why));
}

void add_watch() {
  std::lock_guard const lock(handler.mutex);
  if (!handler.installed) {
    if (sigaction(SIGSEGV, nullptr, &handler.previous) != 0) refuse("sigaction", errno);
    struct sigaction ours = {};
    ours.sa_sigaction = on_fault;
    // The handler that we call in turn finds the mask that it asked for.
    ours.sa_mask = handler.previous.sa_mask;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (handler.previous.sa_flags & (SA_NODEFER | SA_RESTART));
    if (sigaction(SIGSEGV, &ours, nullptr) != 0) refuse("sigaction", errno);
    handler.installed = true;
  }
  ++handler.watches;
}

void remove_watch() noexcept {
  std::lock_guard const lock(handler.mutex);
  if (--handler.watches > 0) return;
  struct sigaction now = {};
  // If a later handler precedes ours in the chain it may still call ours, so ours stays.
  if (sigaction(SIGSEGV, nullptr, &now) != 0 || !is_ours(now)) return;
  sigaction(SIGSEGV, &handler.previous, nullptr);
  handler.installed = false;
}

/// Finds the end of this thread's own stack, which flows leave with pointers in it.
template <class Record>
void find_native_stack(Record& record, lsan::roots& native) noexcept {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;  // then native overflows stay unexplained
  void* low = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    auto const lowest = reinterpret_cast<std::uintptr_t>(low);
    // The bounds of a main thread are rounded: a fault a page or two above them is still its overflow.
    record.native_guard = {lowest - guard_bytes, lowest + 2 * static_cast<std::size_t>(sysconf(_SC_PAGESIZE))};
    record.native_bytes = bytes;
    native.add(low, bytes);
  }
  pthread_attr_destroy(&attributes);
}

}  // namespace

signal_stack::signal_stack() {
  stack_t before{};
  if (sigaltstack(nullptr, &before) != 0) refuse("sigaltstack", errno);
  if ((before.ss_flags & SS_DISABLE) == 0) return;
  // The kernel's frame grows with the processor's registers, and a foreign handler behind ours needs room, too.
  long const wanted = sysconf(_SC_SIGSTKSZ);
  bytes_ = std::max(std::size_t{64} << 10, wanted > 0 ? static_cast<std::size_t>(wanted) : 0);
  void* const mapping = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED) refuse("mmap of the signal stack", errno);
  stack_t ours{};
  ours.ss_sp = mapping;
  ours.ss_size = bytes_;
  if (sigaltstack(&ours, nullptr) != 0) {
    int const why = errno;
    munmap(mapping, bytes_);
    refuse("sigaltstack", why);
  }
  mapping_ = mapping;
}

signal_stack::~signal_stack() {
  if (mapping_ == nullptr) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  // The kernel refuses while a handler runs on it; then the mapping must stay.
  if (sigaltstack(&none, nullptr) == 0) munmap(mapping_, bytes_);
}

overflow_watch::overflow_watch(thread_record& record) {
  find_native_stack(record, native_);
  record.overflow_reported = false;
  add_watch();
}

overflow_watch::~overflow_watch() { remove_watch(); }

namespace {

struct watch_with_signals : outside_watch {
  signal_stack signals;
  lsan::roots native;
};

/// Room for the watch of the thread that runs `main`. It ends with the process, and no destructor of a key runs then: a watch on the heap
/// would be what leak checkers find at the end.
class first_watch {
 public:
  /// Null: the calling thread is another one, or the room has been used (by the thread that called fork(), say).
  [[nodiscard]] watch_with_signals* make() {
    if (::getpid() != ::gettid() || is_used_.exchange(true, std::memory_order_relaxed))
      return nullptr;  // relaxed: once
    return new (room_) watch_with_signals;
  }
  /// Returns false for another watch.
  [[nodiscard]] bool destroy(watch_with_signals* one) noexcept {
    if (static_cast<void*>(one) != room_) return false;
    one->~watch_with_signals();
    return true;
  }

 private:
  alignas(watch_with_signals) std::byte room_[sizeof(watch_with_signals)]{};
  std::atomic<bool> is_used_{false};
};
constinit first_watch of_main;

struct watch_end {
  void operator()(watch_with_signals* one) const noexcept {
    if (!of_main.destroy(one)) delete one;
  }
};

/// For threads to which the system refuses a watch: they do not ask again.
constexpr outside_watch refused_watch;

/// A thread takes its watch off at its end by a key of the process. It goes with this library's code, which dlclose may
/// unload before the threads end.
struct outside_key_state {
  std::mutex mutex;
  bool is_made = false;
  bool is_closed = false;
  pthread_key_t key{};
};
constinit outside_key_state outside_key;
/// A child of fork() finds neither lock taken by a thread that it does not have. Both are held for moments, and whoever holds one waits for no other.
void lock_over_fork() noexcept {
  handler.mutex.lock();
  outside_key.mutex.lock();
}
void unlock_after_fork() noexcept {
  outside_key.mutex.unlock();
  handler.mutex.unlock();
}
[[gnu::init_priority(before_static_objects)]] fork_handlers const locks_go_over_fork{
    &lock_over_fork, &unlock_after_fork, &unlock_after_fork};

struct outside_key_end {
  ~outside_key_end() {
    std::lock_guard const lock(outside_key.mutex);
    if (outside_key.is_made && !outside_key.is_closed) pthread_key_delete(outside_key.key);
    outside_key.is_closed = true;
  }
} const key_goes_with_the_library;

void remove_outside_watch(void* mine) noexcept {
  set_current_outside_watch(nullptr);
  static_cast<void>(thread_number());  // for ThreadSanitizer: another flow of this thread may have made it
  watch_end{}(static_cast<watch_with_signals*>(mine));
}

void keep_until_thread_ends(watch_with_signals& mine) {
  std::lock_guard const lock(outside_key.mutex);
  if (!outside_key.is_made) {
    if (int const why = pthread_key_create(&outside_key.key, &remove_outside_watch); why != 0) {
      refuse("pthread_key_create", why);
    }
    outside_key.is_made = true;
  }
  int const why = outside_key.is_closed ? EINVAL : pthread_setspecific(outside_key.key, &mine);
  if (why != 0) refuse("pthread_setspecific", why);
}

[[gnu::cold, gnu::noinline]] void watch_new_thread() noexcept {
  set_current_outside_watch(&refused_watch);
  try {
    std::unique_ptr<watch_with_signals, watch_end> mine(of_main.make());
    if (mine == nullptr) mine.reset(new watch_with_signals);
    find_native_stack(*mine, mine->native);
    if (mine->native_bytes != 0) {
      mine->lowest = mine->native_guard.low + guard_bytes;
      mine->usable = mine->native_bytes;
    }
    keep_until_thread_ends(*mine);
    set_current_outside_watch(mine.release());
  } catch (std::exception const&) {  // its overflows stay unexplained
  }
}

}  // namespace

outside_watch const& watch_thread_from_outside() noexcept {
  if (outside_watch const* const known = current_outside_watch()) [[likely]]
    return *known;
  watch_new_thread();
  return *current_outside_watch();
}

}}}  // namespace skua::v0::runtime
