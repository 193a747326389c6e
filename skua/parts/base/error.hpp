// SPDX-License-Identifier: MIT
// The exceptions a user can meet. Thrown at the API, never from inside the scheduler.
#pragma once

#include <stdexcept>
#include <string>

namespace skua {

/// Root of all errors that Skua reports itself.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The user asked for something that makes no sense: an option, an environment variable, a file's content.
/// The message names the culprit and says what would be right. The `skua` command ends with exit code 2.
struct usage_error : error {
  using error::error;
};

/// The machine refused: memory, a thread, a file. The message says what to do about it.
struct resource_error : error {
  using error::error;
};

/// Thrown by a join (and by what is built on it) once a stop was requested for the task that waits there:
/// some children may not have run, so there is no result to return.
struct cancelled : error {
  cancelled() : error("cancelled: a stop was requested before the work was done") {}
};

}  // namespace skua
