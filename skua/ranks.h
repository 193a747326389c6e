/* SPDX-License-Identifier: MIT
 * Task collections and distributed matrices over many ranks, for C and, by ISO_C_BINDING, for Fortran (skua/ranks.f90). docs/ranks.md explains what
 * they do; each function here is one of C++, whose docstring has the cost and the errors.
 *
 * A function that returns int returns SKUA_OK or one of the other codes; skua_error_text() then says what was wrong. "Collective": every rank
 * calls it, in the same order, outside tasks. Link skua::skua, and skua::mpi for skua_ranks_of_mpi. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  SKUA_OK = 0,
  SKUA_USAGE_ERROR = 1,    /* a wrong argument, or a call that is not allowed here */
  SKUA_RESOURCE_ERROR = 2, /* no memory, no file, no thread */
  SKUA_REMOTE_ERROR = 3,   /* a task failed on another rank */
  SKUA_RANK_LOST = 4,      /* a rank died, and the job cannot go on */
  SKUA_ERROR = 5           /* a task of this rank failed, and anything else */
};

/* Of the last function that did not return SKUA_OK in this thread; empty before. Valid until the next one. */
const char* skua_error_text(void);

/* The ranks of a job. Only the thread that made it uses it, and its collections. */
typedef struct skua_ranks skua_ranks;

/* One rank, without MPI. */
int skua_ranks_alone(skua_ranks** made);
/* Collective over MPI_COMM_WORLD; initialises MPI unless the program has. deadline_s: 0, or the seconds of silence after which a rank is
 * dead (skua::mpi::session). Of the library skua::mpi. */
int skua_ranks_of_mpi(double deadline_s, skua_ranks** made);
/* Collective. After the ends of its collections and matrices. NULL does nothing. */
int skua_ranks_end(skua_ranks* ranks);

uint32_t skua_ranks_rank(const skua_ranks* ranks);
uint32_t skua_ranks_size(const skua_ranks* ranks);
/* Collections that this rank makes from now on run their tasks on so many workers, and the calling thread answers other ranks.
 * 0: one per processor of the rank. Before the first collection, once. */
int skua_ranks_use_workers(skua_ranks* ranks, uint32_t workers);

/* Collective. Each element becomes the sum, the largest or the smallest of all ranks' elements, exact and the same on every rank. */
int skua_sum_doubles(skua_ranks* ranks, double* values, size_t count);
int skua_max_doubles(skua_ranks* ranks, double* values, size_t count);
int skua_min_doubles(skua_ranks* ranks, double* values, size_t count);
int skua_sum_integers(skua_ranks* ranks, int64_t* values, size_t count);
int skua_max_integers(skua_ranks* ranks, int64_t* values, size_t count);
int skua_min_integers(skua_ranks* ranks, int64_t* values, size_t count);
/* Collective. The bytes of rank `root`, on every rank. */
int skua_broadcast(skua_ranks* ranks, void* bytes, size_t count, uint32_t root);
int skua_barrier(skua_ranks* ranks);

/* A collection of tasks of `task_bytes` bytes each, which travel as they are: without addresses. */
typedef struct skua_collection skua_collection;
/* Where a task runs: valid in its function. */
typedef struct skua_site skua_site;

enum {
  SKUA_TASK_DONE = 0,
  SKUA_TASK_NULL = 1 /* it had nothing to do, and need not run in the next iterations */
};
/* Called for each task, by several threads at once if the rank has several workers. `task` is aligned to 16 bytes. Any other value than the
 * two above is a failure: skua_collection_process returns SKUA_ERROR on this rank and SKUA_REMOTE_ERROR on the others. */
typedef int (*skua_task_function)(void* data, const void* task, skua_site* site);

/* Collective. `name`: in messages; collections that live at once have different names. `data` is passed to the function. */
int skua_collection_make(skua_ranks* ranks, const char* name, size_t task_bytes, skua_task_function run, void* data,
                         skua_collection** made);
void skua_collection_end(skua_collection* tasks);
/* Local: adds a copy on this rank. */
int skua_collection_add(skua_collection* tasks, const void* task);
/* The same; `work` > 0, in any unit, lets skua_collection_rebalance work before the first iteration. */
int skua_collection_add_work(skua_collection* tasks, const void* task, double work);
/* Collective: runs all tasks of all ranks. */
int skua_collection_process(skua_collection* tasks);
/* Collective: the next process() runs the same tasks again, starting as `how` says: "auto", "retentive", "steal", "none" or a balancer. */
int skua_collection_restore(skua_collection* tasks, const char* how);
/* Collective: moves tasks by their times, or before the first process() by their works. `how`: "hierarchical" or another balancer. */
int skua_collection_rebalance(skua_collection* tasks, const char* how);
/* Collective: writes the tasks that ran, and `count` bytes of rank 0, to a file. Between process and restore. */
int skua_collection_checkpoint(skua_collection* tasks, const char* path, const void* state, size_t count);
/* Collective: instead of process; then call restore. Copies the state, which must have `count` bytes, to every rank. */
int skua_collection_restart(skua_collection* tasks, const char* path, void* state, size_t count);

