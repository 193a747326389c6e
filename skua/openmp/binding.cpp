// SPDX-License-Identifier: MIT
#include "skua/openmp/binding.hpp"

#include <algorithm>
#include <exception>

#include "skua/openmp/affinity_format.hpp"
#include "skua/parts/topology/affinity.hpp"

namespace skua { inline namespace v0 { namespace openmp {

namespace {

[[gnu::tls_model("initial-exec")]] thread_local constinit position this_position{};

void bind_to(runtime::cpu_mask const& mask) noexcept {
  try {
    static_cast<void>(
        runtime::bind_this_thread(mask));  // a mask that the kernel refuses now leaves the thread where it is
  } catch (std::exception const&) {        // no memory: the same
  }
}

void move_to(position const& there) noexcept {
  if (there.place != this_position.place) bind_to(the_settings().places[there.place]);
  this_position = there;
}

/// Steps from member 0's place to member m's. With more members than places each place gets size / places in a row; the rest go round once more.
std::uint32_t steps(std::uint32_t places, std::uint32_t size, std::uint32_t m) noexcept {
  std::uint32_t const each = size / places;
  if (each == 0) return m;
  return m < each * places ? m / each : m - each * places;
}

/// Fewer members than places: the partition is divided among them, and the first parts have one place more.
position spread_out(position const& creator, std::uint32_t size, std::uint32_t m) noexcept {
  std::uint32_t const least = creator.count / size;
  std::uint32_t const longer = creator.count % size;
  auto const first_of = [&](std::uint32_t part) { return part * least + std::min(part, longer); };
  std::uint32_t const at = creator.place - creator.first;
  std::uint32_t part = at < first_of(longer) ? at / (least + 1) : longer + (at - first_of(longer)) / least;
  part = (part + m) % size;
  position mine{.first = creator.first + first_of(part), .count = least + (part < longer ? 1 : 0)};
  mine.place = m == 0 ? creator.place : mine.first;
  return mine;
}

}  // namespace

position position_of(proc_bind how, position const& creator, std::uint32_t size, std::uint32_t m) noexcept {
  if (how == proc_bind::no || how == proc_bind::primary) return creator;
  if (how == proc_bind::spread && size <= creator.count) return spread_out(creator, size, m);
  position mine = creator;
  mine.place = creator.first + (creator.place - creator.first + steps(creator.count, size, m)) % creator.count;
  if (how == proc_bind::spread) {
    mine.first = mine.place;
    mine.count = 1;
  }
  return mine;
}

position const& position_here() noexcept {
  if (position const& own = current().where; own.place != position::none) return own;
  if (this_position.place == position::none)
    move_to({.place = 0, .first = 0, .count = static_cast<std::uint32_t>(the_settings().places.size())});
  return this_position;
}

unbound::unbound() noexcept {
  if (this_position.place != position::none) bind_to(the_settings().usable);
}
unbound::~unbound() {
  if (this_position.place != position::none) bind_to(the_settings().places[this_position.place]);
}

bool member_start::is_asked() noexcept {
  static bool const is = !the_settings().places.empty() || the_settings().displays_affinity;
  return is;
}

void member_start::plan_members(task const& creator, std::uint32_t size, unsigned clause, bool is_nested) noexcept {
  bool const binds = !the_settings().places.empty();
  member_start const before = *this;
  moves_ = binds && size > 1 && !is_nested;
  how_ = creator.variables->binding;
  if (how_ != proc_bind::no && clause != 0) how_ = static_cast<proc_bind>(clause);
  auto const& listed = the_settings().bind_of_level;
  next_ = listed.size() > 1 && creator.level + 1 < listed.size() ? listed[creator.level + 1] : how_;
  size_ = size;
  if (binds) creator_ = position_here();
  is_told_ = binds && size > 1 && is_nested;
  bool const is_new = size != before.size_ || how_ != before.how_ || creator_ != before.creator_;
  shows_ = the_settings().displays_affinity && size > 1 && (is_nested || is_new);
}

void member_start::set_asked(task& mine) const {
  if (mine.variables->binding != next_) mine.writable().binding = next_;
  mine.where = mine.parent->where;
  if (is_told_) mine.where = position_of(how_, creator_, size_, mine.number);
}

void member_start::begin_member(std::uint32_t m) const noexcept {
  if (moves_) move_to(position_of(how_, creator_, size_, m));
  if (shows_) display_affinity();
}

void member_start::end() const noexcept {
  if (moves_) move_to(creator_);
}

}}}  // namespace skua::v0::openmp
