// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/simulated/simulated_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "skua/machine/ranks/protocol/process_engine.hpp"
#include "skua/machine/ranks/simulated/calendar.hpp"
#include "skua/machine/ranks/simulated/network.hpp"
#include "skua/machine/ranks/simulated/waiting_thieves.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

constexpr std::uint32_t collection = 1;
constexpr std::uint64_t events_between_interruption_points = 4096;

/// An entry of the calendar. Few have a body: stolen tasks.
struct happening {
  enum class kind : std::uint8_t { arrival, completion, task_end, wake, request };
  kind event = kind::wake;
  std::uint32_t rank = 0;
  std::uint64_t token = 0;
  message_header head;
  std::vector<std::byte> body;
};

per_rank spread(std::span<double const> values) {
  double sum = 0;
  double squares = 0;
  for (double v : values) sum += v;
  double const mean = sum / static_cast<double>(values.size());
  for (double v : values) squares += (v - mean) * (v - mean);
  return {mean, std::sqrt(squares / static_cast<double>(values.size()))};
}

}  // namespace

class simulated_ranks::world final {
 public:
  world(cluster const& where, std::uint32_t ranks, std::span<std::uint64_t const> durations,
        simulation_options const& options)
      : cluster_(where), durations_(durations), network_(where, ranks), thieves_(ranks, options.seed),
        longest_pause_ns_(options.longest_pause_ns),
        every_attempt_(options.every_attempt || options.lifelines || where.polling),
        interruption_point_(options.interruption_point) {
    for (std::uint32_t r = 0; r < ranks; ++r) members_.emplace_back(*this, r, ranks, options);
    executed_.resize(ranks);
  }

  void seed(std::uint32_t rank, std::uint32_t task) { seeds_of(rank).push_back(task); }

  simulated_iteration process();

  std::vector<std::vector<std::uint32_t>> executed_;
  bool steals_ = true;

 private:
  /// One rank: its end of the network, its queue and its engine.
  struct member final : transport {
    member(world& w, std::uint32_t r, std::uint32_t ranks, simulation_options const& o)
        : all(w), number(r), count(ranks), queue(sizeof(std::uint32_t)),
          engine({.collection = collection,
                  .seed = o.seed,
                  .steals = o.steals,
                  .first_pause_ns = o.first_pause_ns,
                  .longest_pause_ns = o.longest_pause_ns,
                  .patience_ns = w.cluster_.polling ? o.patience_ns : 0,
                  .oldest_first = w.cluster_.polling,
                  .lifelines = o.lifelines},
                 queue, *this) {}

    [[nodiscard]] rank_number rank() const noexcept override { return number; }
    [[nodiscard]] rank_number ranks() const noexcept override { return count; }
    [[nodiscard]] neighbours node() const noexcept override {
      std::uint32_t const size = all.cluster_.ranks_per_node;
      std::uint32_t const first = number / size * size;
      return {first, std::min(first + size, count)};
    }
    void send(rank_number to, message_header head, std::span<std::byte const> body) override {
      head.sender = number;
      all.deliver(to, head, body);
    }
    void send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                       std::uint64_t token) override {
      head.sender = number;
      std::uint64_t const out_ns = all.deliver(to, head, body);
      all.add(out_ns, happening::kind::completion, number, token);
    }
    bool poll(receiver&) override { return false; }
    [[nodiscard]] std::uint64_t now_ns() const noexcept override { return all.now_ns_; }
    void rest(std::uint32_t) override {}

