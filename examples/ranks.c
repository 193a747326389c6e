/* SPDX-License-Identifier: MIT
 * A Fock build in C: tasks on all ranks get blocks of one matrix and accumulate to another one, in four iterations. */
#include <math.h>
#include <skua/ranks.h>
#include <stdio.h>
#include <stdlib.h>

enum { functions = 96, tile = 8 };

struct tile_pair {
  uint64_t i, k;
};

struct matrices {
  skua_matrix *density, *fock;
};

/* Any code but SKUA_OK ends the job: the others learn of it. */
static void must(int code) {
  if (code == SKUA_OK) return;
  fprintf(stderr, "%s\n", skua_error_text());
  exit(1);
}

/* Stands for the integrals: decays with the distance of the basis functions. */
static double integral(uint64_t i, uint64_t k) {
  double const distance = (double)i - (double)k;
  return exp(-0.05 * distance * distance);
}

static int build(void* data, void const* task, skua_site* site) {
  struct matrices const* m = data;
  struct tile_pair const* t = task;
  skua_rectangle const here = {t->i * tile, t->k * tile, tile, tile};
  double block[tile * tile];
  (void)site;
  if (skua_matrix_get(m->density, &here, block, tile) != SKUA_OK) return -1;
  for (uint64_t a = 0; a < tile; ++a)
    for (uint64_t b = 0; b < tile; ++b) block[a * tile + b] *= integral(here.row + a, here.column + b);
  return skua_matrix_accumulate(m->fock, &here, block, tile, 1.0) == SKUA_OK ? SKUA_TASK_DONE : -1;
}

int main(void) {
  skua_ranks* ranks;
  skua_collection* tasks;
  struct matrices m;
  double trace = 0;
  must(skua_ranks_of_mpi(0, &ranks));
  must(skua_matrix_on_grid(ranks, "density", functions, functions, &m.density));
  must(skua_matrix_on_grid(ranks, "Fock", functions, functions, &m.fock));
  must(skua_collection_make(ranks, "build", sizeof(struct tile_pair), build, &m, &tasks));
  must(skua_matrix_fill(m.density, 1));
  if (skua_ranks_rank(ranks) == 0) {
    for (uint64_t i = 0; i < functions / tile; ++i)
      for (uint64_t k = 0; k < functions / tile; ++k) must(skua_collection_add(tasks, &(struct tile_pair){i, k}));
  }
  for (int iteration = 1; iteration <= 4; ++iteration) {
    skua_report report;
    must(skua_matrix_fill(m.fock, 0));
    must(skua_collection_process(tasks));
    must(skua_matrix_sync(m.fock));
    must(skua_matrix_symmetrise(m.fock));
    must(skua_matrix_trace(m.fock, &trace));
    must(skua_collection_report(tasks, &report));
    if (skua_ranks_rank(ranks) == 0)
      printf("iteration %d: trace %.1f, %llu tasks\n", iteration, trace, (unsigned long long)report.tasks);
    must(skua_collection_restore(tasks, "auto"));
  }
  skua_collection_end(tasks);
  skua_matrix_end(m.fock);
  skua_matrix_end(m.density);
  must(skua_ranks_end(ranks));
  return trace == functions ? 0 : 1;
}
