// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/collection_core.hpp"

#include <bit>
#include <numeric>
#include <string>
#include <utility>

#include "skua/machine/ranks/collection/balance_plan.hpp"
#include "skua/machine/ranks/collection/task_work.hpp"
#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

/// A victim of one worker answers after its task. A millisecond is many times the reply of one that polls, and little against the tasks
/// that make thieves wait.
constexpr std::uint64_t patience_ns = 1'000'000;

/// For a program that did not choose a deadline: communicator::watch.
constexpr double default_deadline_s = 10;

checkpoint_identity identity_of(collection_options const& options, runtime::task_binding const& b) {
  return {.collection = options.name,
          .task_type = std::string(b.type),
          .task_bytes = b.bytes,
          .is_serialized = b.is_serialized,
          .version = options.version};
}

/// What ranks must agree on.
std::string in_words(collection_options const& options, runtime::task_binding const& b) {
  std::string const lost = options.on_loss == lost_tasks::fail   ? ""
                           : options.on_loss == lost_tasks::drop ? ", dropped if their rank dies"
                                                                 : ", run again if their rank dies";
  std::string const measured =
      options.footprints ? ", with footprints within " + std::to_string(options.footprint_tolerance) : "";
  std::string const asks = options.victims == steal_victims::lifelines ? ", on lifelines" : "";
  return in_words(identity_of(options, b)) + lost + measured + asks;
}

engine_settings settings_of(collection_options const& options, std::uint32_t number, slot_shape const& shape) {
  return {.collection = number,
          .seed = options.seed,
          .steals = options.steals,
          .owner_answers = true,
          .patience_ns = patience_ns,
          .oldest_first = true,
          .lifelines = options.victims == steal_victims::lifelines,
          .shape = shape};
}

/// Throws usage_error; else null if nobody asked.
std::unique_ptr<footprint_meter> meter_of(collection_options const& options, std::uint32_t workers) {
  if (!options.footprints) return nullptr;
  if (!(options.footprint_tolerance >= 0 && options.footprint_tolerance <= 1)) {
    throw usage_error("the task collection '" + options.name + "': footprint_tolerance is " +
                      std::to_string(options.footprint_tolerance) + "; allowed: a number from 0 to 1");
  }
  return std::make_unique<footprint_meter>(workers);
}

slot_shape shape_of(collection_options const& options, runtime::task_binding const& b) {
  bool const recovers = options.on_loss != lost_tasks::fail;
  if (b.is_serialized && recovers) {
    throw usage_error("the task collection '" + options.name +
                      "' has serialized tasks, which cannot run again when a rank dies; allowed: lost_tasks::fail");
  }
  if (options.victims == steal_victims::lifelines && recovers) {
    throw usage_error(
        "the task collection '" + options.name +
        "' has .victims = steal_victims::lifelines, whose sleepers a dead rank would leave asleep; allowed: "
        "with lost_tasks::fail");
  }
  return {.task_bytes = b.is_serialized ? sizeof(task_block*) : b.bytes,
          .has_identity = recovers,
          .has_block = b.is_serialized};
}

/// The number of a collection that every rank constructs alike, so that a failure leaves the same numbers on all ranks.
/// Collective.
std::uint32_t agreed_number(communicator_core& core, collection_options const& options, runtime::task_binding const& b,
                            bool name_was_taken) {
  // Collections end locally, so it may be taken on some ranks only; then the texts differ.
  core.agree({.what = operation::construction}, "the task collection",
             in_words(options, b) + (name_was_taken ? ", while another one of that name lives" : ""));
  if (name_was_taken) {
    throw usage_error(
        "the task collection '" + options.name +
        "': another one of that name lives; allowed: a name that no other collection of the communicator has");
  }
  return core.order().name_next(options.name);
}

}  // namespace

