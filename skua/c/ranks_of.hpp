// SPDX-License-Identifier: MIT
// What stands behind skua/ranks.h: the objects, and how exceptions become codes.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "skua/machine/threads/face/pool.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/collection/host.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.h"
#include "skua/ranks.hpp"

struct skua_ranks {
  virtual ~skua_ranks() = default;
  [[nodiscard]] virtual skua::communicator& world() = 0;

  skua_ranks() = default;
  skua_ranks(skua_ranks const&) = delete;
  skua_ranks& operator=(skua_ranks const&) = delete;

  // They end before the communicator of the derived class does: skua_ranks_end sees to that.
  std::optional<skua::pool> threads;
  std::optional<skua::rank_pool> workers;
};

namespace skua { inline namespace v0 { namespace c {

/// Of the calling thread, for skua_error_text.
[[nodiscard]] std::string& error_text() noexcept;

[[nodiscard]] int failed(int code, char const* text) noexcept;

/// Calls f. Returns SKUA_OK, or the code of what it threw.
template <class F>
[[nodiscard]] int guarded(F f) noexcept {
  try {
    f();
    return SKUA_OK;
  } catch (usage_error const& e) {
    return failed(SKUA_USAGE_ERROR, e.what());
  } catch (resource_error const& e) {
    return failed(SKUA_RESOURCE_ERROR, e.what());
  } catch (std::bad_alloc const&) {
    return failed(SKUA_RESOURCE_ERROR, "out of memory");
  } catch (remote_error const& e) {
    return failed(SKUA_REMOTE_ERROR, e.what());
  } catch (rank_lost const& e) {
    return failed(SKUA_RANK_LOST, e.what());
  } catch (std::exception const& e) {
    return failed(SKUA_ERROR, e.what());
  } catch (...) {
    return failed(SKUA_ERROR, "an exception that is no std::exception");
  }
}

/// Throws usage_error for a null pointer.
template <class T>
T& given(T* p, char const* call, char const* what) {
  if (p == nullptr) throw usage_error(std::string(call) + ": " + what + " is NULL");
  return *p;
}

}}}  // namespace skua::v0::c