/* Of the last process(), over all ranks; times in seconds. */
typedef struct skua_report {
  uint32_t iteration;
  uint32_t ranks;
  uint64_t tasks;
  uint64_t moved;   /* stolen */
  double seconds;   /* of the slowest rank */
  double mean_busy; /* time in tasks, mean of all workers */
  double most_busy; /* of the busiest rank */
} skua_report;
/* Collective. */
int skua_collection_report(skua_collection* tasks, skua_report* report);
/* Of this rank in the last process(); times in seconds, and bytes as tasks and elements travel. */
typedef struct skua_rank_report {
  uint32_t rank;
  uint32_t workers;
  uint64_t tasks;
  uint64_t stolen;    /* by this rank */
  uint64_t given;     /* stolen from it */
  double seconds;     /* of its process() */
  double busy;        /* in tasks, mean of its workers */
  double balancing;   /* in restore and rebalance before */
  uint64_t received;  /* bytes of tasks */
  uint64_t sent;      /* bytes of tasks */
  uint64_t got;       /* bytes of matrices on other ranks */
  uint64_t put;       /* bytes */
  uint64_t accumulated; /* bytes */
} skua_rank_report;
/* Local. */
int skua_collection_own_report(skua_collection* tasks, skua_rank_report* report);
/* Collective: `reports`, on rank 0 only, gets one for each of skua_ranks_size ranks; that of a dead rank is of its number and else 0. NULL elsewhere. */
int skua_collection_report_by_rank(skua_collection* tasks, skua_rank_report* reports, size_t count);

uint32_t skua_site_rank(const skua_site* site);
/* The worker of the rank that runs the task, below skua_site_workers: it runs one task at a time. */
uint32_t skua_site_worker(const skua_site* site);
uint32_t skua_site_workers(const skua_site* site);
/* Adds a task to the same collection; it runs in the same process(). */
int skua_site_spawn(skua_site* site, const void* task);
/* A long task should call it now and then: answers thieves. */
void skua_site_progress(skua_site* site);

/* A matrix of doubles that lies on all ranks, in rows, counted from 0; zero at first. Tasks on every worker get, put and accumulate. */
typedef struct skua_matrix skua_matrix;

/* Collective. Distributions: whole rows; a grid of ranks; tiles of so many rows and columns, dealt out in turn. */
int skua_matrix_by_rows(skua_ranks* ranks, const char* name, uint64_t rows, uint64_t columns, skua_matrix** made);
int skua_matrix_on_grid(skua_ranks* ranks, const char* name, uint64_t rows, uint64_t columns, skua_matrix** made);
int skua_matrix_in_tiles(skua_ranks* ranks, const char* name, uint64_t rows, uint64_t columns, uint64_t tile_rows,
                         uint64_t tile_columns, skua_matrix** made);
void skua_matrix_end(skua_matrix* m);
/* A rectangle: its first row and column, its numbers of rows and columns. `leading`: elements between the beginnings of two rows in the
 * caller's memory. */
typedef struct skua_rectangle {
  uint64_t row, column, rows, columns;
} skua_rectangle;
int skua_matrix_get(skua_matrix* m, const skua_rectangle* where, double* to, uint64_t leading);
int skua_matrix_put(skua_matrix* m, const skua_rectangle* where, const double* from, uint64_t leading);
/* Adds alpha times the memory. Visible to others after skua_matrix_sync. */
int skua_matrix_accumulate(skua_matrix* m, const skua_rectangle* where, const double* from, uint64_t leading, double alpha);
int skua_matrix_owner(const skua_matrix* m, uint64_t row, uint64_t column, uint32_t* rank);
/* Collective, as are the rest: every transfer that was begun before is complete, and visible. */
int skua_matrix_sync(skua_matrix* m);
int skua_matrix_fill(skua_matrix* m, double value);
int skua_matrix_scale(skua_matrix* m, double alpha);
int skua_matrix_copy(skua_matrix* to, skua_matrix* from);
/* to = alpha * a + beta * b. */
int skua_matrix_add(skua_matrix* to, double alpha, skua_matrix* a, double beta, skua_matrix* b);
int skua_matrix_symmetrise(skua_matrix* m);
int skua_matrix_transpose(skua_matrix* to, skua_matrix* from);
int skua_matrix_trace(skua_matrix* m, double* trace);
int skua_matrix_dot(skua_matrix* a, skua_matrix* b, double* sum);
int skua_matrix_write(skua_matrix* m, const char* path);
int skua_matrix_read(skua_matrix* m, const char* path);

#ifdef __cplusplus
}
#endif