collection_core::collection_core(communicator_core& core, collection_options const& options,
                                 runtime::task_binding const& binding)
    : name_(core.names(), options.name), core_(core), network_(core.network()), options_(options), binding_(binding),
      number_(agreed_number(core, options, binding, name_.was_taken())), shape_(shape_of(options, binding)),
      queue_(shape_.bytes(), options.limit), engine_(settings_of(options, number_, shape_), queue_, network_),
      record_(shape_), log_(shape_), traced_(core.trace() == nullptr ? nullptr : core.trace()->track(0)),
      pool_(core.pool_number()),
      workers_(core, binding, shape_, queue_, record_, recovers() ? &log_ : nullptr, options.limit),
      meter_(meter_of(options, workers_.count())), steals_(options.steals),
      last_{.rank = network_.rank(), .workers = workers_.count()} {
  if (workers_.has_threads()) engine_.gives_from(workers_);
  if (meter_ != nullptr) workers_.measure(*meter_);
  log_.ended(0, static_cast<rank_number>(core.live().dead().size()));
  if (recovers()) core_.watch(default_deadline_s);
  if (options.on_loss == lost_tasks::run_again) core_.go_on_after_losses();
}

collection_core::~collection_core() { drop_all(queue_, shape_); }

void collection_core::add(std::span<std::byte const> task) {
  if (has_threads()) return workers_.add(task, is_processing());
  bool const divides = workers_.divides(task);
  held_in_task const held(core_.lock_of_tasks());
  shape_.put(queue_.reserve(), task);
  commit_as(divides);
}

void collection_core::add_weighed(std::span<std::byte const> task, double work) {
  if (!is_work(work)) {
    throw usage_error("the task collection '" + options_.name + "': add of a task with the work " +
                      std::to_string(work) + "; allowed: a finite work that is more than 0");
  }
  if (has_threads()) return workers_.add(task, is_processing(), work);
  if (is_processing()) return add(task);
  workers_.prepare_weighing();
  add(task);
  workers_.weigh(work);
}

/// A task that adds holds the progress lock until commit: what arrives meanwhile may go to the same queue.
void* collection_core::reserve() {
  if (auto* const lock = core_.lock_of_tasks(); lock != nullptr && lock->is_lent()) lock->take_back();
  return queue_.reserve();
}

void collection_core::commit() {
  commit_as(workers_.divides(shape_.task_in(queue_.reserve())));
  if (auto* const lock = core_.lock_of_tasks(); lock != nullptr && lock->is_in_task()) lock->lend_again();
}

void collection_core::commit_as(bool divides) {
  std::byte* const slot = queue_.reserve();  // the same one: nothing was added since
  shape_.set_mark(slot, workers_.mark_of_new(is_processing(), divides));
  if (is_processing() && !workers_.server_as_worker()->adds(slot)) return;
  queue_.commit();
}

void collection_core::expect_at_rest(char const* call) const {
  if (!is_processing()) [[likely]]
    return;
  throw usage_error("the task collection '" + options_.name + "': " + call +
                    " in one of its tasks, while it processes; allowed: between two calls of process");
}

std::uint64_t collection_core::hindrance(needs what) const noexcept {
  return static_cast<std::uint64_t>(obstacle_for(what, state_, waiting()));
}

void collection_core::refuse_if_hindered(char const* call, std::uint64_t largest) const {
  auto const found = static_cast<obstacle>(largest);
  if (found == obstacle::none) return;
  std::string const text = "the task collection '" + options_.name + "': " + in_words(found, call);
  core_.order().note_failure({.reporter = 0, .text = text});
  throw usage_error(text);
}

/// Ranks may be in different states, since restore() and add() are local: if one cannot, none does.
void collection_core::expect_everywhere(collective_call const& call, char const* name, needs what) {
  expect_at_rest(name);
  std::uint64_t largest = hindrance(what);
  max_elements(core_.all(), call, std::span(&largest, 1));
  refuse_if_hindered(name, largest);
}

void collection_core::stealing(bool on) {
  expect_at_rest("enable_stealing");
  steals_ = on;
  engine_.stealing(on);
}

