// SPDX-License-Identifier: MIT
// Who decides what happens next in an execution.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skua { inline namespace v0 { namespace explorer {

/// Makes the choices: replays a path, then extends it.
class chooser {
 public:
  virtual ~chooser() = default;
  /// Chooses one of `count` ways to go on from a state.
  virtual std::size_t choose(std::size_t count, std::uint64_t state) = 0;
  /// False: the next choice does not depend on the state, which need not be computed.
  virtual bool looks_at_state() const noexcept { return true; }
  /// True if the search comes back to the state in which the last choice was made.
  virtual bool comes_back() const noexcept { return false; }
  /// True if it will take the first way from now on, whatever the others are.
  virtual bool indifferent() const noexcept { return false; }
  /// True if the next choice is the one that the previous execution made.
  virtual bool repeats() const noexcept { return false; }
  /// Makes that choice.
  virtual void repeat() noexcept {}
  /// True if what this execution does from now on has been seen, to its end.
  virtual bool knows_the_rest() const noexcept { return false; }
};

}}}  // namespace skua::v0::explorer
