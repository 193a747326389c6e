// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/simulated/waiting_thieves.hpp"

#include <algorithm>
#include <cmath>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace ranks {

waiting_thieves::waiting_thieves(std::uint32_t ranks, std::uint64_t seed)
    : thieves_(ranks), givers_(ranks), bar_(ranks - 1), dice_(runtime::dice(seed ^ 0x7468'6965'7665'7321ULL).next()) {}

/// Twice the number of giving ranks, so that it may grow; at least one rank in 512, so that a few ranks that come and
/// go do not raise it.
std::uint32_t waiting_thieves::bar_for(std::uint32_t giving) const noexcept {
  auto const others = static_cast<std::uint32_t>(thieves_.size() - 1);
  return std::min(std::max(2 * giving, others / 512 + 1), others);
}

bool waiting_thieves::note(std::uint32_t rank, bool gives) {
  givers_.note(rank, gives);
  std::uint32_t const giving = givers_.size();
  std::uint32_t const allowed_for = bar_;
  if (giving > bar_) {
    bar_ = bar_for(giving);
    return bar_ != allowed_for;  // a thief gives nothing, so all other ranks are the maximum
  }
  if (giving < bar_ / 4) bar_ = bar_for(giving);
  return false;
}

std::uint64_t waiting_thieves::wait(std::uint32_t rank, attempt_times const& times) {
  thief& t = thieves_[rank];
  runtime::expects(!t.waits, "a thief waits once");
  t.times = times;
  t.bar = bar_;
  t.waits = true;
  double const may_succeed = static_cast<double>(t.bar) / static_cast<double>(thieves_.size() - 1);
  t.due = may_succeed < 1 ? static_cast<std::uint64_t>(std::log1p(-dice_.unit()) / std::log1p(-may_succeed)) : 0;
  t.due_ns = t.times.at(t.due);
  return t.due_ns;
}

waiting_thieves::draw waiting_thieves::request(std::uint32_t rank) {
  thief& t = thieves_[rank];
  runtime::expects(t.waits, "a thief that waits has a request");
  runtime::invariant(givers_.size() <= t.bar, "no more ranks give than the draw has allowed for");
  t.waits = false;
  std::uint32_t const drawn = dice_.below(t.bar);
  if (drawn < givers_.size()) return {givers_.at(drawn), {t.due, t.due_ns}};
  return {std::nullopt, {t.due + 1, t.times.at(t.due + 1)}};
}

waiting_thieves::failures waiting_thieves::stop(std::uint32_t rank, std::uint64_t now_ns) {
  thief& t = thieves_[rank];
  runtime::expects(t.waits, "a thief that waits may stop");
  t.waits = false;
  std::uint64_t const sent = t.times.before(now_ns);
  return {sent, t.times.at(sent)};
}

void waiting_thieves::clear() {
  for (std::uint32_t r = 0; r < thieves_.size(); ++r) {
    thieves_[r].waits = false;
    givers_.note(r, false);
  }
  bar_ = static_cast<std::uint32_t>(thieves_.size() - 1);
}

}}}  // namespace skua::v0::ranks
