// SPDX-License-Identifier: MIT
#include "skua/policy/replay/iterations.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {
namespace {

/// At most this many records are thrown away because they stay uneven or cannot be measured.
constexpr std::uint32_t most_thrown_away = 2;

}  // namespace

void iterations::begin() noexcept {
  if (is_strict() && follows_.saw_another_tree(records_.pieces())) {
    begin_record();
    restarts_.add(1);
  }
  follows_.begin_iteration();
  if (records_.pieces() == 0) since_restart_.set(0);  // nothing to follow yet
  std::uint64_t const number = since_restart_.add(1);
  now_.set(phase_of(number));
  if (is_in(phase::pruning)) refine(number);
  is_watching_.set(number % options_.watch == 0);
  begun_.add(1);
}

phase iterations::phase_of(std::uint64_t number) const noexcept {
  if (number <= options_.relaxed) return phase::relaxed;
  std::uint64_t at = number - options_.relaxed - 1;
  if (!options_.refines || at >= 2 * refinement::period) return phase::strict;
  at %= refinement::period;
  if (at == refinement::first + refinement::iterations) return phase::pruning;
  return at >= refinement::first && at < refinement::first + refinement::iterations ? phase::measuring : phase::strict;
}

void iterations::begin_record() noexcept {
  records_.forget();
  measures_.forget();
  since_restart_.set(0);
}

/// A record that stays uneven, or cannot be measured, is thrown away a few times: it can only be as fine as its steals
/// were.
void iterations::refine(std::uint64_t number) noexcept {
  bool const is_second = number > options_.relaxed + refinement::period;
  bool const is_measured = measures_.rewrite(records_);
  bool const is_empty = records_.pieces() == 0;  // nothing to follow: one worker would run all
  if (is_measured && !is_empty && (!is_second || !measures_.is_uneven())) return;
  if (!is_empty && thrown_away_ == most_thrown_away) return;
  ++thrown_away_;
  begin_record();
  now_.set(phase::relaxed);
  since_restart_.set(1);  // this iteration
}

}}}}  // namespace skua::v0::policies::replay