void collection_core::process() {
  expect_at_rest("process");
  if (!core_.has_pool(pool_)) {
    core_.order().refuse(call(operation::process),
                         "the task collection '" + options_.name + "' of rank " + std::to_string(rank()) +
                             ": the rank_pool with its workers has ended; allowed: one that outlives the collection");
  }
  core_.order().begin(call(operation::process));
  struct until_left {
    communicator_core& core;
    ~until_left() {
      core.transfers_of_rank()->measure(nullptr);
      core.end_tasks();
      core.order().end_process();
    }
  } const left{core_};
  expect_no_loss();
  has_new_tasks_ = std::exchange(is_restarted_, false) || waiting() > restored_;
  restored_ = 0;
  workers_.begin();
  core_.transfers_of_rank()->measure(meter_.get());
  core_.transfers_of_rank()->open(workers_.has_threads() ? core_.threads() : nullptr);
  idle_rounds_ = 0;
  stalled_.restart();
  state_ = collection_state::processing;
  kept_ = run_again_ = dropped_ = 0;
  last_ = {.rank = rank(), .workers = workers_.count()};
  if (recovers()) enter_with_recovery();
  seeded_.begin(workers_.has_threads() ? 0 : queue_.size());
  engine_.may_be_abandoned(core_.goes_on_after_losses() || core_.is_watched());
  engine_.begin(core_.order().step());
  traced_.note({.what = trace::kind::iteration_began, .id = workers_.counted().added, .value = ++epoch_});
  bool const runs_tasks = workers_.server_as_worker() != nullptr;
  core_.enter(number_, engine_, runs_tasks ? std::function<bool()>([this] { return look_in_task(); }) : nullptr);
  matrix_traffic const moved_before = core_.transfers_of_rank()->counted().value();
  std::uint64_t const began_ns = network_.now_ns();
  workers_.pace().looked(began_ns, began_ns);
  try {
    serve_until_the_end();
  } catch (...) {
    core_.transfers_of_rank()->fail(std::current_exception());  // its workers may wait for one
    workers_.stop();
    state_ = collection_state::seeding;
    record_.clear();
    abandon_process();
    throw;
  }
  core_.leave(number_);
  if (recovers()) log_.ended(engine_.generation(), engine_.dead());
  core_.transfers_of_rank()->close();
  state_ = collection_state::seeding;
  wall_ns_ = network_.now_ns() - began_ns;
  traced_.note({.what = trace::kind::iteration_ended, .id = workers_.counted().executed, .value = epoch_});
  workers_.merge_records();
  note_own_figures(moved_before);
  throw_failure();
  state_ = collection_state::executed;
  kept_ = record_.size();
  is_measured_ = true;
}

void collection_core::serve_until_the_end() {
  while (!engine_.has_left()) {
    run_tasks();
    wait_for_work();
  }
}

/// If this thread is a worker: runs the tasks of this rank, and polls in between.
void collection_core::run_tasks() {
  rank_worker* const mine = workers_.server_as_worker();
  if (mine == nullptr) return;
  bool const alone = ranks() == 1 && !workers_.has_threads();
  std::uint64_t now_ns = network_.now_ns();
  while (mine->take()) {
    idle_rounds_ = 0;
    stalled_.restart();
    now_ns = mine->run_current(now_ns);
    if (alone || !workers_.pace().is_due(now_ns)) continue;
    std::uint64_t const began_ns = now_ns;
    core_.expect_no_trouble();
    static_cast<void>(look_for_others());
    core_.expect_no_loss();
    now_ns = network_.now_ns();
    workers_.pace().looked(began_ns, now_ns);
  }
  mine->pause(now_ns);
}

/// Answers other ranks, and passes on what has arrived to this rank's workers. False: nothing had arrived.
bool collection_core::look_around() {
  bool heard = false;
  while (core_.poll_held()) heard = true;
  if (engine_.counts().tasks > 0) seeded_.tasks_arrived(record_.size());
  pass_on_failures();
  workers_.look_after();
  engine_.feed();
  return heard;
}

/// What the progress thread does in a long task. False: nothing had arrived.
bool collection_core::look_in_task() {
  engine_in_task const busy(&engine_);
  return look_for_others();
}

