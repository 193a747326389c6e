#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""On a system without /dev/pts, or whose own name has no address, doctor says so. Needs the right to make namespaces."""

import os
import shutil
import subprocess

import command

# A namespace of one's own, in which a name without an address and hidden folders harm nobody else.
UNSHARE = ["unshare", "--mount", "--uts", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-ec"]
BARE = """hostname nowhere-such
printf '127.0.0.1 localhost\\n' > "$0/hosts"
printf 'hosts: files\\n' > "$0/nsswitch.conf"
for file in hosts nsswitch.conf; do if [ -e "/etc/$file" ]; then mount --bind "$0/$file" "/etc/$file"; fi; done
if [ -d /dev/pts ]; then mount -t tmpfs none /dev/pts; fi
"""
TERMINALS, ADDRESS = "terminals: a program can make none (", "an address of this host's name, "


class BareSystem(command.Case):
    def on_a_bare_system(self, *arguments):
        if not shutil.which("unshare"):
            self.skipTest("there is no unshare on this machine")
        made = subprocess.run([*UNSHARE, BARE, str(self.scratch)], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            self.skipTest(f"no namespaces can be made here: {made.stderr.strip()}")
        return self.works_json(*UNSHARE[1:], BARE + 'exec "$@"', str(self.scratch), command.SKUA, *arguments, program=UNSHARE[0])

    def test_doctor_names_what_is_missing_and_why(self):
        missing = self.on_a_bare_system("doctor", "--json")["missing"]
        (terminals,) = [m for m in missing if m.startswith(TERMINALS)]
        self.assertIn("/dev/pts is not mounted", terminals)
        (address,) = [m for m in missing if m.startswith(ADDRESS)]
        self.assertRegex(address, r", nowhere-such \(.+\): mpirun may wait .*/etc/hosts.* RES_OPTIONS=attempts:0 ")

    def test_doctor_says_nothing_of_terminals_where_they_can_be_made(self):
        for end in command.new_terminal():
            os.close(end)
        self.assertNotIn(TERMINALS, self.works("doctor"))


if __name__ == "__main__":
    command.main()
