// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/mpi/mpi_transport.hpp"

#include <sched.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "skua/machine/ranks/mpi/mpi_check.hpp"
#include "skua/machine/ranks/mpi/mpi_window.hpp"
#include "skua/machine/ranks/transport/process_life.hpp"
#include "skua/parts/base/physical_memory.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

constexpr int letter_tag = 1;
constexpr int body_tag = 2;
constexpr std::size_t ring_size = 16;

}  // namespace

mpi_transport::mpi_transport(MPI_Comm program, mpi_limits limits) : limits_(limits) {
  check_mpi(MPI_Comm_dup(program, &comm_), "duplicate a communicator");
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "set the error handler");
  int n = 0;
  check_mpi(MPI_Comm_rank(comm_, &n), "rank");
  rank_ = static_cast<rank_number>(n);
  check_mpi(MPI_Comm_size(comm_, &n), "size");
  ranks_ = static_cast<rank_number>(n);
  sent_.resize(ranks_);
  find_node(program);
  find_processes();
  ring_.resize(ring_size, std::vector<std::byte>(sizeof(letter_head) + limits_.letter_bytes));
  ring_requests_.resize(ring_size, MPI_REQUEST_NULL);
  for (std::size_t slot = 0; slot < ring_size; ++slot) post(slot);
}

mpi_transport::~mpi_transport() {
  for (parcel_out& out : outgoing_) {
    MPI_Waitall(static_cast<int>(out.requests.size()), out.requests.data(), MPI_STATUSES_IGNORE);
  }
  for (MPI_Request& r : ring_requests_) {
    MPI_Cancel(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  if (!has_lost_) MPI_Comm_free(&comm_);  // collective
}

/// The ranks around this one that share its memory. Ranks of a node that are not neighbours in number are left out.
void mpi_transport::find_node(MPI_Comm program) {
  MPI_Comm node_comm = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(program, MPI_COMM_TYPE_SHARED, static_cast<int>(rank_), MPI_INFO_NULL, &node_comm),
            "split");
  int leader = static_cast<int>(rank_);
  check_mpi(MPI_Bcast(&leader, 1, MPI_INT, 0, node_comm), "broadcast");
  check_mpi(MPI_Comm_free(&node_comm), "free");
  std::vector<int> leaders(ranks_);
  check_mpi(MPI_Allgather(&leader, 1, MPI_INT, leaders.data(), 1, MPI_INT, comm_), "gather");
  node_ = {rank_, rank_ + 1};
  while (node_.first > 0 && leaders[node_.first - 1] == leader) --node_.first;
  while (node_.last < ranks_ && leaders[node_.last] == leader) ++node_.last;
}

void mpi_transport::find_processes() {
  process_name const mine = process_name::own();
  std::vector<process_name> all(ranks_);
  int const n = sizeof(process_name);
  check_mpi(MPI_Allgather(&mine, n, MPI_BYTE, all.data(), n, MPI_BYTE, comm_), "gather");
  for (rank_number r = node_.first; r < node_.last; ++r) {
    bool const is_visible = all[r].space == mine.space && life_of_process(all[r].number) != life::ended;
    processes_.push_back(is_visible ? all[r].number : 0);
  }
}

bool mpi_transport::allows_threads() const noexcept {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level >= MPI_THREAD_FUNNELED;
}

bool mpi_transport::allows_any_thread() const noexcept {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

transport::life mpi_transport::life_of(rank_number rank) const {
  if (rank < node_.first || rank >= node_.last) return life::unknown;
  std::int64_t const process = processes_[rank - node_.first];
  if (process == 0) return life::unknown;
  return life_of_process(process);
}

/// A send to a dead rank may never complete, and MPI may read its memory until the end: that memory is never freed.
void mpi_transport::abandon(rank_number rank) {
  has_lost_ = true;
  static_cast<void>(sum_.release());
  std::erase_if(outgoing_, [&](parcel_out& out) {
    if (out.receiver != rank) return false;
    static_cast<void>(new parcel_out(std::move(out)));
    return true;
  });
}

template <class F>
void mpi_transport::each_piece(std::size_t doubles, F f) const {
  std::size_t const longest = limits_.piece_bytes / sizeof(double);
  for (std::size_t at = 0; at < doubles; at += longest) f(at, static_cast<int>(std::min(longest, doubles - at)));
}

void mpi_transport::sum(std::span<double> own) {
  each_piece(own.size(), [&](std::size_t at, int n) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, own.data() + at, n, MPI_DOUBLE, MPI_SUM, comm_), "sum");
  });
}