bool collection_core::look_for_others() {
  bool const heard = look_around();
  if (workers_.want_tasks()) engine_.want(network_.now_ns());
  return heard;
}

/// A quiet rank votes before it asks for tasks. A rank that waits for a reply is not quiet; if replies take longer than
/// the pause between two requests, a rank that asked first would never vote.
void collection_core::wait_for_work() {
  core_.expect_no_trouble();
  if (look_around()) idle_rounds_ = 0;
  core_.expect_no_loss();
  if (workers_.are_quiet()) {
    pass_on_failures();  // of the last task, which may have run meanwhile
    engine_.idle(workers_.counted(), network_.now_ns());
  } else {
    stalled_.restart();  // its workers have tasks
    if (workers_.want_tasks()) engine_.want(network_.now_ns());
  }
  std::uint64_t const now_ns = network_.now_ns();
  if (stalled_.is_due(now_ns))
    stalled_.tell(rank(), "no task of '" + options_.name + "'", engine_.state_in_words(), now_ns);
  if (engine_.has_left()) return;
  if (ranks() > 1) core_.look_beside(now_ns);
  rest();
}

/// Where tasks use matrices, a worker wakes the server.
void collection_core::rest() {
  constexpr std::uint32_t yields = 80;  // transport::rest sleeps only after more
  constexpr std::uint32_t longest_us = 200;
  transfers& moving = *core_.transfers_of_rank();
  if (moving.is_busy()) idle_rounds_ = std::min(idle_rounds_, yields);
  if (idle_rounds_ > yields && moving.is_open() && !core_.windows()->empty()) return moving.rest(longest_us);
  network_.rest(idle_rounds_++);
}

/// Passes failures on: those of this rank's workers to the other ranks, and theirs to its workers.
void collection_core::pass_on_failures() {
  if (engine_.is_cancelled()) return workers_.cancel();
  if (!workers_.is_cancelled()) return;
  std::string said = "an exception that is no std::exception";
  try {
    std::rethrow_exception(workers_.failure());
  } catch (std::exception const& e) {
    said = e.what();
  } catch (...) {}
  engine_.cancel(said);
}

/// After a failure every rank throws: the exception on the rank where it happened, its text on the others.
void collection_core::throw_failure() {
  if (!engine_.failed()) return;
  record_.clear();
  core_.order().note_failure({engine_.failed()->rank, engine_.failed()->message});
  if (engine_.failed()->rank == rank()) std::rethrow_exception(workers_.failure());
  throw remote_error(engine_.failed()->rank, engine_.failed()->message);
}

void collection_core::checkpoint(std::string const& path, std::span<std::byte const> state) {
  collective_call const call = this->call(operation::checkpoint);
  expect_everywhere(call, "checkpoint", needs::only_a_record);
  rank_number const first = core_.all().first();
  std::vector<bytes> const gathered = core_.all().gather(encode(record_));
  core_.on_rank(first, call, [&] {
    saved_records all{.ranks = ranks(), .records = {}, .state = bytes_of(state)};
    core_.live().each([&](rank_number r) { all.records.push_back(gathered[r]); });
    write_checkpoint(path, identity_of(options_, binding_), all);
  });
}

std::vector<std::byte> collection_core::restart(std::string const& path) {
  expect_at_rest("restart");
  collective_call const call = this->call(operation::restart);
  saved_records found;
  std::vector<bytes> parts;
  rank_number const first = core_.all().first();
  core_.on_rank(first, call, [&] {
    found = read_checkpoint(path, identity_of(options_, binding_), shape_);
    parts = deal_again(found, shape_, core_.live());
  });
  is_measured_ = false;
  is_restarted_ = true;
  workers_.drop_waiting();
  record_.clear();
  state_ = collection_state::executed;
  decode(core_.all().scatter(std::move(parts), first), record_);
  return core_.all().broadcast(call, std::move(found.state), first);
}

}}}  // namespace skua::v0::ranks
