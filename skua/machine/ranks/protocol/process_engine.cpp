// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/protocol/process_engine.hpp"

#include <algorithm>
#include <utility>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace ranks {

process_engine::process_engine(engine_settings const& settings, split_queue& queue, transport& network)
    : settings_(settings), queue_(queue), network_(network), end_(network.rank(), network.ranks(), *this),
      victims_(settings.seed, network.rank(), network.ranks(), network.node()),
      lines_(network.rank(), settings.lifelines ? network.ranks() : 0), live_(network.ranks()) {}

void process_engine::recover(recovery_hooks hooks, live_ranks const& live) {
  runtime::expects(!settings_.lifelines, "lifelines: no rank recovers the tasks of a dead one");
  hooks_ = std::move(hooks);
  live_ = live;
  end_.rebuild(live_.position_of(network_.rank()), live_.size());
}

void process_engine::begin(std::uint32_t epoch) {
  runtime::invariant(requests_.none(), "no request is open when a rank leaves");
  runtime::invariant(lines_.unheard() == 0, "all tasks that lifelines carried have arrived when a rank leaves");
  epoch_ = epoch;
  end_.begin();
  generation_ = 0;
  early_.clear();
  lines_.begin();
  asked_buddy_.reset();
  failed_attempts_ = 0;
  pause_ns_ = settings_.first_pause_ns;
  not_before_ns_ = 0;
  counts_ = {};
  failure_.reset();
  if (hooks_.log == nullptr) return;
  recovery_ = std::make_unique<recovery>(network_.rank(), live_, *hooks_.log, static_cast<recovery_site&>(*this));
  recovery_->begin();
}

message_header process_engine::header(kind what) const noexcept {
  message_header h;
  h.kind = what;
  h.collection = settings_.collection;
  h.epoch = epoch_;
  h.flags = generation_;
  return h;
}

void process_engine::idle(task_count count, std::uint64_t now_ns) {
  vote(count);
  want(now_ns);
}

void process_engine::vote(task_count count) {
  if (!requests_.none() || is_recovering()) return;
  if (lines_.unheard() > 0) return;  // its tasks may be under way
  end_.quiet(count);
}

void process_engine::want(std::uint64_t now_ns) {
  if (is_on_lifelines()) {
    if (requests_.none() && may_ask()) send_request(*lines_.next(), true, now_ns);
    return;
  }
  bool const asks = requests_.none() ? may_ask() && now_ns >= not_before_ns_
                                     : may_ask_another() && now_ns >= requests_.another_ns(settings_.patience_ns);
  if (asks) ask(next_victim(), now_ns);
}

void process_engine::count_failed(std::uint64_t attempts, std::uint64_t next_ns) noexcept {
  counts_.attempted += attempts;
  failed_attempts_ =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(failed_attempts_ + attempts, ~std::uint32_t{0}));
  for (std::uint64_t i = 0; i < attempts && pause_ns_ < settings_.longest_pause_ns; ++i) double_pause();
  not_before_ns_ = next_ns;
}

void process_engine::double_pause() noexcept { pause_ns_ = std::min(pause_ns_ * 2, settings_.longest_pause_ns); }

void process_engine::ask(rank_number victim, std::uint64_t now_ns) { send_request(victim, false, now_ns); }

void process_engine::send_request(rank_number victim, bool is_lifeline, std::uint64_t now_ns) {
  message_header request = header(kind::steal_request);
  request.a = queue_.room();
  request.b = is_lifeline ? 1 : 0;
  if (is_lifeline) asked_buddy_ = victim;
  requests_.add(victim, now_ns);
  not_before_ns_ = now_ns + pause_ns_;
  ++counts_.attempted;
  network_.send(victim, request, {});
}

/// Draws a live victim without an open request; there must be one. A request without an answer counts as a failed one.
rank_number process_engine::next_victim() {
  for (std::uint32_t drawn_in_vain = 0;; ++drawn_in_vain) {
    rank_number const drawn = victims_.next(failed_attempts_ + requests_.size() + drawn_in_vain);
    if (live_.is_live(drawn) && !requests_.has(drawn)) return drawn;
  }
}

