#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wrong programs do not compile, and the first error says what was expected, in the words of the library.

    compile_fail_test.py ROOT COMPILER FILE..

Each FILE stands beside this script and names its sentence in a comment: `// Expected: ...`. `// Standard: c++17` chooses
another standard than C++20.
"""

import pathlib
import re
import subprocess
import sys


def message(root, compiler, source):
    """What is wrong with how `source` is refused; or None."""
    text = source.read_text(encoding="utf-8")
    expected = re.search(r"^// Expected: (.+)$", text, re.MULTILINE)[1]
    standard = re.search(r"^// Standard: (.+)$", text, re.MULTILINE)
    run = subprocess.run([compiler, f"-std={standard[1] if standard else 'c++20'}", "-fsyntax-only", "-I", root, str(source)],
                         capture_output=True, text=True, check=False, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    errors = [line for line in run.stderr.splitlines() if re.search(r"\berror:", line)]
    if run.returncode == 0:
        return "it compiles"
    if expected not in errors[0]:
        return f"the first error is not {expected!r}, but {errors[0]!r}"
    if len(errors) > 1:
        return f"{len(errors)} errors where the first says all: {errors[1]!r}"
    return None


def main():
    root, compiler, *names = sys.argv[1:]
    failures = 0
    for name in names:
        if wrong := message(root, compiler, pathlib.Path(__file__).parent / name):
            failures += 1
            print(f"{name}: {wrong}")
    print(f"{len(names)} programs, {failures} wrongly refused or accepted")
    return 1 if failures or not names else 0


if __name__ == "__main__":
    sys.exit(main())
