// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>

#include "skua/parts/base/checksum.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

constexpr std::string_view first_line = "skua checkpoint 2\n";

void put(bytes& to, void const* from, std::size_t n) {
  // GCC 12 warns of an overflow in insert() that cannot happen.
  std::size_t const at = to.size();
  to.resize(at + n);
  if (n > 0) std::memcpy(to.data() + at, from, n);
}
void put_number(bytes& to, std::uint64_t n) { put(to, &n, sizeof n); }
template <class Bytes>
void put_block(bytes& to, Bytes const& block) {
  put_number(to, block.size());
  put(to, block.data(), block.size());
}

[[noreturn]] void damaged(std::string const& path, std::string const& how) {
  throw usage_error("checkpoint " + path + " is damaged: " + how);
}

/// Reads what the put functions wrote, and notices missing bytes.
class source {
 public:
  source(std::span<std::byte const> from, std::string const& path) : left_(from), path_(path) {}

  void take(void* to, std::size_t n) {
    if (n > left_.size()) damaged(path_, "it ends too early");
    std::memcpy(to, left_.data(), n);
    left_ = left_.subspan(n);
  }
  [[nodiscard]] std::uint64_t number() {
    std::uint64_t n = 0;
    take(&n, sizeof n);
    return n;
  }
  [[nodiscard]] bytes block() {
    std::uint64_t const n = number();
    if (n > left_.size()) damaged(path_, "it ends too early");
    bytes b(n);
    if (n > 0) take(b.data(), n);
    return b;
  }
  [[nodiscard]] std::string text() {
    bytes const b = block();
    return {reinterpret_cast<char const*>(b.data()), b.size()};
  }
  [[nodiscard]] std::span<std::byte const> left() const noexcept { return left_; }

 private:
  std::span<std::byte const> left_;
  std::string const& path_;
};

[[noreturn]] void refused(std::string const& what, std::string const& path) {
  throw resource_error("checkpoint " + path + ": " + what + ": " + std::strerror(errno));
}

class open_file {
 public:
  open_file(std::string const& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~open_file() {
    if (number_ >= 0) close(number_);
  }
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }
  /// False: the system could not store what was written.
  [[nodiscard]] bool ends_well() noexcept {
    bool const kept = fsync(number_) == 0;
    bool const closed = close(number_) == 0;
    number_ = -1;
    return kept && closed;
  }

 private:
  int number_;
};