    world& all;
    std::uint32_t number;
    std::uint32_t count;
    split_queue queue;
    process_engine engine;
    task_count tasks;
    std::uint32_t running = 0;  ///< the task
    bool runs = false;
    bool left = false;
    std::uint64_t began_ns = 0;
    std::uint64_t wakes_at_ns = 0;
    std::vector<std::uint32_t> kept;  ///< payloads of messages that wait for the end of the task (polling)
  };

  std::vector<std::uint32_t>& seeds_of(std::uint32_t rank) {
    if (seeds_.empty()) seeds_.resize(members_.size());
    return seeds_[rank];
  }

  std::uint32_t payload() {
    if (!free_.empty()) {
      std::uint32_t const p = free_.back();
      free_.pop_back();
      return p;
    }
    happenings_.emplace_back();
    return static_cast<std::uint32_t>(happenings_.size() - 1);
  }

  void add(std::uint64_t at_ns, happening::kind is, std::uint32_t rank, std::uint64_t token = 0) {
    std::uint32_t const p = payload();
    happenings_[p].event = is;
    happenings_[p].rank = rank;
    happenings_[p].token = token;
    calendar_.add(at_ns, p);
  }

  std::uint64_t deliver(std::uint32_t to, message_header const& head, std::span<std::byte const> body);
  void drive(member& m);
  void search(member& m);
  void wake_for_next_attempt(member& m);
  void wait(member& m);
  void request(member& m);
  void note(member const& m);
  [[nodiscard]] std::uint64_t round_trip_ns() const noexcept;
  void take(happening& h);
  void hear(member& m, happening& h);
  void end_task(member& m);
  void account_busy(std::uint64_t from_ns, std::uint64_t to_ns);
  [[nodiscard]] simulated_iteration result() const;
  void fill_busy(simulated_iteration& r) const;

  cluster const cluster_;
  std::span<std::uint64_t const> durations_;
  std::deque<member> members_;
  std::vector<std::vector<std::uint32_t>> seeds_;
  simulated_network network_;
  waiting_thieves thieves_;
  std::uint64_t waiting_ = 0;
  std::uint64_t longest_pause_ns_;
  bool every_attempt_;
  void (*interruption_point_)();
  rank_calendar calendar_;
  std::deque<happening> happenings_;
  std::vector<std::uint32_t> free_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t began_ns_ = 0;
  std::uint64_t last_task_ns_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t still_here_ = 0;
  std::uint32_t epoch_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> intervals_;  ///< of tasks, for the utilisation
};

/// Returns the time from which the sender may continue.
std::uint64_t simulated_ranks::world::deliver(std::uint32_t to, message_header const& head,
                                              std::span<std::byte const> body) {
  auto const [out_ns, arrives_ns] = network_.carry(head.sender, to, body.size(), now_ns_);
  std::uint32_t const p = payload();
  happening& h = happenings_[p];
  h.event = happening::kind::arrival;
  h.rank = to;
  h.head = head;
  h.body.assign(body.begin(), body.end());
  calendar_.add(arrives_ns, p);
  ++messages_;
  return out_ns;
}

simulated_iteration simulated_ranks::world::process() {
  began_ns_ = now_ns_;
  messages_ = events_ = 0;
  last_task_ns_ = now_ns_;
  still_here_ = members_.size();
  intervals_.clear();
  ++epoch_;
  network_.reset(now_ns_);
  for (member& m : members_) {
    executed_[m.number].clear();
    std::vector<std::uint32_t>& seeds = seeds_of(m.number);
    // The queue returns the newest first.
    for (std::size_t i = seeds.size(); i-- > 0;) m.queue.push(&seeds[i]);
    m.tasks = {seeds.size(), 0};
    seeds = {};
    m.runs = m.left = false;
    m.wakes_at_ns = 0;
    m.engine.stealing(steals_);
    m.engine.begin(epoch_);
  }
  for (member& m : members_) drive(m);
  for (member& m : members_) note(m);
  while (still_here_ > 0) {
    if (auto const later = calendar_.ahead(16)) fetch_early(happenings_[*later]);
    if (auto const next = calendar_.ahead(8)) fetch_early(members_[happenings_[*next].rank]);
    auto const [at_ns, p] = calendar_.take();
    now_ns_ = at_ns;
    if (++events_ % events_between_interruption_points == 0 && interruption_point_ != nullptr) interruption_point_();
    happening h = std::move(happenings_[p]);
    free_.push_back(p);
    take(h);
  }
  simulated_iteration const r = result();
  calendar_.clear([&](std::uint32_t p) { free_.push_back(p); });  // wakes of ranks that have left
  runtime::invariant(waiting_ == 0, "who has left searches no more");
  thieves_.clear();
  return r;
}