void process_engine::on_message(message const& m) {
  if (recovery_ && !live_.is_live(m.head.sender)) return;
  switch (m.head.kind) {
    case kind::steal_request: return answer(m);
    case kind::steal_reply: return take(m);
    case kind::fed: return hear_fed(m);
    case kind::fed_heard: {
      bool const was_fed = lines_.heard();
      return runtime::invariant(was_fed, "only tasks that were sent are acknowledged");
    }
    case kind::vote:
    case kind::decision:
    case kind::drained:
    case kind::leave:
    case kind::cancel:
      if (is_of_this_generation(m)) hear_tree(m);
      return;
    case kind::seeds:
    case kind::lost:
    case kind::taken:
    case kind::again:
      runtime::invariant(recovery_ != nullptr, "all ranks recover, or none does");
      return recovery_->on_message(m);
    case kind::contribution:
    case kind::result:
    case kind::moved:
    case kind::dead:
    case kind::ask:
    case kind::known:
    case kind::alive:
    case kind::broken:
    case kind::differ:
    case kind::balancing: break;
  }
  runtime::invariant(false, "an engine gets messages of process() only");
}

/// Drops messages of an older generation, and keeps early ones.
bool process_engine::is_of_this_generation(message const& m) {
  bool const now = m.head.flags == generation_ && !is_recovering();
  if (!now && m.head.flags > generation_) early_.push_back({m.head, {m.body.begin(), m.body.end()}});
  return now;
}

void process_engine::hear_tree(message const& m) {
  switch (m.head.kind) {
    case kind::vote: return end_.on_vote(m.head.a != 0, {m.head.b, m.head.c});
    case kind::decision: return end_.on_decision(m.head.a != 0);
    case kind::drained: return hear_drained(m);
    case kind::leave: return hear_leave(m);
    default: return hear_cancel(m);
  }
}

void process_engine::answer(message const& request) {
  ++counts_.asked;
  message_header reply = header(kind::steal_reply);
  // A thief that has not heard of a loss would add tasks again that other ranks have already.
  bool const gives = !is_cancelled() && request.head.flags >= generation_;
  split_queue::range const taken = take_shared(gives ? request.head.a : 0);
  reply.a = taken.tasks();
  if (taken.tasks() > 0) return send_tasks(request.head.sender, reply, taken);
  // A queue that is full of ranges on their way has room by the time it is fed; one without would keep all that wait behind it hungry.
  if (request.head.b != 0) lines_.remember({request.head.sender, std::max<std::uint64_t>(request.head.a, 1)});
  network_.send(request.head.sender, reply, {});
}

/// For a thief that has this much room.
split_queue::range process_engine::take_shared(std::uint64_t room) {
  if (settings_.owner_answers) is_in_task_ ? queue_.share_all() : queue_.share_all_but_one();
  split_queue& from = gives_from_ == nullptr ? queue_ : gives_from_->fullest();
  bool const have_marks = settings_.shape.task_bytes > 0;
  return from.steal(room, [&](std::byte const* oldest) noexcept {
    return have_marks && settings_.shape.mark_of(oldest).divides != 0;
  });
}

void process_engine::send_tasks(rank_number to, message_header const& head, split_queue::range const& taken) {
  end_.stolen_from();
  counts_.given += taken.tasks();
  if (!settings_.shape.has_block) counts_.bytes_given += taken.bytes().size();
  if (settings_.shape.has_block) return send_packed(to, head, taken);
  if (recovery_ || may_be_abandoned_) return send_copy(to, head, taken);
  std::uint64_t const token = std::uint64_t{settings_.collection} << 32 | next_send_++;
  being_sent_.emplace(token, taken);
  network_.send_in_place(to, head, taken.bytes(), token);
}

void process_engine::feed_waiting() {
  while (lines_.anyone_waits() && !end_.ended() && !is_cancelled()) {
    split_queue::range const taken = take_shared(lines_.first().room);
    if (taken.tasks() == 0) return;
    message_header head = header(kind::fed);
    head.a = taken.tasks();
    rank_number const to = lines_.first().rank;
    lines_.feed_first();
    send_tasks(to, head, taken);
  }
}

/// The sender is not quiet before it hears that its tasks have arrived.
void process_engine::hear_fed(message const& m) {
  runtime::invariant(!end_.ended(), "no rank has tasks after the end");
  lines_.cut(m.head.sender);
  if (asked_buddy_ == m.head.sender)
    asked_buddy_.reset();  // the tasks have overtaken the reply that says that it remembers
  add_tasks(m);
  network_.send(m.head.sender, header(kind::fed_heard), {});
}

