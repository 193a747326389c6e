// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>

#include "skua/parts/base/checksum.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/base/regular_file.hpp"
#include "skua/parts/base/whole_file.hpp"

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
  throw usage_error("checkpoint " + runtime::printable(path) + " is damaged: " + how);
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

bytes encode_with_footprints(task_record const& record, std::span<std::uint64_t const> entries) {
  bytes all = encode(record, entries);
  if (!record.has_footprints()) return all;
  for (std::uint64_t const e : entries) {
    task_record::footprint const needs = record.footprint_of(e);
    put(all, &needs, sizeof needs);
  }
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
  if (packed.empty()) return;
  for (std::uint64_t e = to.size() - count; e < to.size(); ++e) {
    task_record::footprint needs;
    std::memcpy(&needs, packed.data(), sizeof needs);
    packed = packed.subspan(sizeof needs);
    to.set_footprint(e, needs);
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
  bytes all;
  put(all, first_line.data(), first_line.size());
  put_number(all, 0);  // for now
  put_number(all, 0);
  std::size_t const head = all.size();
  put_block(all, of.collection);
  put_block(all, of.task_type);
  put_number(all, of.task_bytes);
  put_number(all, of.is_serialized ? 1 : 0);
  put_number(all, of.version);
  put_number(all, saved.ranks);
  put_number(all, saved.records.size());
  for (bytes const& r : saved.records) put_block(all, r);
  put_block(all, saved.state);
  runtime::checksum sum;
  sum.add(std::span(all).subspan(head));
  std::array<std::uint64_t, 2> const of_the_rest{all.size() - head, sum.value()};
  std::memcpy(all.data() + first_line.size(), of_the_rest.data(), sizeof of_the_rest);
  std::string_view const text(reinterpret_cast<char const*>(all.data()), all.size());
  runtime::write_fault const fault = runtime::try_write_whole_file(path, text, {.flushed = true});
  if (fault.is_special) runtime::refuse_special_file("checkpoint", path);
  if (fault)
    throw resource_error("checkpoint " + runtime::printable(path) + ": cannot be written: " + fault.in_words());
}

saved_records read_checkpoint(std::string const& path, checkpoint_identity const& wanted, slot_shape const& shape) {
  bytes const all = runtime::read_regular_file("checkpoint", path);
  source from(all, path);
  std::string head(first_line.size(), ' ');
  from.take(head.data(), head.size());
  if (head != first_line)
    throw usage_error("checkpoint " + runtime::printable(path) + " is no checkpoint of this version");
  std::uint64_t const length = from.number();
  std::uint64_t const checksum = from.number();
  if (length > from.left().size()) damaged(path, "it ends too early");
  if (length < from.left().size()) damaged(path, "it has data after its end");
  runtime::checksum sum;
  sum.add(from.left());
  if (sum.value() != checksum) damaged(path, "its checksum is not that of its content");
  checkpoint_identity const found{from.text(), from.text(), from.number(), from.number() != 0, from.number()};
  if (found != wanted) {
    throw usage_error(runtime::printable("checkpoint " + path + " is of the collection " + in_words(found) +
                                         "; wanted: " + in_words(wanted)));
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
