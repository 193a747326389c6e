// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/mpi/mpi_window.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "skua/machine/ranks/mpi/mpi_check.hpp"
#include "skua/parts/base/launcher.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

constexpr std::uint64_t page_bytes = 4096;

MPI_Datatype mpi_type_of(window_element type) noexcept {
  switch (type) {
    case window_element::f64: return MPI_DOUBLE;
    case window_element::f32: return MPI_FLOAT;
    case window_element::i32: return MPI_INT32_T;
    case window_element::i64: return MPI_INT64_T;
    case window_element::c128: return MPI_C_DOUBLE_COMPLEX;
  }
  return MPI_DATATYPE_NULL;
}

}  // namespace

std::unique_ptr<mpi_window> mpi_window::make(MPI_Comm comm, window_element type, std::uint64_t elements,
                                             bool one_node) {
  std::size_t const size = size_of(type);
  MPI_Info how = MPI_INFO_NULL;
  check_mpi(MPI_Info_create(&how), "info");
  // Sums come in any order, and nothing else is accumulated.
  MPI_Info_set(how, "accumulate_ordering", "none");
  MPI_Info_set(how, "accumulate_ops", "same_op");
  void* own = nullptr;
  MPI_Win made = MPI_WIN_NULL;
  // Whole pages: under MPICH 4.0.2 a transfer to a part that begins elsewhere may change the end of the part before it. A rank without elements
  // gets an address, too.
  std::uint64_t const bytes = (std::max<std::uint64_t>(elements * size, 1) + page_bytes - 1) / page_bytes * page_bytes;
  int const result = MPI_Win_allocate(static_cast<MPI_Aint>(bytes), static_cast<int>(size), how, comm, &own, &made);
  MPI_Info_free(&how);
  if (result != MPI_SUCCESS) return nullptr;
  std::unique_ptr<mpi_window> w(new mpi_window(made, static_cast<std::byte*>(own), mpi_type_of(type)));
  check_mpi(MPI_Win_set_errhandler(made, MPI_ERRORS_RETURN), "set the error handler");
  int* model = nullptr;
  int is_known = 0;
  check_mpi(MPI_Win_get_attr(made, MPI_WIN_MODEL, static_cast<void*>(&model), &is_known), "memory model");
  w->is_unified_ = is_known != 0 && *model == MPI_WIN_UNIFIED;
  // Its requests take longer than the copies that they are for: 0.8 us for each row.
  constexpr runtime::mpi_library compiled_for = runtime::mpi_library::SKUA_MPI_LIBRARY;
  w->is_immediate_ = one_node && compiled_for == runtime::mpi_library::openmpi;
  std::memset(own, 0, bytes);
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, made), "lock a window");
  return w;
}

mpi_window::~mpi_window() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

/// With a request, or completed by a flush.
void mpi_window::begin(transfer_kind what, window_run const& run, MPI_Request* request) {
  auto const n = static_cast<int>(run.count);
  auto const to = static_cast<int>(run.rank);
  auto const at = static_cast<MPI_Aint>(run.at);
  switch (what) {
    case transfer_kind::get:
      return check_mpi(request != nullptr ? MPI_Rget(run.local, n, type_, to, at, n, type_, window_, request)
                                          : MPI_Get(run.local, n, type_, to, at, n, type_, window_),
                       "get");
    case transfer_kind::put:
      return check_mpi(request != nullptr ? MPI_Rput(run.local, n, type_, to, at, n, type_, window_, request)
                                          : MPI_Put(run.local, n, type_, to, at, n, type_, window_),
                       "put");
    case transfer_kind::accumulate:
      return check_mpi(request != nullptr
                           ? MPI_Raccumulate(run.local, n, type_, to, at, n, type_, MPI_SUM, window_, request)
                           : MPI_Accumulate(run.local, n, type_, to, at, n, type_, MPI_SUM, window_),
                       "accumulate");
  }
}

// One request for each run: under MPICH 4.0.2 a request for a get of a strided datatype is complete before the data are there.
std::uint64_t mpi_window::start(transfer_kind what, std::span<window_run const> runs) {
  if (what != transfer_kind::get) is_flushed_ = false;
  if (is_immediate_) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      begin(what, runs[i], nullptr);
      bool const is_last = i + 1 == runs.size() || runs[i + 1].rank != runs[i].rank;
      if (is_last) check_mpi(MPI_Win_flush_local(static_cast<int>(runs[i].rank), window_), "flush");
    }
    return 0;
  }
  under_way& mine = under_way_.emplace_back();
  mine.number = ++last_;
  mine.requests.reserve(runs.size());
  for (window_run const& r : runs) begin(what, r, &mine.requests.emplace_back(MPI_REQUEST_NULL));
  return mine.number;
}

bool mpi_window::test(std::uint64_t started) {
  if (started == 0) return true;
  auto const at = std::ranges::find(under_way_, started, &under_way::number);
  if (!all_complete(at->requests)) return false;
  under_way_.erase(at);
  return true;
}

void mpi_window::flush() {
  if (std::exchange(is_flushed_, true)) return;
  check_mpi(MPI_Win_flush_all(window_), "flush");
}

void mpi_window::publish() { check_mpi(MPI_Win_sync(window_), "synchronise a window"); }

}}}  // namespace skua::v0::ranks
