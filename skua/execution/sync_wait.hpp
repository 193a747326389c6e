// SPDX-License-Identifier: MIT
// A task waits for a sender, and its worker runs other tasks meanwhile. As schedule.hpp, without a sender library.
#pragma once

#include <exception>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/face/one_shot.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace senders {

/// What a sender that a task waits for has completed with. Lives in the frame of the task.
template <class Library, class Values>
struct awaited_result {
  typename Library::waiting_env env{};  ///< as the thread that waits has made it
  std::optional<Values> values;         ///< none after set_stopped
  std::exception_ptr error;
  one_shot<> is_complete;
};

/// After `is_complete` is set, the task may go on and destroy the operation.
template <class Library, class Values>
class waiting_receiver {
 public:
  using receiver_concept = typename Library::receiver_tag;

  explicit waiting_receiver(awaited_result<Library, Values>& to) noexcept : to_(&to) {}

  template <class... Given>
  void set_value(Given&&... given) noexcept {
    try {
      to_->values.emplace(std::forward<Given>(given)...);
    } catch (...) {
      to_->error = std::current_exception();
    }
    to_->is_complete.set_value();
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    using plain = std::remove_cvref_t<Error>;
    if constexpr (std::is_same_v<plain, std::exception_ptr>) {
      to_->error = std::forward<Error>(error);
    } else if constexpr (std::is_same_v<plain, std::error_code>) {
      to_->error = std::make_exception_ptr(std::system_error(error));
    } else {
      to_->error = std::make_exception_ptr(std::forward<Error>(error));
    }
    to_->is_complete.set_value();
  }
  void set_stopped() noexcept { to_->is_complete.set_value(); }
  [[nodiscard]] typename Library::waiting_env get_env() const noexcept { return to_->env; }

 private:
  awaited_result<Library, Values>* to_;
};

/// Starts the sender, and returns on the calling thread when it has completed: its values, nothing if it was stopped; throws its
/// error. A task parks meanwhile; a thread that runs no task blocks. `Values` is the std::tuple of the values.
template <class Library, class Values, class Sender>
std::optional<Values> wait_for(Sender&& sender) {
  awaited_result<Library, Values> result;
  auto operation = Library::connect(std::forward<Sender>(sender), waiting_receiver<Library, Values>(result));
  operation.start();
  result.is_complete.wait();
  if (result.error != nullptr) std::rethrow_exception(std::move(result.error));
  return std::move(result.values);
}

}}}}  // namespace skua::v0::runtime::senders
