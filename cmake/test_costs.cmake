# The tests that take longest, with their seconds on two cores, about: ctest starts them first, so that none of them is left alone at the end.
# ctest learns that by itself, but a fresh clone has not run anything. tools/run_tests.py names the slowest of a run.
set(skua_test_costs
  apps_test=71 leaving=60 deque_model=12 cli_ranks=61 cli_options=60 cli_app_options=50 work_search_model=8 cli_interrupt=40 task_collection_test=28 matrix_test=27
  policy_test=25 sleep_model=5 threads_test=25 sim_live_test=20 install_mpi=60 install_static=19 subproject=18
  simulator_adws_test=18 pictures_in_browser=18 compile_fail=16 cli_sim=16 report_in_browser=16
  ranks_protocol_test=12 next_step_model=2 simulator_test=11 registered_group_model=2 comparison_in_browser=10
  tidy=9 moving_model=3 cli_experiment=8 flow_test=7 docs_packages=7
  example_strategies_random=5 one_shot_test=5 cli_test=5
  cli_retentive_experiment=4 pool_trace_test=4 install_shared=4 cli_misuse=4 cli_json=3 pools_do_not_leak=3
  cli_subcommands=3 enqueue_test=3)

# skua_cost(NAME): the test of that name, which the same folder has added, costs what the table says.
function(skua_cost name)
  foreach(entry IN LISTS skua_test_costs)
    if(entry MATCHES "^([^=]+)=([0-9]+)$" AND CMAKE_MATCH_1 STREQUAL name)
      set_tests_properties(${name} PROPERTIES COST ${CMAKE_MATCH_2})
    endif()
  endforeach()
endfunction()
