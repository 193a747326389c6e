# SPDX-License-Identifier: MIT
"""Headers that take seconds to compile, and the few sources that may include them: what tidy.py checks of them.

One of them in a header of ours, or in each source of a folder, adds minutes to a build. A thin header of ours stands in
front of each; a source that needs what that lacks is listed here, or the thin header gets it.
"""

# Each: how its includes begin, what to include instead, and who may include it.
THICK = (
    ("CLI/", "apps/option.hpp for options of an app, cli/text/command.hpp for those of a subcommand",
     {"apps/option_test.cpp", "apps/parse_options.cpp", "bench/harness.cpp", "cli/text/app_arguments.cpp",
      "cli/text/command.cpp", "cli/text/modes.cpp", "cli/text/usage.cpp", "tests/campaign/random_programs.cpp", "tests/mixed/mixed_programs.cpp",
      "tests/readers/fuzz_readers.cpp"}),
    ("nlohmann/", "apps/json_value.hpp",
     {"apps/json_value.cpp", "apps/json_value_test.cpp", "bench/harness.cpp", "cli/balance/load_output.cpp", "cli/balance/vt_phases.cpp", "skua/machine/ranks/trace/rank_trace.cpp",
      "skua/machine/threads/engine/history/history_text.cpp", "skua/machine/threads/engine/core/pool_trace.cpp"}),
    ("toml++/", "cli/experiment/toml_page.hpp, or what skua/machine/sim/model/model_file.hpp makes of a file",
     {"cli/experiment/toml_page.cpp", "skua/machine/ranks/simulated/cluster_file.cpp",
      "skua/machine/sim/model/model_file.cpp"}),
    ("fmt/ranges.h", "fmt/format.h, which has fmt::join", set()),
)


def findings(tree):
    for source in tree.code:
        for line, name, _ in source.includes():
            for begin, instead, allowed in THICK:
                if name.startswith(begin) and source.path not in allowed:
                    yield source, line, f"<{name}> takes seconds to compile wherever it is included: include {instead}"
