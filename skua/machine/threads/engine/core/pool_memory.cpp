// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/core/pool_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "skua/machine/threads/engine/core/about_file.hpp"
#include "skua/machine/threads/engine/core/worker_slot.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/clock.hpp"
#include "skua/parts/base/fork_handlers.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/sanitizer.hpp"

// NOLINTNEXTLINE(bugprone-reserved-identifier): LeakSanitizer chose the name
extern "C" [[gnu::weak]] void __lsan_register_root_region(void const* begin, std::size_t size);

namespace skua { inline namespace v0 { namespace runtime {

namespace {

constexpr std::size_t page_bytes = 4096;
/// Of memfd_create, since Linux 6.3: without it newer kernels complain. The headers of older systems lack it.
constexpr unsigned not_executable = 8;

constexpr std::size_t rounded_up(std::size_t n, std::size_t to) noexcept { return (n + to - 1) / to * to; }

int make_file() noexcept {
  int const file = ::memfd_create(shared_pool_name, MFD_CLOEXEC | MFD_ALLOW_SEALING | not_executable);
  return file < 0 && errno == EINVAL ? ::memfd_create(shared_pool_name, MFD_CLOEXEC | MFD_ALLOW_SEALING) : file;
}

/// False if a file of this size would exceed the limit, which ends the process by SIGXFSZ.
bool may_have_file_of(std::size_t bytes) noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes <= limit.rlim_cur;
}

std::byte* map_private(std::size_t bytes) noexcept {
  void* const all = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return all == MAP_FAILED ? nullptr : static_cast<std::byte*>(all);
}

}  // namespace

/// All shared memories of this process, for fork().
class pool_memories {
 public:
  static void add(pool_memory& m) noexcept {
    std::lock_guard const hold(changing());
    m.next_ = std::exchange(first(), &m);
  }
  static void remove(pool_memory const& m) noexcept {
    std::lock_guard const hold(changing());
    pool_memory** at = &first();
    while (*at != nullptr && *at != &m) at = &(*at)->next_;
    if (*at != nullptr) *at = m.next_;
  }

  static void before() {
    changing().lock();
    for (pool_memory* m = first(); m != nullptr; m = m->next_) m->before_fork();
  }
  static void in_parent() {
    for (pool_memory* m = first(); m != nullptr; m = m->next_) m->after_fork(false);
    changing().unlock();
  }
  static void in_child() {
    for (pool_memory* m = std::exchange(first(), nullptr); m != nullptr; m = m->next_) m->after_fork(true);
    changing().unlock();
  }

