// SPDX-License-Identifier: MIT
// The exceptions that reach users. The API throws them; the scheduler never does.
#pragma once

#include <stdexcept>
#include <string>

namespace skua { inline namespace v0 {

/// Root of all errors that Skua reports itself.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An invalid input of the user: an option, an environment variable, a file's content.
/// The message names it and what is allowed. The `skua` command exits with code 2.
struct usage_error : error {
  using error::error;
};

/// The system refused memory, a thread or a file. The message says what to do about it.
struct resource_error : error {
  using error::error;
};

/// A join (or an algorithm built on it) throws this once a stop was requested for the waiting task: some children may
/// not have run, so there is no result to return.
struct cancelled : error {
  cancelled() : error("cancelled: a stop was requested before the work was done") {}
};

}}  // namespace skua::v0
