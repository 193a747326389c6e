// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/mpi/mpi_window.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "skua/machine/ranks/mpi/mpi_check.hpp"

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

std::unique_ptr<mpi_window> mpi_window::make(MPI_Comm comm, window_element type, std::uint64_t elements) {
  std::size_t const size = size_of(type);
  MPI_Info how = MPI_INFO_NULL;
  check_mpi(MPI_Info_create(&how), "info");
  // Sums come in any order, and nothing else is accumulated.
  MPI_Info_set(how, "accumulate_ordering", "none");
  MPI_Info_set(how, "accumulate_ops", "same_op");
  void* own = nullptr;
  MPI_Win made = MPI_WIN_NULL;
  // Whole pages: MPICH 4.0.2 lets the parts of the ranks of a node overlap otherwise. A rank without elements gets an address, too.
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
  std::memset(own, 0, bytes);
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, made), "lock a window");
  return w;
}

mpi_window::~mpi_window() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

// One request for each run: under MPICH 4.0.2 a request for a get of a strided datatype is complete before the data are there.
std::uint64_t mpi_window::start(transfer_kind what, std::span<window_run const> runs) {
  under_way& mine = under_way_.emplace_back();
  mine.number = ++last_;
  mine.requests.reserve(runs.size());
  if (what != transfer_kind::get) is_flushed_ = false;
  for (window_run const& r : runs) {
    auto const n = static_cast<int>(r.count);
    auto const to = static_cast<int>(r.rank);
    auto const at = static_cast<MPI_Aint>(r.at);
    MPI_Request& request = mine.requests.emplace_back(MPI_REQUEST_NULL);
    switch (what) {
      case transfer_kind::get:
        check_mpi(MPI_Rget(r.local, n, type_, to, at, n, type_, window_, &request), "get");
        break;
      case transfer_kind::put:
        check_mpi(MPI_Rput(r.local, n, type_, to, at, n, type_, window_, &request), "put");
        break;
      case transfer_kind::accumulate:
        check_mpi(MPI_Raccumulate(r.local, n, type_, to, at, n, type_, MPI_SUM, window_, &request), "accumulate");
        break;
    }
  }
  return mine.number;
}

bool mpi_window::test(std::uint64_t started) {
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
