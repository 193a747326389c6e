! SPDX-License-Identifier: MIT
! skua/ranks.h for Fortran: compile it with your program. Functions return SKUA_OK or another code; skua_error() has the text.
module skua_ranks
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: SKUA_OK = 0, SKUA_USAGE_ERROR = 1, SKUA_RESOURCE_ERROR = 2, SKUA_REMOTE_ERROR = 3, &
                               SKUA_RANK_LOST = 4, SKUA_ERROR_OF_TASK = 5
  integer(c_int), parameter :: SKUA_TASK_DONE = 0, SKUA_TASK_NULL = 1

  ! Rows and columns are counted from 0, and matrices lie in rows: the array a(columns, rows) of Fortran is such a matrix.
  type, bind(c) :: skua_rectangle
    integer(c_int64_t) :: row, column, rows, columns
  end type skua_rectangle

  type, bind(c) :: skua_report
    integer(c_int32_t) :: iteration, ranks
    integer(c_int64_t) :: tasks, moved
    real(c_double) :: seconds, mean_busy, most_busy
  end type skua_report

  type, bind(c) :: skua_rank_report
    integer(c_int32_t) :: rank, workers
    integer(c_int64_t) :: tasks, stolen, given
    real(c_double) :: seconds, busy, balancing
    integer(c_int64_t) :: received, sent, got, put, accumulated
  end type skua_rank_report

  abstract interface
    ! The function of a collection: skua_task_function.
    function skua_task_function(data, task, site) bind(c) result(outcome)
      import :: c_ptr, c_int
      type(c_ptr), value :: data, task, site
      integer(c_int) :: outcome
    end function skua_task_function
  end interface

  interface
    function skua_error_text() bind(c) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function skua_error_text
    function skua_ranks_alone(made) bind(c) result(code)
      import :: c_ptr, c_int
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function skua_ranks_alone
    function skua_ranks_of_mpi(deadline_s, made) bind(c) result(code)
      import :: c_ptr, c_int, c_double
      real(c_double), value :: deadline_s
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function skua_ranks_of_mpi
    function skua_ranks_end(ranks) bind(c) result(code)
      import :: c_ptr, c_int
      type(c_ptr), value :: ranks
      integer(c_int) :: code
    end function skua_ranks_end
    function skua_ranks_rank(ranks) bind(c) result(rank)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: ranks
      integer(c_int32_t) :: rank
    end function skua_ranks_rank
    function skua_ranks_size(ranks) bind(c) result(size)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: ranks
      integer(c_int32_t) :: size
    end function skua_ranks_size
    function skua_ranks_use_workers(ranks, workers) bind(c) result(code)
      import :: c_ptr, c_int, c_int32_t
      type(c_ptr), value :: ranks
      integer(c_int32_t), value :: workers
      integer(c_int) :: code
    end function skua_ranks_use_workers
    function skua_barrier(ranks) bind(c) result(code)
      import :: c_ptr, c_int
      type(c_ptr), value :: ranks
      integer(c_int) :: code
    end function skua_barrier
    function skua_sum_doubles(ranks, values, count) bind(c) result(code)
      import :: c_ptr, c_int, c_double, c_size_t
      type(c_ptr), value :: ranks
      real(c_double), intent(inout) :: values(*)
      integer(c_size_t), value :: count
      integer(c_int) :: code
    end function skua_sum_doubles
    function skua_max_doubles(ranks, values, count) bind(c) result(code)
      import :: c_ptr, c_int, c_double, c_size_t
      type(c_ptr), value :: ranks
      real(c_double), intent(inout) :: values(*)
      integer(c_size_t), value :: count
      integer(c_int) :: code
    end function skua_max_doubles
    function skua_min_doubles(ranks, values, count) bind(c) result(code)
      import :: c_ptr, c_int, c_double, c_size_t
      type(c_ptr), value :: ranks
      real(c_double), intent(inout) :: values(*)
      integer(c_size_t), value :: count
      integer(c_int) :: code
    end function skua_min_doubles
    function skua_sum_integers(ranks, values, count) bind(c) result(code)
      import :: c_ptr, c_int, c_int64_t, c_size_t
      type(c_ptr), value :: ranks
      integer(c_int64_t), intent(inout) :: values(*)
      integer(c_size_t), value :: count
      integer(c_int) :: code
    end function skua_sum_integers
    function skua_max_integers(ranks, values, count) bind(c) result(code)
      import :: c_ptr, c_int, c_int64_t, c_size_t
      type(c_ptr), value :: ranks
      integer(c_int64_t), intent(inout) :: values(*)
      integer(c_size_t), value :: count
      integer(c_int) :: code
    end function skua_max_integers
    function skua_min_integers(ranks, values, count) bind(c) result(code)
      import :: c_ptr, c_int, c_int64_t, c_size_t
      type(c_ptr), value :: ranks
      integer(c_int64_t), intent(inout) :: values(*)
      integer(c_size_t), value :: count
      integer(c_int) :: code
    end function skua_min_integers
    ! bytes: c_loc of the first element.
    function skua_broadcast(ranks, bytes, count, root) bind(c) result(code)
      import :: c_ptr, c_int, c_int32_t, c_size_t
      type(c_ptr), value :: ranks, bytes
      integer(c_size_t), value :: count
      integer(c_int32_t), value :: root
      integer(c_int) :: code
    end function skua_broadcast
    ! name: ends with c_null_char; run: c_funloc of a skua_task_function.
    function skua_collection_make(ranks, name, task_bytes, run, data, made) bind(c) result(code)
      import :: c_ptr, c_funptr, c_int, c_size_t, c_char
      type(c_ptr), value :: ranks, data
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: task_bytes
      type(c_funptr), value :: run
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function skua_collection_make
    subroutine skua_collection_end(tasks) bind(c)
      import :: c_ptr
      type(c_ptr), value :: tasks
    end subroutine skua_collection_end
    ! task: c_loc of it.
    function skua_collection_add(tasks, task) bind(c) result(code)
      import :: c_ptr, c_int
      type(c_ptr), value :: tasks, task
      integer(c_int) :: code
    end function skua_collection_add
    function skua_collection_add_work(tasks, task, work) bind(c) result(code)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: tasks, task
      real(c_double), value :: work
      integer(c_int) :: code
    end function skua_collection_add_work
    function skua_collection_process(tasks) bind(c) result(code)
      import :: c_ptr, c_int
      type(c_ptr), value :: tasks
      integer(c_int) :: code
    end function skua_collection_process
    function skua_collection_restore(tasks, how) bind(c) result(code)
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: tasks
      character(kind=c_char), intent(in) :: how(*)
      integer(c_int) :: code
    end function skua_collection_restore
    function skua_collection_rebalance(tasks, how) bind(c) result(code)
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: tasks
      character(kind=c_char), intent(in) :: how(*)
      integer(c_int) :: code
    end function skua_collection_rebalance
    function skua_collection_checkpoint(tasks, path, state, count) bind(c) result(code)
      import :: c_ptr, c_int, c_char, c_size_t
      type(c_ptr), value :: tasks, state
      character(kind=c_char), intent(in) :: path(*)
      integer(c_size_t), value :: count
      integer(c_int) :: code
    end function skua_collection_checkpoint
    function skua_collection_restart(tasks, path, state, count) bind(c) result(code)
      import :: c_ptr, c_int, c_char, c_size_t
      type(c_ptr), value :: tasks, state
      character(kind=c_char), intent(in) :: path(*)
      integer(c_size_t), value :: count
      integer(c_int) :: code
    end function skua_collection_restart
    function skua_collection_report(tasks, report) bind(c) result(code)
      import :: c_ptr, c_int, skua_report
      type(c_ptr), value :: tasks
      type(skua_report), intent(out) :: report
      integer(c_int) :: code
    end function skua_collection_report
    function skua_collection_own_report(tasks, report) bind(c) result(code)
      import :: c_ptr, c_int, skua_rank_report
      type(c_ptr), value :: tasks
      type(skua_rank_report), intent(out) :: report
      integer(c_int) :: code
    end function skua_collection_own_report
    function skua_collection_report_by_rank(tasks, reports, count) bind(c) result(code)
      import :: c_ptr, c_int, c_size_t, skua_rank_report
      type(c_ptr), value :: tasks
      type(skua_rank_report), intent(out) :: reports(*)
      integer(c_size_t), value :: count
      integer(c_int) :: code
    end function skua_collection_report_by_rank
    function skua_site_rank(site) bind(c) result(rank)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: site
      integer(c_int32_t) :: rank
    end function skua_site_rank
    function skua_site_worker(site) bind(c) result(worker)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: site
      integer(c_int32_t) :: worker
    end function skua_site_worker
    function skua_site_workers(site) bind(c) result(workers)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: site
      integer(c_int32_t) :: workers
    end function skua_site_workers
    function skua_site_spawn(site, task) bind(c) result(code)
      import :: c_ptr, c_int
      type(c_ptr), value :: site, task
      integer(c_int) :: code
    end function skua_site_spawn
    subroutine skua_site_progress(site) bind(c)
      import :: c_ptr
      type(c_ptr), value :: site
    end subroutine skua_site_progress
    function skua_matrix_by_rows(ranks, name, rows, columns, made) bind(c) result(code)
      import :: c_ptr, c_int, c_int64_t, c_char
      type(c_ptr), value :: ranks
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: rows, columns
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function skua_matrix_by_rows
    function skua_matrix_on_grid(ranks, name, rows, columns, made) bind(c) result(code)
      import :: c_ptr, c_int, c_int64_t, c_char
      type(c_ptr), value :: ranks
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: rows, columns
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function skua_matrix_on_grid
    function skua_matrix_in_tiles(ranks, name, rows, columns, tile_rows, tile_columns, made) bind(c) result(code)
      import :: c_ptr, c_int, c_int64_t, c_char
      type(c_ptr), value :: ranks
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: rows, columns, tile_rows, tile_columns
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function skua_matrix_in_tiles
    subroutine skua_matrix_end(m) bind(c)
      import :: c_ptr
      type(c_ptr), value :: m
    end subroutine skua_matrix_end
    function skua_matrix_get(m, where, to, leading) bind(c) result(code)
      import :: c_ptr, c_int, c_int64_t, c_double, skua_rectangle
      type(c_ptr), value :: m
      type(skua_rectangle), intent(in) :: where
      real(c_double), intent(out) :: to(*)
      integer(c_int64_t), value :: leading
      integer(c_int) :: code
    end function skua_matrix_get
    function skua_matrix_put(m, where, from, leading) bind(c) result(code)
      import :: c_ptr, c_int, c_int64_t, c_double, skua_rectangle
      type(c_ptr), value :: m
      type(skua_rectangle), intent(in) :: where
      real(c_double), intent(in) :: from(*)
      integer(c_int64_t), value :: leading
      integer(c_int) :: code
    end function skua_matrix_put
    function skua_matrix_accumulate(m, where, from, leading, alpha) bind(c) result(code)
      import :: c_ptr, c_int, c_int64_t, c_double, skua_rectangle
      type(c_ptr), value :: m
      type(skua_rectangle), intent(in) :: where
      real(c_double), intent(in) :: from(*)
      integer(c_int64_t), value :: leading
      real(c_double), value :: alpha
      integer(c_int) :: code
    end function skua_matrix_accumulate
    function skua_matrix_owner(m, row, column, rank) bind(c) result(code)
      import :: c_ptr, c_int, c_int32_t, c_int64_t
      type(c_ptr), value :: m
      integer(c_int64_t), value :: row, column
      integer(c_int32_t), intent(out) :: rank
      integer(c_int) :: code
    end function skua_matrix_owner
    function skua_matrix_sync(m) bind(c) result(code)
      import :: c_ptr, c_int
      type(c_ptr), value :: m
      integer(c_int) :: code
    end function skua_matrix_sync
    function skua_matrix_fill(m, value) bind(c) result(code)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: m
      real(c_double), value :: value
      integer(c_int) :: code
    end function skua_matrix_fill
    function skua_matrix_scale(m, alpha) bind(c) result(code)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: m
      real(c_double), value :: alpha
      integer(c_int) :: code
    end function skua_matrix_scale
    function skua_matrix_copy(to, from) bind(c) result(code)
      import :: c_ptr, c_int
      type(c_ptr), value :: to, from
      integer(c_int) :: code
    end function skua_matrix_copy
    function skua_matrix_add(to, alpha, a, beta, b) bind(c) result(code)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: to, a, b
      real(c_double), value :: alpha, beta
      integer(c_int) :: code
    end function skua_matrix_add
    function skua_matrix_symmetrise(m) bind(c) result(code)
      import :: c_ptr, c_int
      type(c_ptr), value :: m
      integer(c_int) :: code
    end function skua_matrix_symmetrise
    function skua_matrix_transpose(to, from) bind(c) result(code)
      import :: c_ptr, c_int
      type(c_ptr), value :: to, from
      integer(c_int) :: code
    end function skua_matrix_transpose
    function skua_matrix_trace(m, trace) bind(c) result(code)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: m
      real(c_double), intent(out) :: trace
      integer(c_int) :: code
    end function skua_matrix_trace
    function skua_matrix_dot(a, b, sum) bind(c) result(code)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: a, b
      real(c_double), intent(out) :: sum
      integer(c_int) :: code
    end function skua_matrix_dot
    function skua_matrix_write(m, path) bind(c) result(code)
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: m
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: code
    end function skua_matrix_write
    function skua_matrix_read(m, path) bind(c) result(code)
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: m
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: code
    end function skua_matrix_read
  end interface

contains

  ! skua_error_text() as a string of Fortran.
  function skua_error() result(text)
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: from
    integer :: length, i
    from = skua_error_text()
    call c_f_pointer(from, letters, [4096])
    length = 0
    do while (letters(length + 1) /= c_null_char)
      length = length + 1
      if (length == 4096) exit
    end do
    allocate (character(len=length) :: text)
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function skua_error
end module skua_ranks