/// A send to a rank that dies may never complete, and the queue may end before one of an abandoned process() has.
void process_engine::send_copy(rank_number to, message_header const& head, split_queue::range const& taken) {
  task_bytes tasks(taken.bytes().begin(), taken.bytes().end());
  queue_.give_back(taken);
  if (recovery_) hooks_.log->lent(to, tasks);
  network_.send(to, head, tasks);
}

/// Slots of serialized tasks hold pointers, which mean nothing on another rank.
void process_engine::send_packed(rank_number to, message_header const& reply, split_queue::range const& taken) {
  task_bytes packed;
  for (std::size_t at = 0; at < taken.bytes().size(); at += settings_.shape.bytes()) {
    std::byte const* const slot = taken.bytes().data() + at;
    settings_.shape.pack(slot, packed);
    settings_.shape.drop(slot);
  }
  queue_.give_back(taken);
  counts_.bytes_given += packed.size();
  network_.send(to, reply, packed);
}

void process_engine::on_sent(std::uint64_t token) noexcept {
  auto const sent = being_sent_.find(token);
  runtime::invariant(sent != being_sent_.end(), "what was sent had been taken");
  queue_.give_back(sent->second);
  being_sent_.erase(sent);
}

void process_engine::take(message const& reply) {
  bool const was_asked = requests_.close(reply.head.sender);
  runtime::invariant(was_asked, "each request has one reply");
  bool const along_lifeline = asked_buddy_ == reply.head.sender;
  if (along_lifeline) asked_buddy_.reset();
  if (reply.head.a == 0) {
    if (along_lifeline) lines_.tie(reply.head.sender);
    ++failed_attempts_;
    double_pause();
    return;
  }
  ++counts_.successful;
  requests_.found();
  add_tasks(reply);
}

/// Of a reply, or along a lifeline.
void process_engine::add_tasks(message const& reply) {
  runtime::invariant(settings_.shape.has_block || reply.body.size() == reply.head.a * queue_.slot_bytes(),
                     "a reply has the tasks that it announces");
  counts_.tasks += reply.head.a;
  counts_.bytes_taken += reply.body.size();
  failed_attempts_ = 0;
  pause_ns_ = settings_.first_pause_ns;
  // Tasks that came meanwhile may have taken the room that the request spoke of.
  if (queue_.room() < reply.head.a) queue_.admit(queue_.capacity() + reply.head.a);
  if (recovery_) hooks_.log->took(reply.head.sender, reply.body);
  settings_.shape.has_block ? push_packed(reply) : push_slots(reply.body);
}

bool process_engine::runs_oldest_first(slot_mark of_stolen) const noexcept {
  return settings_.oldest_first && gives_from_ == nullptr && of_stolen.spawned == 0;
}

/// The queue returns the newest first.
void process_engine::push_slots(std::span<std::byte const> slots) {
  bool const have_marks = settings_.shape.task_bytes > 0;
  if (!runs_oldest_first(have_marks ? settings_.shape.mark_of(slots.data()) : slot_mark())) {
    return queue_.push_all(slots);
  }
  for (std::size_t at = slots.size(); at > 0;) queue_.push(slots.data() + (at -= queue_.slot_bytes()));
}

void process_engine::push_packed(message const& reply) {
  std::vector<std::span<std::byte const>> tasks;
  for (auto rest = reply.body; tasks.size() < reply.head.a; rest = rest.subspan(tasks.back().size()))
    tasks.push_back(rest.first(settings_.shape.packed_bytes(rest).value()));
  if (runs_oldest_first(slot_shape::packed_mark(reply.body))) std::ranges::reverse(tasks);
  for (auto task : tasks) {
    settings_.shape.unpack(task, queue_.reserve());
    queue_.commit();
  }
}

void process_engine::cancel(std::string what) {
  if (is_cancelled()) return;
  failure_ = failure{network_.rank(), std::move(what)};
  spread_cancel();
}

/// The failure that a message carries: a is its rank plus one, the body its text.
std::optional<process_engine::failure> process_engine::failure_in(message const& m) {
  if (m.head.a == 0) return std::nullopt;
  return failure{static_cast<rank_number>(m.head.a - 1),
                 std::string(reinterpret_cast<char const*>(m.body.data()), m.body.size())};
}