/// Fresh memory would cost more than the copy: the system hands it out page by page, at the first touch of each.
mpi_transport::sum_memory mpi_transport::memory_of_sum(std::size_t doubles) {
  if (kept_.doubles >= doubles) return std::exchange(kept_, {});
  kept_ = {};
  return {std::make_unique_for_overwrite<double[]>(doubles), doubles};
}

/// The result is not the caller's memory: that may be gone if a rank dies meanwhile.
void mpi_transport::start_sum(std::span<double const> own) {
  sum_ = std::make_unique<sum_under_way>();
  sum_->result = memory_of_sum(own.size());
  each_piece(own.size(), [&](std::size_t at, int n) {
    check_mpi(MPI_Iallreduce(own.data() + at, sum_->result.first.get() + at, n, MPI_DOUBLE, MPI_SUM, comm_,
                             &sum_->requests.emplace_back(MPI_REQUEST_NULL)),
              "sum");
  });
}

bool mpi_transport::take_sum(std::span<double> to) {
  if (!all_complete(sum_->requests)) return false;
  std::memcpy(to.data(), sum_->result.first.get(), to.size_bytes());
  if (sum_->result.doubles <= limits_.kept_bytes / sizeof(double)) kept_ = std::move(sum_->result);
  sum_.reset();
  return true;
}

/// A rank that leaves with messages on their way to it receives no more, and those who sent them wait.
void mpi_transport::receive_the_rest() {
  class nobody final : public receiver {
    void on_message(message const&) override {}
    void on_sent(std::uint64_t) override {}
  } to;
  if (has_lost_) return;
  std::uint64_t expected = 0;
  MPI_Request counts = MPI_REQUEST_NULL;
  check_mpi(MPI_Ireduce_scatter_block(sent_.data(), &expected, 1, MPI_UINT64_T, MPI_SUM, comm_, &counts),
            "count messages");
  int is_known = 0;
  for (std::uint32_t rounds = 0;; ++rounds) {
    if (poll(to)) rounds = 0;
    if (is_known == 0) check_mpi(MPI_Test(&counts, &is_known, MPI_STATUS_IGNORE), "test");
    if (is_known != 0 && received_ == expected && incoming_.empty() && outgoing_.empty()) return;
    rest(rounds);
  }
}

void mpi_transport::post(std::size_t slot) {
  std::vector<std::byte>& memory = ring_[slot];
  check_mpi(MPI_Irecv(memory.data(), static_cast<int>(memory.size()), MPI_BYTE, MPI_ANY_SOURCE, letter_tag, comm_,
                      &ring_requests_[slot]),
            "receive");
}

mpi_transport::parcel_out mpi_transport::letter_to(rank_number to, message_header head, std::span<std::byte const> body,
                                                   bool follows) {
  head.sender = rank_;
  letter_head const first{head, body.size(), follows ? 1U : 0U};
  parcel_out out;
  out.receiver = to;
  out.letter.resize(sizeof first + (follows ? 0 : body.size()));
  std::memcpy(out.letter.data(), &first, sizeof first);
  if (!follows && !body.empty()) std::memcpy(out.letter.data() + sizeof first, body.data(), body.size());
  check_mpi(MPI_Isend(out.letter.data(), static_cast<int>(out.letter.size()), MPI_BYTE, static_cast<int>(to),
                      letter_tag, comm_, &out.requests.emplace_back(MPI_REQUEST_NULL)),
            "send");
  ++sent_[to];
  return out;
}

void mpi_transport::send_pieces(rank_number to, std::span<std::byte const> body, parcel_out& out) {
  for (std::size_t at = 0; at < body.size(); at += limits_.piece_bytes) {
    std::size_t const n = std::min(limits_.piece_bytes, body.size() - at);
    check_mpi(MPI_Isend(body.data() + at, static_cast<int>(n), MPI_BYTE, static_cast<int>(to), body_tag, comm_,
                        &out.requests.emplace_back(MPI_REQUEST_NULL)),
              "send");
  }
}

