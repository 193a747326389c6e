// SPDX-License-Identifier: MIT
// The list of apps, in the order in which users see it.
#include "apps/app.hpp"

namespace skua::apps {

std::vector<entry> const& all() {
  static std::vector<entry> const apps{
      {"fib", make_fib},
      {"nqueens", make_nqueens},
      {"uts", make_uts},
      {"matmul", make_matmul},
      {"matmul-z", make_matmul_z},
      {"strassen", make_strassen},
      {"strassen-z", make_strassen_z},
      {"heat", make_heat},
      {"sph", make_sph},
      {"cilksort", make_cilksort},
      {"cg", make_cg},
      {"hull", make_hull},
      {"bipartition", make_bipartition},
      {"sssp", make_sssp},
      {"puzzle15", make_puzzle15},
      {"latency", make_latency},
      {"quicksort", make_quicksort},
      {"strips", make_strips},
      {"prefix-sum", make_prefix_sum},
      {"mix", make_mix},
      {"chains", make_chains},
      {"sparselu", make_sparselu},
      {"cholesky", make_cholesky},
      {"heat-dag", make_heat_dag},
      {"matmul-dag", make_matmul_dag},
      {"random-dag", make_random_dag},
      {"fmm", make_fmm},
      {"qr", make_qr},
      {"nbody-chain", make_nbody_chain},
      {"hartree-fock", make_hartree_fock},
      {"tce", make_tce},
      {"synthetic-loads", make_synthetic_loads},
  };
  return apps;
}

}  // namespace skua::apps
