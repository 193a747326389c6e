# SPDX-License-Identifier: MIT
"""Who may include whom: the layers of the repository, the folders of cli/, the floors of machine/threads. A rule of tidy.py."""

import re

# The folders of cli/, and which of the others each may include; the subcommands on top include all of them.
CLI_FOLDERS = {"text": (), "balance": ("chart", "text"), "chart": (), "compare": ("measure", "text"), "export": ("text",), "measure": ("mpi", "text"), "mpi": (), "page": ("text",), "simulate": ("chart", "text"), "probes": ("text",), "report": ("page", "text"), "top": ("text",), "experiment": ("chart", "simulate", "text")}

# The folders of machine/threads, from the ground up: four floors (lane, fork, engine, face), and observe beside the last. A file includes
# nothing of a floor above its own; a header nothing of a folder further down in this list. A source may include all of its floor: a pool
# is made of what stands around it.
THREADS = "skua/machine/threads/"
THREADS_FOLDERS = ["lane", "fork/group", "fork/fiber", "fork/finish", "fork/join", "engine/sleep", "engine/sharing", "engine/history", "engine/outside",
                   "engine/core", "engine/team", "engine/loop", "engine/callers", "engine/stall", "face", "observe"]


def layer_of(path):
    """base, parts/NAME, program, policy, machine/NAME, face (skua/skua.hpp), apps, bench, cli, tests; or None."""
    parts = path.split("/")
    if re.search(r"_(test|model|bench)\.[ch]pp$", path):
        return "tests"  # a test may reach for anything, wherever it stands
    if parts[0] != "skua":
        return parts[0] if parts[0] in ("apps", "bench", "cli", "tests") else None
    if len(parts) == 2 or parts[1] in ("tbb", "onetbb", "c", "openmp", "pstl", "execution"):
        return "face"
    if parts[1] in ("parts", "machine") and len(parts) > 3:
        return "base" if parts[1:3] == ["parts", "base"] else "/".join(parts[1:3])
    return parts[1]


def why_barred_between(user, used, used_path):
    """A sentence if a file of layer `user` may not include `used_path`, which is of layer `used`; or None."""
    if user == used or user in (None, "tests"):
        return None
    if used is None:
        return f"{user} stands below the programs of examples/"
    if user in ("face", "apps", "bench", "cli"):
        high = {"face": (), "apps": (), "bench": ("apps",), "cli": ("apps",)}[user]
        if used in ("apps", "bench", "cli", "tests") and used not in high:
            return f"{user} stands below or beside {used}, and arrows point down only"
        return None
    if used in ("face", "apps", "bench", "cli", "tests"):
        return f"{used} stands above {user}, and arrows point down only"
    if user == "base":
        return "base is the bottom: it includes only itself"
    if user.startswith("parts/"):
        return None if used == "base" else f"{user} sees only base and itself"
    if user == "policy":
        if used in ("base", "parts/topology") or used_path == "skua/program/hint.hpp":
            return None
        return "a policy sees only parts/base, parts/topology and program/hint.hpp"
    if user == "program":
        return None if used == "base" or used.startswith("parts/") else f"a program knows nothing of {used}"
    if user.startswith("machine/"):
        if used.startswith("machine/"):
            return "machines never include each other"
        if user == "machine/sim" and used == "parts/queue":
            return "the simulator needs no concurrent queue: its workers are numbers"
        return None
    return f"{user} is no layer that tidy knows; say in tools/layers.py where it stands"


def why_barred_in_cli(user_path, used_path):
    """A sentence if a folder of cli/ may not include another one; or None."""
    user, used = (path.split("/")[1] for path in (user_path, used_path))
    if user not in CLI_FOLDERS or used in (user, *CLI_FOLDERS[user]):
        return None
    return f"cli/{user} includes only {', '.join(f'cli/{folder}' for folder in (user, *CLI_FOLDERS[user]))}"


def why_barred_in_threads(user_path, used_path):
    """A sentence if a file of one folder of machine/threads may not include one of another folder; or None."""
    user, used = (path.removeprefix(THREADS).rpartition("/")[0] for path in (user_path, used_path))
    for folder in (user, used):
        if folder not in THREADS_FOLDERS:
            return f"{THREADS}{folder} is on no floor; there are {', '.join(THREADS_FOLDERS)}"
    if user == used:
        return None
    if {user, used} == {"face", "observe"}:
        return "face and observe stand side by side and know nothing of each other"
    is_one_floor = user.split("/")[0] == used.split("/")[0]
    if THREADS_FOLDERS.index(user) > THREADS_FOLDERS.index(used) or is_one_floor and user_path.endswith(".cpp"):
        return None
    return f"{used} stands above {user}; what {user} asks of it goes through lane/duties.hpp, or what it needs of it moves down"


def why_barred(user_path, used_path):
    """A sentence if one file may not include the other; or None."""
    user, used = layer_of(user_path), layer_of(used_path)
    if why := why_barred_between(user, used, used_path):
        return why
    within = {"machine/threads": why_barred_in_threads, "cli": why_barred_in_cli}
    return within[user](user_path, used_path) if user == used and user in within else None