void mpi_transport::send(rank_number to, message_header head, std::span<std::byte const> body) {
  bool const follows = body.size() > limits_.letter_bytes;
  parcel_out out = letter_to(to, head, body, follows);
  if (follows) {
    out.copy.assign(body.begin(), body.end());
    send_pieces(to, out.copy, out);
  }
  outgoing_.push_back(std::move(out));
}

void mpi_transport::send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                                  std::uint64_t token) {
  bool const follows = body.size() > limits_.letter_bytes;
  parcel_out out = letter_to(to, head, body, follows);
  if (follows) send_pieces(to, body, out);
  out.token = token;
  out.tells = true;
  outgoing_.push_back(std::move(out));
}

bool mpi_transport::poll(receiver& to) {
  bool const heard = take_letter(to);
  bool const received = !incoming_.empty() && take_bodies(to);
  bool const sent = !outgoing_.empty() && take_completions(to);
  return heard || received || sent;
}

bool mpi_transport::take_letter(receiver& to) {
  int there = 0;
  MPI_Status status;
  check_mpi(MPI_Test(&ring_requests_[oldest_], &there, &status), "receive");
  if (there == 0) return false;
  std::size_t const slot = oldest_;
  oldest_ = (oldest_ + 1) % ring_size;
  ++received_;
  letter_head first;
  std::memcpy(&first, ring_[slot].data(), sizeof first);
  if (first.follows != 0) {
    expect_body(first);
    post(slot);
    return true;
  }
  // Taken from the ring before it is handed over: the receiver may poll.
  std::vector<std::byte> const body(ring_[slot].begin() + sizeof first,
                                    ring_[slot].begin() + static_cast<std::ptrdiff_t>(sizeof first + first.body_bytes));
  post(slot);
  to.on_message({first.head, body});
  return true;
}

void mpi_transport::expect_body(letter_head const& first) {
  parcel_in& in = incoming_.emplace_back();
  in.head = first.head;
  in.body.resize(first.body_bytes);
  for (std::size_t at = 0; at < in.body.size(); at += limits_.piece_bytes) {
    std::size_t const n = std::min(limits_.piece_bytes, in.body.size() - at);
    check_mpi(MPI_Irecv(in.body.data() + at, static_cast<int>(n), MPI_BYTE, static_cast<int>(first.head.sender),
                        body_tag, comm_, &in.requests.emplace_back(MPI_REQUEST_NULL)),
              "receive");
  }
}

bool mpi_transport::take_bodies(receiver& to) {
  auto const complete = std::ranges::find_if(incoming_, [](parcel_in& in) { return all_complete(in.requests); });
  if (complete == incoming_.end()) return false;
  parcel_in const in = std::move(*complete);
  incoming_.erase(complete);
  to.on_message({in.head, in.body});
  return true;
}

bool mpi_transport::take_completions(receiver& to) {
  std::vector<std::uint64_t> told;
  std::erase_if(outgoing_, [&](parcel_out& out) {
    if (!all_complete(out.requests)) return false;
    if (out.tells) told.push_back(out.token);
    return true;
  });
  for (std::uint64_t const token : told) to.on_sent(token);
  return !told.empty();
}

std::uint64_t mpi_transport::now_ns() const noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// MPIs put the windows of a node into /dev/shm if there is one. Some of them do not ask whether it has room: the first store ends the process.
std::uint64_t mpi_transport::room_for_windows() const {
  std::uint64_t const memory = runtime::physical_memory();
  struct statvfs shared{};
  if (::statvfs("/dev/shm", &shared) != 0) return memory;
  return std::min<std::uint64_t>(memory, std::uint64_t{shared.f_bavail} * shared.f_frsize);
}

std::unique_ptr<window> mpi_transport::make_window(window_element type, std::uint64_t elements) {
  return mpi_window::make(comm_, type, elements, node_.last - node_.first == ranks_);
}

void mpi_transport::rest(std::uint32_t rounds) {
  constexpr std::uint32_t polled = 50;
  constexpr std::uint32_t yielded = 100;
  constexpr std::uint32_t longest_us = 200;
  if (rounds < polled) return;
  if (rounds < yielded) {
    sched_yield();
    return;
  }
  usleep(std::min(rounds - yielded + 1, longest_us));
}

}}}  // namespace skua::v0::ranks
