! SPDX-License-Identifier: MIT
! The program of ranks.c in Fortran: tasks on all ranks get blocks of one matrix and accumulate to another one.
module fock_build
  use, intrinsic :: iso_c_binding
  use skua_ranks
  implicit none
  integer(c_int64_t), parameter :: functions = 96, tile = 8
  type, bind(c) :: tile_pair
    integer(c_int64_t) :: i, k
  end type tile_pair
  type(c_ptr) :: density, fock
contains
  function build(data, task, site) bind(c) result(outcome)
    type(c_ptr), value :: data, task, site
    integer(c_int) :: outcome
    type(tile_pair), pointer :: t
    type(skua_rectangle) :: here
    real(c_double) :: block(tile, tile)
    integer(c_int64_t) :: a, b
    real(c_double) :: distance
    call c_f_pointer(task, t)
    here = skua_rectangle(t%i * tile, t%k * tile, tile, tile)
    outcome = -1
    if (skua_matrix_get(density, here, block, tile) /= SKUA_OK) return
    do a = 1, tile
      do b = 1, tile
        distance = real(here%row + a - here%column - b, c_double)
        block(b, a) = block(b, a) * exp(-0.05d0 * distance**2)
      end do
    end do
    if (skua_matrix_accumulate(fock, here, block, tile, 1.0d0) == SKUA_OK) outcome = SKUA_TASK_DONE
  end function build
  subroutine must(code)
    integer(c_int), intent(in) :: code
    if (code == SKUA_OK) return
    print '(a)', skua_error()
    error stop 1
  end subroutine must
end module fock_build

program ranks
  use, intrinsic :: iso_c_binding
  use skua_ranks
  use fock_build
  implicit none
  type(c_ptr) :: world, tasks
  type(tile_pair), target :: t
  type(skua_report) :: report
  real(c_double) :: trace
  integer :: iteration
  integer(c_int64_t) :: i, k
  call must(skua_ranks_of_mpi(0.0d0, world))
  call must(skua_matrix_on_grid(world, 'density'//c_null_char, functions, functions, density))
  call must(skua_matrix_on_grid(world, 'Fock'//c_null_char, functions, functions, fock))
  call must(skua_collection_make(world, 'build'//c_null_char, c_sizeof(t), c_funloc(build), c_null_ptr, tasks))
  call must(skua_matrix_fill(density, 1.0d0))
  if (skua_ranks_rank(world) == 0) then
    do i = 0, functions / tile - 1
      do k = 0, functions / tile - 1
        t = tile_pair(i, k)
        call must(skua_collection_add(tasks, c_loc(t)))
      end do
    end do
  end if
  do iteration = 1, 4
    call must(skua_matrix_fill(fock, 0.0d0))
    call must(skua_collection_process(tasks))
    call must(skua_matrix_sync(fock))
    call must(skua_matrix_symmetrise(fock))
    call must(skua_matrix_trace(fock, trace))
    call must(skua_collection_report(tasks, report))
    if (skua_ranks_rank(world) == 0) then
      print '(a,i0,a,f6.1,a,i0,a)', 'iteration ', iteration, ': trace ', trace, ', ', report%tasks, ' tasks'
    end if
    call must(skua_collection_restore(tasks, 'auto'//c_null_char))
  end do
  call skua_collection_end(tasks)
  call skua_matrix_end(fock)
  call skua_matrix_end(density)
  call must(skua_ranks_end(world))
  if (abs(trace - functions) > 1.0d-9) error stop 1
end program ranks