 private:
  // Process-wide, because fork() is.
  static std::mutex& changing() noexcept {
    static std::mutex lock;
    return lock;
  }
  static pool_memory*& first() noexcept {
    static pool_memory* list = nullptr;
    return list;
  }
};

// Without memory for the handlers a child has a hole where the memory lies in its parent (attach.md, "fork").
[[gnu::init_priority(before_static_objects)]] static fork_handlers const memories_over_fork{
    &pool_memories::before, &pool_memories::in_parent, &pool_memories::in_child};

pool_memory::pool_memory(layout const& map, bool counts_forks)
    : slots_at_(rounded_up(sizeof(shared_pool) + map.workers() * sizeof(worker_record), page_bytes)),
      bytes_(rounded_up(slots_at_ + shared_regions_max * map.workers() * sizeof(worker_slot), page_bytes)) {
  if (!share(std::min(bytes_, slots_at_ + map.workers() * sizeof(worker_slot)))) base_ = map_private(bytes_);
  if (base_ == nullptr) throw std::bad_alloc();
  auto& pool = *new (base_) shared_pool;
  pool.process = static_cast<std::uint32_t>(::getpid());
  pool.bytes = bytes_;
  pool.opened_ns = clock_ns();
  pool.workers = map.workers();
  pool.counts_forks = counts_forks ? 1 : 0;
  pool.slot_bytes = sizeof(worker_slot);
  pool.workers_at = sizeof(shared_pool);
  pool.slots_at = slots_at_;
  for (std::uint32_t i = 0; i < map.workers(); ++i) {
    worker_id const w{i};
    auto& record = *new (&record_of(w)) worker_record;
    record.place = index(map.place_of(w));
    if (map.pu_of(w) != no_index) record.processor = static_cast<std::int32_t>(map.pu_of(w));
  }
  // release: all of the above. Pairs with: attached_pool, its constructor.
  pool.magic.store(shared_pool_magic, std::memory_order_release);
  if (is_shared()) pool_memories::add(*this);
}

pool_memory::~pool_memory() {
  if (is_shared()) {
    pool_memories::remove(*this);
    close_file();
  }
  ::munmap(base_, bytes_);
}

/// Returns false, without effect, if the system refuses.
bool pool_memory::share(std::size_t at_first) noexcept {
  if (!may_have_file_of(bytes_)) return false;
  int const file = make_file();
  if (file < 0) return false;
  // Pages that are allocated now cannot be missing later, when a worker would get SIGBUS. The seals keep every process from
  // truncating the file.
  bool const whole = ::ftruncate(file, static_cast<off_t>(bytes_)) == 0 &&
                     ::fallocate(file, 0, 0, static_cast<off_t>(at_first)) == 0 &&
                     ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  void* const all = whole ? ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (all != MAP_FAILED && ::madvise(all, bytes_, MADV_DONTFORK) == 0) {
    base_ = static_cast<std::byte*>(all);
    file_ = file;
    inode_ = about_file(file).st_ino;
    return true;
  }
  if (all != MAP_FAILED) ::munmap(all, bytes_);
  ::close(file);
  return false;
}

/// The program may have closed all files that it does not know, and another file may have the number now.
bool pool_memory::has_file() const noexcept { return is_shared() && about_file(file_).st_ino == inode_; }

void pool_memory::close_file() noexcept {
  if (has_file()) ::close(file_);
  file_ = -1;
}

worker_record& pool_memory::record_of(worker_id w) const noexcept {
  return reinterpret_cast<worker_record*>(base_ + sizeof(shared_pool))[index(w)];
}

std::size_t pool_memory::block_bytes() const noexcept { return std::size_t{head().workers} * head().slot_bytes; }

region_record& pool_memory::region_at(std::byte const* room) const noexcept {
  return head().regions[(static_cast<std::size_t>(room - base_) - slots_at_) / block_bytes()];
}

/// Pages for a block of slots, so that they cannot be missing later.
bool pool_memory::allocate(std::size_t at) const noexcept {
  return has_file() && ::fallocate(file_, 0, static_cast<off_t>(at), static_cast<off_t>(block_bytes())) == 0;
}

std::byte* pool_memory::take_slots() noexcept {
  // AddressSanitizer looks for pointers to what was allocated, and for accesses beyond it, on the heap only.
  if (asan::watches()) return nullptr;
  for (std::uint32_t i = 0; i < shared_regions_max; ++i) {
    std::uint64_t free = region_record::unused;
    // acquire: the end of the slots that were here. Pairs with: give_slots, store.
    if (!head().regions[i].number.compare_exchange_strong(free, region_record::being_filled, std::memory_order_acquire,
                                                          std::memory_order_relaxed))
      continue;
    std::size_t const at = slots_at_ + i * block_bytes();
    if (i > 0 && is_shared() && !allocate(at)) {
      give_slots(base_ + at);
      return nullptr;
    }
    return base_ + at;
  }
  return nullptr;
}

void pool_memory::show(std::byte const* room, worker_slot const& first, std::uint32_t workers, std::uint64_t number,
                       std::string_view policy) const noexcept {
  auto const offset = [room](void const* word) {
    return static_cast<std::uint32_t>(static_cast<std::byte const*>(word) - room);
  };
  auto const of_deque = [&offset](auto const& d) {
    auto const [bottom, top] = d.published();
    return lane_words{offset(bottom), offset(top)};
  };
  region_record& region = region_at(room);
  region.workers = workers;
  region.step = static_cast<std::uint32_t>(deque<>::step);
  region.policy = {};
  policy.copy(region.policy.data(), region.policy.size() - 1);
  region.spawned = of_deque(first.spawned);
  region.inbox = offset(first.inbox.published());
  region.placed = {offset(first.local.published()), offset(first.migrated.published()),
                   offset(first.mailbox.published()), offset(first.next.published()), offset(first.nodes.published())};
  // release: the above and the slots. Pairs with: attached_pool::read_lanes, first load.
  region.number.store(number, std::memory_order_release);
}

void pool_memory::hide(std::byte const* room) const noexcept {
  // relaxed, and the fence: later writes to the slots come after it. Pairs with: attached_pool::read_lanes, fence.
  region_at(room).number.store(region_record::being_filled, std::memory_order_relaxed);
  full_fence();
}

void pool_memory::give_slots(std::byte const* room) const noexcept {
  // release: the end of the slots. Pairs with: take_slots.
  region_at(room).number.store(region_record::unused, std::memory_order_release);
}

void pool_memory::stays() const noexcept {
  if (__lsan_register_root_region == nullptr) return;
  for (std::uint32_t i = 0; i < shared_regions_max; ++i) {
    // relaxed: a region that opens later is not accounted for
    if (head().regions[i].number.load(std::memory_order_relaxed) == region_record::unused) continue;
    __lsan_register_root_region(base_ + slots_at_ + i * block_bytes(), block_bytes());
  }
}

void pool_memory::before_fork() noexcept {
  tsan::unseen const of_workers;  // which write meanwhile; the child has none of them
  copy_ = map_private(bytes_);
  if (copy_ == nullptr) return;
  std::memcpy(copy_, base_, slots_at_);
  for (std::uint32_t i = 0; i < shared_regions_max; ++i) {
    // relaxed: the child continues in regions that its own thread has seen
    if (head().regions[i].number.load(std::memory_order_relaxed) == region_record::unused) continue;
    std::size_t const at = slots_at_ + i * block_bytes();
    std::memcpy(copy_ + at, base_ + at, block_bytes());
  }
}

void pool_memory::after_fork(bool is_child) noexcept {
  std::byte* const copy = std::exchange(copy_, nullptr);
  if (!is_child) {
    if (copy != nullptr) ::munmap(copy, bytes_);
    return;
  }
  close_file();
  if (copy != nullptr) ::mremap(copy, bytes_, bytes_, MREMAP_MAYMOVE | MREMAP_FIXED, base_);
}

}}}  // namespace skua::v0::runtime