bool write_all(int file, std::span<std::byte const> from) {
  while (!from.empty()) {
    ssize_t const n = write(file, from.data(), from.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from = from.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

bytes encode(task_record const& record) {
  std::vector<std::uint64_t> entries(record.size());
  std::iota(entries.begin(), entries.end(), std::uint64_t{0});
  return encode(record, entries);
}

bytes encode(task_record const& record, std::span<std::uint64_t const> entries) {
  bytes all;
  put_number(all, entries.size());
  for (std::uint64_t const e : entries) put_number(all, record.times_ns()[e]);
  for (std::uint64_t const e : entries) record.shape().pack(record.slot(e), all);
  return all;
}

void decode(bytes const& from, task_record& to) {
  std::uint64_t count = 0;
  std::memcpy(&count, from.data(), sizeof count);
  std::byte const* const times = from.data() + sizeof count;
  std::span<std::byte const> packed = std::span(from).subspan((count + 1) * sizeof(std::uint64_t));
  bytes slot(to.shape().bytes());
  for (std::uint64_t e = 0; e < count; ++e) {
    std::uint64_t ns = 0;
    std::memcpy(&ns, times + e * sizeof ns, sizeof ns);
    to.shape().unpack(packed, slot.data());
    to.add(slot.data(), ns);
  }
}

namespace {

/// What is wrong with this output of `encode` in a job of so many ranks; empty: nothing. `decode` may trust the rest.
std::string fault_of(std::span<std::byte const> from, slot_shape const& shape, rank_number ranks) {
  constexpr char const* length = "a rank's tasks have the wrong length";
  std::uint64_t count = 0;
  if (from.size() < sizeof count) return length;
  std::memcpy(&count, from.data(), sizeof count);
  if (count > from.size() / sizeof count - 1) return length;
  from = from.subspan((count + 1) * sizeof count);
  std::string fault;
  for (; count > 0; --count) {
    auto const task = shape.packed_bytes(from);
    if (!task) return length;
    slot_mark const mark = slot_shape::packed_mark(from);
    if (mark.origin >= ranks) {
      fault = "a task is of rank " + std::to_string(mark.origin) + ", and there were " + std::to_string(ranks);
    }
    if (mark.spawned != 0) fault = "a task that another one spawns is recorded";
    from = from.subspan(*task);
  }
  return from.empty() ? fault : length;
}

}  // namespace

std::string in_words(checkpoint_identity const& i) {
  return "'" + i.collection + "' of " + (i.is_serialized ? "serialized tasks" : "tasks") + " of " +
         std::to_string(i.task_bytes) + " bytes (" + i.task_type + ")" +
         (i.version == 0 ? "" : ", version " + std::to_string(i.version));
}

// The first line; the length and the checksum of the rest; the rest.
void write_checkpoint(std::string const& path, checkpoint_identity const& of, saved_records const& saved) {
  bytes rest;
  put_block(rest, of.collection);
  put_block(rest, of.task_type);
  put_number(rest, of.task_bytes);
  put_number(rest, of.is_serialized ? 1 : 0);
  put_number(rest, of.version);
  put_number(rest, saved.ranks);
  put_number(rest, saved.records.size());
  for (bytes const& r : saved.records) put_block(rest, r);
  put_block(rest, saved.state);
  runtime::checksum sum;
  sum.add(rest);
  bytes all;
  put(all, first_line.data(), first_line.size());
  put_number(all, rest.size());
  put_number(all, sum.value());
  put(all, rest.data(), rest.size());
  std::string const beside = path + ".new";
  open_file file(beside, O_WRONLY | O_CREAT | O_TRUNC);
  if (file.number() < 0) refused("cannot be written", path);
  if (!write_all(file.number(), all) || !file.ends_well()) {
    int const why = errno;
    std::remove(beside.c_str());
    errno = why;
    refused("cannot be written", path);
  }
  if (std::rename(beside.c_str(), path.c_str()) != 0) refused("cannot be renamed", path);
}

saved_records read_checkpoint(std::string const& path, checkpoint_identity const& wanted, slot_shape const& shape) {
  open_file const file(path, O_RDONLY);
  if (file.number() < 0) refused("cannot be read", path);
  bytes all;
  bytes piece(1 << 16);
  while (true) {
    ssize_t const n = read(file.number(), piece.data(), piece.size());
    if (n < 0) refused("cannot be read", path);
    if (n == 0) break;
    put(all, piece.data(), static_cast<std::size_t>(n));
  }
  source from(all, path);
  std::string head(first_line.size(), ' ');
  from.take(head.data(), head.size());
  if (head != first_line) throw usage_error("checkpoint " + path + " is no checkpoint of this version");
  std::uint64_t const length = from.number();
  std::uint64_t const checksum = from.number();
  if (length > from.left().size()) damaged(path, "it ends too early");
  if (length < from.left().size()) damaged(path, "it has data after its end");
  runtime::checksum sum;
  sum.add(from.left());
  if (sum.value() != checksum) damaged(path, "its checksum is not that of its content");
  checkpoint_identity const found{from.text(), from.text(), from.number(), from.number() != 0, from.number()};
  if (found != wanted) {
    throw usage_error("checkpoint " + path + " is of the collection " + in_words(found) +
                      "; wanted: " + in_words(wanted));
  }
  saved_records c;
  std::uint64_t const ranks = from.number();
  std::uint64_t const records = from.number();
  if (ranks > std::numeric_limits<rank_number>::max() || records > ranks) {
    damaged(path, "it has the records of " + std::to_string(records) + " of " + std::to_string(ranks) + " ranks");
  }
  c.ranks = static_cast<rank_number>(ranks);
  while (c.records.size() < records) c.records.push_back(from.block());
  c.state = from.block();
  if (!from.left().empty()) damaged(path, "it has data after its end");
  for (bytes const& r : c.records) {
    if (std::string const fault = fault_of(r, shape, c.ranks); !fault.empty()) damaged(path, fault);
  }
  return c;
}

std::vector<bytes> deal_again(saved_records const& saved, slot_shape const& shape, live_ranks const& live) {
  task_record all(shape);
  for (bytes const& r : saved.records) decode(r, all);
  // A task without a measured time still counts.
  auto const weight = [](std::uint64_t ns) { return static_cast<double>(ns) + 1; };
  double const sum = std::accumulate(all.times_ns().begin(), all.times_ns().end(), 0.0,
                                     [&](double s, std::uint64_t ns) { return s + weight(ns); });
  bool const begins_anew = saved.ranks != live.ranks();
  std::vector<std::vector<std::uint64_t>> parts(live.ranks());
  double before = 0;
  for (std::uint64_t e = 0; e < all.size(); ++e) {
    double const middle = before + weight(all.times_ns()[e]) / 2;
    auto const position = static_cast<rank_number>(middle / sum * live.size());
    rank_number const rank = live.at(std::min(position, live.size() - 1));
    if (begins_anew) all.set_origin(e, rank);
    parts[rank].push_back(e);
    before += weight(all.times_ns()[e]);
  }
  std::vector<bytes> encoded;
  encoded.reserve(parts.size());
  for (auto const& entries : parts) encoded.push_back(encode(all, entries));
  return encoded;
}

}}}  // namespace skua::v0::ranks
