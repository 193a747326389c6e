# The tests that take longest, with their seconds on two cores, about: ctest starts them first, so that none of them is left alone at the end.
# ctest learns that by itself, but a fresh clone has not run anything. tools/run_tests.py names the slowest of a run.
set(skua_test_costs
  cli_ranks=150 task_collection_test=146 cli_app_options=85 install_mpi=78 leaving=75 apps_test=75 cli_options=59 flags=53 cli_interrupt=43
  simulator_adws_test=34 sim_live_test=33 threads_test=32 policy_test=29 matrix_test=27 compile_fail=26 pictures_in_browser=23 cli_sim=23
  watched_mixed_test=23 report_in_browser=22 promptness_test=21 deque_model=19 simulator_test=19 ranks_protocol_test=18 subproject=17
  install_static=17 cli_victims=15 cli_suggestions=14 work_search_model=13 worker_roster_model=12 ordered_store_model=12 comparison_in_browser=11
  cli_experiment=11 tidy=10 mixed_test=10 flow_test=9 docs_packages=7 pools_do_not_leak=7 enqueue_test=7 cli_subcommands=6 split_queue_model=6
  sleep_model=6 one_shot_test=6 cli_test=6 cli_retentive_experiment=6 install_shared=5 cli_misuse=5 pool_trace_test=4 moving_model=4 cli_json=4
  next_step_model=2 registered_group_model=2)

# skua_cost(NAME): the test of that name, which the same folder has added, costs what the table says.
function(skua_cost name)
  foreach(entry IN LISTS skua_test_costs)
    if(entry MATCHES "^([^=]+)=([0-9]+)$" AND CMAKE_MATCH_1 STREQUAL name)
      set_tests_properties(${name} PROPERTIES COST ${CMAKE_MATCH_2})
    endif()
  endforeach()
endfunction()
