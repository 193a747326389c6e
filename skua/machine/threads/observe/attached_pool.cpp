// SPDX-License-Identifier: MIT
#include "skua/machine/threads/observe/attached_pool.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "skua/machine/threads/engine/core/about_file.hpp"
#include "skua/parts/base/clock.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/settings.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr int tries_max = 100;

/// The size of the file; 0 if it may still shrink, or cannot be sealed.
std::size_t sealed_size(int file) noexcept {
  int const seals = ::fcntl(file, F_GET_SEALS);
  return seals < 0 || (seals & F_SEAL_SHRINK) == 0 ? 0 : static_cast<std::size_t>(about_file(file).st_size);
}

std::string version_text(std::uint32_t found) {
  return "the program shares its counters in version " + std::to_string(found) + ", and this command reads version " +
         std::to_string(shared_pool_version) + "; use the command of the Skua that the program was built with";
}

/// The words of one slot. Its process writes them meanwhile.
class slot_words {
 public:
  slot_words(std::byte const* slot, std::uint32_t bytes) noexcept : slot_(slot), bytes_(bytes) {}

  [[nodiscard]] std::uint64_t count(std::uint32_t at) const noexcept {
    std::uint64_t const n = word(at);
    return n > most ? 0 : n;  // the owner has reset it to zero meanwhile
  }
  [[nodiscard]] std::uint64_t length(lane_words const& of, std::uint32_t step) const noexcept {
    auto const top = static_cast<std::int64_t>(word(of.top) & ~std::uint64_t{3});
    auto const bottom = static_cast<std::int64_t>(word(of.bottom));
    if (step == 0 || bottom <= top) return 0;
    std::uint64_t const n = (static_cast<std::uint64_t>(bottom) - static_cast<std::uint64_t>(top)) / step;
    return n > most ? 0 : n;
  }

 private:
  static constexpr std::uint64_t most = std::uint64_t{1} << 48;  // a larger value is a torn read

  [[nodiscard]] std::uint64_t word(std::uint32_t at) const noexcept {
    if (at % alignof(std::uint64_t) != 0 || at > bytes_ - sizeof(std::uint64_t)) return 0;
    // relaxed: each word is a hint of its own
    return reinterpret_cast<std::atomic<std::uint64_t> const*>(slot_ + at)->load(std::memory_order_relaxed);
  }

  std::byte const* slot_;
  std::uint32_t bytes_;
};

std::string text_of(std::array<char, 64> const& name) {
  return {name.begin(), std::find(name.begin(), name.end(), '\0')};
}

}  // namespace

attached_pool::attached_pool(int file) : bytes_(sealed_size(file)), inode_(about_file(file).st_ino) {
  if (bytes_ < sizeof(shared_pool)) throw error("it is no pool of Skua");
  void* const all = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (all == MAP_FAILED) throw error("its memory cannot be mapped");
  base_ = static_cast<std::byte*>(all);
  auto const refuse = [this](std::string const& why) {
    ::munmap(base_, bytes_);
    throw error(why);
  };
  // acquire: all that was written before. Pairs with: pool_memory, last store of its constructor.
  if (head().magic.load(std::memory_order_acquire) != shared_pool_magic) refuse("it is no pool of Skua, or not yet");
  if (head().version != shared_pool_version) refuse(version_text(head().version));
  workers_ = head().workers;
  slot_bytes_ = head().slot_bytes;
  counts_forks_ = head().counts_forks != 0;
  workers_at_ = head().workers_at;
  slots_at_ = head().slots_at;
  // No sum overflows: each term is below 2^48.
  bool const is_sound = workers_ > 0 && workers_ <= max_workers && slot_bytes_ >= sizeof(std::uint64_t) &&
                        slot_bytes_ % cache_line_bytes == 0 && slots_at_ <= bytes_ && workers_at_ <= slots_at_ &&
                        workers_at_ % alignof(worker_record) == 0 && slots_at_ % cache_line_bytes == 0 &&
                        workers_at_ + std::uint64_t{workers_} * sizeof(worker_record) <= slots_at_ &&
                        slots_at_ + shared_regions_max * std::uint64_t{workers_} * slot_bytes_ <= bytes_;
  if (!is_sound) refuse("its sizes are inconsistent");
  // relaxed: the next call from outside sees it
  head().times_asked.fetch_add(shared_pool::asked_outside, std::memory_order_relaxed);
}

attached_pool::~attached_pool() {
  // relaxed: as above
  head().times_asked.fetch_sub(shared_pool::asked_outside, std::memory_order_relaxed);
  ::munmap(base_, bytes_);
}

bool attached_pool::is_of(int file) const noexcept { return about_file(file).st_ino == inode_; }

pool_snapshot attached_pool::snapshot() const {
  pool_snapshot all{
      .at_ns = clock_ns(), .opened_ns = head().opened_ns, .has_lanes = false, .regions = {}, .workers = {}};
  all.permitted = head().permitted.load(std::memory_order_relaxed);       // relaxed, all: hints
  all.code = head().calls.code.load(std::memory_order_relaxed);           // as above
  all.call_bounds = head().calls.bounds.load(std::memory_order_relaxed);  // as above
  all.workers.reserve(workers_);
  for (std::uint32_t w = 0; w < workers_; ++w) all.workers.push_back(snapshot_of(w, all.at_ns));
  for (std::size_t r = 0; r < shared_regions_max; ++r) all.has_lanes |= read_lanes(r, all);
  std::ranges::sort(all.regions, {}, &region_snapshot::number);
  return all;
}

worker_snapshot attached_pool::snapshot_of(std::uint32_t w, std::uint64_t now_ns) const {
  auto const& record = reinterpret_cast<worker_record const*>(base_ + workers_at_)[w];
  worker_snapshot all;
  all.place = record.place;
  all.processor = record.processor;
  all.calls = record.calls.read();
  for (int tries = 0; tries < tries_max; ++tries) {
    if (auto const seen = record.counts.times.try_at(now_ns)) {
      all.now = seen->since_then;
      all.counters = record.counts.with(seen->times, counts_forks_);
      return all;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(tries < 10 ? 0 : 1000));
  }
  throw error("worker " + std::to_string(w) + " was stopped while it wrote down its time");
}

/// Adds the lengths of one region's lanes. Returns false if there is no such region, or if it ended meanwhile.
bool attached_pool::read_lanes(std::size_t region, pool_snapshot& into) const {
  region_record const& record = head().regions[region];
  // acquire: the record. Pairs with: pool_memory::show.
  std::uint64_t const number = record.number.load(std::memory_order_acquire);
  if (number == region_record::unused || number == region_record::being_filled) return false;
  std::uint32_t const members = std::min(record.workers, workers_);
  std::byte const* const slots = base_ + slots_at_ + region * workers_ * slot_bytes_;
  region_snapshot const about{.number = number, .policy = text_of(record.policy), .workers = members};
  std::vector<lane_lengths> lengths(members);
  for (std::uint32_t w = 0; w < members; ++w) {
    slot_words const slot(slots + std::size_t{w} * slot_bytes_, slot_bytes_);
    lengths[w] = {slot.length(record.spawned, record.step), slot.count(record.inbox), 0};
    for (std::uint32_t const at : record.placed) lengths[w].placed += slot.count(at);
  }
  full_fence();  // the slots before the number. Pairs with: pool_memory::hide
  if (record.number.load(std::memory_order_relaxed) != number) return false;  // relaxed: as said
  into.regions.push_back(about);
  for (std::uint32_t w = 0; w < members; ++w) {
    into.workers[w].lanes += lengths[w];
  }
  return true;
}

}}}  // namespace skua::v0::runtime