void simulated_ranks::world::take(happening& h) {
  member& m = members_[h.rank];
  switch (h.event) {
    case happening::kind::arrival:
      if (cluster_.polling && m.runs) {
        std::uint32_t const p = payload();
        happenings_[p] = std::move(h);
        m.kept.push_back(p);
        return;
      }
      hear(m, h);
      break;
    case happening::kind::completion: m.engine.on_sent(h.token); break;
    case happening::kind::task_end: end_task(m); break;
    case happening::kind::request:
      if (!thieves_.waits(m.number) || thieves_.due_ns(m.number) != now_ns_) return;  // it has drawn again since
      request(m);
      break;
    case happening::kind::wake: break;
  }
  drive(m);
  m.engine.feed();
  note(m);
}

void simulated_ranks::world::hear(member& m, happening& h) { m.engine.on_message({h.head, h.body}); }

void simulated_ranks::world::end_task(member& m) {
  m.runs = false;
  ++m.tasks.executed;
  executed_[m.number].push_back(m.running);
  last_task_ns_ = now_ns_;
  account_busy(m.began_ns, now_ns_);
  std::vector<std::uint32_t> const waiting = std::exchange(m.kept, {});
  for (std::uint32_t const p : waiting) {
    happening h = std::move(happenings_[p]);
    free_.push_back(p);
    hear(m, h);
  }
}

/// Starts the rank's next action, if it is idle.
void simulated_ranks::world::drive(member& m) {
  if (m.runs || m.left) return;
  if (m.queue.pop(&m.running)) {
    m.runs = true;
    m.began_ns = now_ns_;
    return add(now_ns_ + durations_[m.running] + cluster_.task_overhead_ns, happening::kind::task_end, m.number);
  }
  if (every_attempt_) {
    m.engine.idle(m.tasks, now_ns_);
  } else {
    search(m);
  }
  if (m.engine.has_left()) {
    m.left = true;
    --still_here_;
    return;
  }
  if (!thieves_.waits(m.number)) wake_for_next_attempt(m);
}

void simulated_ranks::world::wake_for_next_attempt(member& m) {
  std::uint64_t const next_ns = m.engine.next_attempt_ns();
  if (next_ns <= now_ns_ || next_ns == m.wakes_at_ns) return;
  m.wakes_at_ns = next_ns;
  add(next_ns, happening::kind::wake, m.number);
}

/// As engine.idle, but requests to anybody are drawn before they are sent.
void simulated_ranks::world::search(member& m) {
  m.engine.vote(m.tasks);
  if (thieves_.waits(m.number)) {
    if (m.engine.may_ask()) return;
    auto const failed = thieves_.stop(m.number, now_ns_);
    --waiting_;
    return m.engine.count_failed(failed.attempts, failed.next_ns);
  }
  if (!m.engine.may_ask()) return;
  if (m.engine.asks_anybody()) return wait(m);
  m.engine.idle(m.tasks, now_ns_);
}

void simulated_ranks::world::wait(member& m) {
  ++waiting_;
  std::uint64_t const first_ns = std::max(now_ns_, m.engine.next_attempt_ns());
  attempt_times const times(first_ns, m.engine.pause_ns(), longest_pause_ns_, round_trip_ns());
  add(thieves_.wait(m.number, times), happening::kind::request, m.number);
}

/// The request that may succeed is due. Precondition: the rank waits.
void simulated_ranks::world::request(member& m) {
  --waiting_;
  auto const drawn = thieves_.request(m.number);
  m.engine.count_failed(drawn.earlier.attempts, drawn.earlier.next_ns);
  if (drawn.victim) m.engine.ask(*drawn.victim, now_ns_);
}

/// Notes whether a thief would find tasks at this rank now.
void simulated_ranks::world::note(member const& m) {
  if (every_attempt_ || !thieves_.note(m.number, m.queue.shared() > 0) || waiting_ == 0) return;
  for (member& thief : members_) {
    if (!thieves_.waits(thief.number)) continue;
    auto const failed = thieves_.stop(thief.number, now_ns_);
    --waiting_;
    thief.engine.count_failed(failed.attempts, failed.next_ns);
    wait(thief);
  }
}

