# The tests that take longest, with their seconds on two cores, about: ctest starts them first, so that none of them is left alone at the end.
# ctest learns that by itself, but a fresh clone has not run anything. tools/run_tests.py names the slowest of a run.
set(skua_test_costs
  apps_test=100 cli_ranks=90 deque_model=50 cli_interrupt=45 compile_fail=40 docs_packages=40 cli_subcommands=35 threads_test=30 cli_json=30
  cli_top=30 task_collection_test=30 campaign=25 cli_sim=25 docs_commands=25 report_in_browser=25 simulator_test=25 cli_experiment=20
  cli_misuse=20 experiment_test=20 memcheck_context_context_test=20 memcheck_small_stacks=20 finish_test=20 one_shot_test=20
  subproject=20 install_static=15 comparison_in_browser=15 pictures_in_browser=15 sim_live_test=15 simulator_adws_test=15 stolen_joins_model=15
  work_search_model=15 moving_model=15 policy_test=15 ordered_store_model=12 cli_test=12 explorer_test=10 registered_group_model=10
  sleep_model=10 one_shot_model=10 install_shared=8 tidy=8 context_lto_test=5 tagged_queue_model=5)

# skua_cost(NAME): the test of that name, which the same folder has added, costs what the table says.
function(skua_cost name)
  foreach(entry IN LISTS skua_test_costs)
    if(entry MATCHES "^([^=]+)=([0-9]+)$" AND CMAKE_MATCH_1 STREQUAL name)
      set_tests_properties(${name} PROPERTIES COST ${CMAKE_MATCH_2})
    endif()
  endforeach()
endfunction()