void process_engine::send_with_failure(rank_number to, kind what) {
  message_header h = header(what);
  if (!failure_) return network_.send(to, h, {});
  h.a = std::uint64_t{failure_->rank} + 1;
  network_.send(to, h, std::as_bytes(std::span(failure_->message)));
}

void process_engine::hear_cancel(message const& m) {
  if (is_cancelled()) return;
  failure_ = failure_in(m);
  spread_cancel();
}

void process_engine::spread_cancel() {
  if (!end_.is_root()) send_with_failure(live_.at(end_.parent()), kind::cancel);
  end_.each_child([&](rank_number child) { send_with_failure(live_.at(child), kind::cancel); });
}

/// All ranks report the failure of the lowest rank that failed.
void process_engine::hear_drained(message const& m) {
  auto heard = failure_in(m);
  if (heard && (!failure_ || heard->rank < failure_->rank)) failure_ = std::move(heard);
  end_.on_drained();
}

void process_engine::hear_leave(message const& m) {
  failure_ = failure_in(m);
  end_.on_leave();
}

void process_engine::leave_as(std::optional<process_failure> failed) {
  if (end_.left()) return;
  failure_ = std::move(failed);
  end_.on_leave();
}

void process_engine::send_vote(rank_number to, bool yes, task_count count) {
  message_header h = header(kind::vote);
  h.a = yes ? 1 : 0;
  h.b = count.added;
  h.c = count.executed;
  network_.send(live_.at(to), h, {});
}

void process_engine::send_decision(rank_number to, bool ended) {
  message_header h = header(kind::decision);
  h.a = ended ? 1 : 0;
  network_.send(live_.at(to), h, {});
}

void process_engine::send_drained(rank_number to) { send_with_failure(live_.at(to), kind::drained); }

/// With recovery, the leader itself tells every rank.
void process_engine::send_leave(rank_number to) {
  if (!recovery_) return send_with_failure(live_.at(to), kind::leave);
  if (!end_.is_root()) return;
  send_with_failure(live_.at(to), kind::leave);
  rank_tree::each_child(to, live_.size(), [&](rank_number child) { send_leave(child); });
}

void process_engine::abandon() {
  requests_.forget_unless([](rank_number) { return false; });
  end_.abandon();
  early_.clear();
  recovery_.reset();
}

bool process_engine::lose(rank_number rank) {
  if (!recovery_ || end_.left()) return false;
  recovery_->lose(rank);
  return true;
}

void process_engine::send_recovery(rank_number to, kind what, std::uint16_t generation, std::span<std::byte const> body,
                                   std::uint64_t a) {
  message_header h = header(what);
  h.flags = generation;
  h.a = a;
  network_.send(to, h, body);
}

void process_engine::suspend(live_ranks const& live) {
  live_ = live;
  requests_.forget_unless([this](rank_number victim) { return live_.is_live(victim); });
}

void process_engine::resume(std::uint16_t generation, std::span<std::byte const> run_again) {
  generation_ = generation;
  end_.begin_again(live_.position_of(network_.rank()), live_.size());
  hooks_.mended(live_, run_again);
  if (is_cancelled()) spread_cancel();
  for (early_message& e : std::exchange(early_, {})) on_message({e.head, e.body});
}

std::string process_engine::state_in_words() const {
  std::string said = "round " + std::to_string(end_.rounds());
  if (is_recovering()) said += ", waits for the other ranks' lists of tasks from dead ranks";
  for (std::uint32_t n = 0; n < requests_.size(); ++n) {
    said += (n == 0 ? ", waits for tasks from rank " : " and rank ") + std::to_string(requests_.victim(n));
  }
  if (lines_.tied() > 0) said += ", waits on " + std::to_string(lines_.tied()) + " lifelines";
  if (lines_.unheard() > 0) {
    said += ", has sent tasks along " + std::to_string(lines_.unheard()) + " lifelines, which have not arrived";
  }
  if (end_.children_missing() > 0) {
    said += ", " + std::to_string(end_.children_missing()) + " of its " + std::to_string(end_.children()) +
            " children in the tree have not " + (end_.ended() ? "drained" : "voted");
  }
  if (end_.has_voted()) said += ", has voted and waits for rank " + std::to_string(live_.at(end_.parent()));
  if (end_.ended() && !end_.left() && requests_.none()) said += ", has seen the end and waits to leave";
  return said;
}

}}}  // namespace skua::v0::ranks