/// The round trip of a failing request: two messages between far nodes, or the time in which a node's server thread
/// handles the messages of all its waiting ranks, assuming that every node has as many of them.
std::uint64_t simulated_ranks::world::round_trip_ns() const noexcept {
  double const copy_ns = static_cast<double>(simulated_network::header_bytes) / cluster_.in_system.bytes_per_s * 1e9;
  std::uint64_t const alone_ns =
      2 * (static_cast<std::uint64_t>(copy_ns) + cluster_.in_system.latency_ns + cluster_.handler_ns);
  std::uint64_t const served_ns =
      2 * cluster_.handler_ns * cluster_.ranks_per_node * waiting_ / static_cast<std::uint64_t>(members_.size());
  return std::max(alone_ns, served_ns);
}

void simulated_ranks::world::account_busy(std::uint64_t from_ns, std::uint64_t to_ns) {
  intervals_.emplace_back(from_ns - began_ns_, to_ns - began_ns_);
}

simulated_iteration simulated_ranks::world::result() const {
  simulated_iteration r;
  std::vector<double> attempted;
  std::vector<double> successful;
  std::vector<double> tasks;
  std::uint64_t all_ns = 0;
  for (member const& m : members_) {
    attempted.push_back(static_cast<double>(m.engine.counts().attempted));
    successful.push_back(static_cast<double>(m.engine.counts().successful));
    tasks.push_back(static_cast<double>(m.tasks.executed));
    r.moved += m.engine.counts().tasks;
    for (std::uint32_t const t : executed_[m.number]) all_ns += durations_[t];
  }
  r.attempted = spread(attempted);
  r.successful = spread(successful);
  r.tasks = spread(tasks);
  r.seconds = static_cast<double>(now_ns_ - began_ns_) * 1e-9;
  r.last_task_s = static_cast<double>(last_task_ns_ - began_ns_) * 1e-9;
  r.ideal_seconds = static_cast<double>(all_ns) * 1e-9 / static_cast<double>(members_.size());
  r.efficiency = r.seconds > 0 ? r.ideal_seconds / r.seconds : 1;
  r.messages = messages_;
  r.events = events_;
  r.rounds = members_.front().engine.end().rounds();
  fill_busy(r);
  return r;
}

void simulated_ranks::world::fill_busy(simulated_iteration& r) const {
  constexpr std::size_t parts = 100;
  std::vector<double> in_part(parts, 0);
  double const part_ns = std::max(static_cast<double>(now_ns_ - began_ns_) / parts, 1.0);
  for (auto const& [from, to] : intervals_) {
    auto const last = std::min(static_cast<std::size_t>(static_cast<double>(to) / part_ns), parts - 1);
    for (auto p = static_cast<std::size_t>(static_cast<double>(from) / part_ns); p <= last; ++p) {
      double const begin = std::max(static_cast<double>(from), static_cast<double>(p) * part_ns);
      double const end = std::min(static_cast<double>(to), static_cast<double>(p + 1) * part_ns);
      in_part[p] += std::max(end - begin, 0.0);
    }
  }
  for (double const busy : in_part) {
    r.busy.push_back(static_cast<float>(busy / (part_ns * static_cast<double>(members_.size()))));
  }
}

simulated_ranks::simulated_ranks(cluster const& where, std::uint32_t ranks, std::span<std::uint64_t const> durations_ns,
                                 simulation_options const& options)
    : world_(std::make_unique<world>(where, ranks, durations_ns, options)) {
  world_->steals_ = options.steals;
}

simulated_ranks::~simulated_ranks() = default;

void simulated_ranks::seed(std::uint32_t rank, std::uint32_t task) { world_->seed(rank, task); }
simulated_iteration simulated_ranks::process() { return world_->process(); }
std::vector<std::vector<std::uint32_t>> const& simulated_ranks::executed() const noexcept { return world_->executed_; }
void simulated_ranks::stealing(bool on) noexcept { world_->steals_ = on; }

}}}  // namespace skua::v0::ranks
