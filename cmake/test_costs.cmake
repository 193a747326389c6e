# The tests that take longest, with their seconds on two cores, about: ctest starts them first, so that none of them is left alone at the end.
# ctest learns that by itself, but a fresh clone has not run anything. tools/run_tests.py names the slowest of a run.
set(skua_test_costs
  work_search_model=134 deque_model=125 cli_ranks=120 apps_test=80 threads_test=67 sleep_model=47 compile_fail=45
  cli_interrupt=38 mpi_test_openmpi_2=37 task_collection_test=34 simulator_adws_test=27 registered_group_model=25
  pictures_in_browser=24 policy_test=23 cli_sim=22 sim_live_test=21 report_in_browser=21 simulator_test=19
  comparison_in_browser=18 moving_model=17 cli_subcommands=16 ranks_protocol_test=16 tidy=15 install_static=15
  subproject=15 ordered_store_model=14 cli_retentive_experiment=11 cli_experiment=10 docs_packages=10
  stolen_joins_model=10 pools_do_not_leak=9 install_shared=8 tidy_test=7 flow_test=7 failure_epoch_model=6
  tagged_queue_model=6 interrupted_ranks_test=5 one_shot_test=5 cli_test=5 example_strategies_random=4
  hot_path_instructions_plain=4)

# skua_cost(NAME): the test of that name, which the same folder has added, costs what the table says.
function(skua_cost name)
  foreach(entry IN LISTS skua_test_costs)
    if(entry MATCHES "^([^=]+)=([0-9]+)$" AND CMAKE_MATCH_1 STREQUAL name)
      set_tests_properties(${name} PROPERTIES COST ${CMAKE_MATCH_2})
    endif()
  endforeach()
endfunction()
