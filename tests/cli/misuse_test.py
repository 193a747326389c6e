#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whatever makes no sense ends with exit code 2 and one line: what was wrong, and what would be right."""

import os
import resource
import unittest

import command


class Words(command.Case):
    def test_no_verb(self):
        self.refuses(says=["verb", "doctor"])

    def test_unknown_verb(self):
        self.refuses("lst", says=["'lst'", "'list'"])

    def test_no_app(self):
        self.refuses("run", says=["app", "fib"])
        self.refuses("compare", says=["app", "fib"])

    def test_unknown_app(self):
        self.refuses("run", "cilksrt", says=["'cilksrt'", "'cilksort'"])

    def test_unknown_option(self):
        self.refuses("run", "fib", "--polcy", "random", says=["'--polcy'", "'--policy'"])
        self.refuses("run", "uts", "--tre=T1", says=["'--tre=T1'", "'--tree'"])
        self.refuses("doctor", "-x", says=["'-x'"])

    def test_one_word_too_many(self):
        self.refuses("run", "fib", "extra", says=["'extra'"])
        self.refuses("list", "fib", says=["'fib'"])

    def test_unknown_policy(self):
        self.refuses("run", "fib", "--policy", "randm", says=["'randm'", "'random'"])
        self.refuses("compare", "fib", "--policies", "random,hierachical", says=["'hierachical'", "'hierarchical'"])
        self.refuses("run", "fib", "--policy", "hierarchical:patience=0", says=["patience", "1", "1000"])

    def test_unknown_peer(self):
        self.refuses("run", "fib", "--peer", "rayon", says=["'rayon'", "serial, openmp, tbb"])
        self.refuses("compare", "fib", "--peers", "serial,tb", says=["'tb'", "'tbb'"])

    def test_unknown_style_of_a_peer(self):
        self.refuses("compare", "heat", "--peers", "tbb:afinity", says=["'afinity'", "auto, static, affinity, simple", "'affinity'"])
        self.refuses("compare", "heat", "--peers", "openmp:", says=["static, dynamic, tasks"])
        self.refuses("compare", "heat", "--peers", "serial:static", says=["serial:static", "one way only"])
        self.refuses("compare", "fib", "--peers", "tbb:affinity", says=["tbb:affinity", "fib", "one way only"])
        self.refuses("compare", "heat", "--peers", "tb:affinity", says=["'tb'", "'tbb'"])
        self.refuses("run", "fib", "--peer", "tbb:affinity", says=["--peer", "one way only"])

    def test_choices_that_exclude_each_other(self):
        self.refuses("run", "fib", "--peer", "tbb", "--policy", "random", says=["--policy", "--peer"])
        self.refuses("compare", "fib", "--policies", "none", "--breakdown", says=["--breakdown", "--policies"])
        self.refuses("run", "fib", "--peer", "tbb", "--stats", says=["--stats", "--peer"])
        self.refuses("run", "fib", "--peer", "serial", "--workers", "2", says=["serial has one worker"])
        for option in (["--scatter"], ["--spin", "5us"], ["--stack", "16k"], ["--pin", "on"], ["--places", "cores"], ["--synthetic", "core:4"],
                       ["--xml", "x"]):
            for peer in ("serial", "openmp", "tbb"):
                with self.subTest(option=option[0], peer=peer):
                    self.refuses("run", "heat", "--peer", peer, *option, says=[option[0], "--peer"])
            self.refuses("compare", "fib", "--policies", "none", *option, says=[option[0], "--policies none"])
        for option in (["--spin", "5us"], ["--stack", "16k"], ["--pin", "on"]):
            self.refuses("run", "fib", "--virtual", *option, says=[option[0], "--virtual"])
        self.refuses("topology", "--synthetic", "core:2", "--xml", "x", says=["--synthetic", "--xml"])
        self.refuses("compare", "fib", "--policies", "none", "--peers", "none", says=["nothing"])

    def test_an_option_without_its_value_or_twice(self):
        self.refuses("run", "fib", "--n", says=["--n", "value is missing"])
        self.refuses("run", "fib", "--n", "5", "--n", "6", says=["--n", "2 times"])


class Numbers(command.Case):
    def test_workers(self):
        for count in ("0", "-1", "-0", "65537", "99999999999999999999", "two", "1.5", "", " ", "0x2", "2,"):
            with self.subTest(count=count):
                self.refuses("run", "fib", "--workers", count, says=["--workers", "1 to 65536"])
                self.refuses("topology", "--workers", count, says=["--workers", "1 to 65536"])

    def test_rounds_of_calibrate(self):
        for count in ("0", "2", "1001", "few", ""):
            with self.subTest(count=count):
                self.refuses("calibrate", "--rounds", count, says=["--rounds", "3 to 1000"])
        self.refuses("calibrate", "--name", 'a "name"', says=["--name", "without quotes"])

    def test_lists_of_workers(self):
        for counts in ("1,0", "1,-1", "1,65537", "1,two", "1,,2", ",", ""):
            with self.subTest(counts=counts):
                self.refuses("compare", "fib", "--workers", counts, says=["--workers"])

    def test_more_workers_than_a_peer_stands(self):
        self.refuses("compare", "fib", "--workers", "65536", says=["openmp", "1024"])
        self.refuses("run", "fib", "--peer", "tbb", "--workers", "65536", says=["tbb", "1024"])

    def test_repeat(self):
        for count in ("0", "-1", "many", "99999999999"):
            self.refuses("run", "fib", "--repeat", count, says=["--repeat", "1 to"])
            self.refuses("compare", "fib", "--repeat", count, says=["--repeat", "1 to"])

    def test_an_apps_own_numbers(self):
        self.refuses("run", "fib", "--n", "0", says=["--n", "1 to 93"])
        self.refuses("run", "fib", "--n", "-5", says=["--n", "1 to 93"])
        self.refuses("run", "fib", "--n", "abc", says=["--n", '"abc"', "whole number"])
        self.refuses("run", "uts", "--branching", "wide", says=["--branching", "number"])
        self.refuses("run", "uts", "--branching", "1e300", says=["--branching is 1e+300; allowed: 1 to 1e+06"])
        self.refuses("run", "heat", "--alpha", "nan", says=["--alpha", "is nan; allowed: 0 to 1"])
        self.refuses("run", "uts", "--tree", "T9", says=["T9", "T3L"])

    def test_other_choices_of_a_pool(self):
        self.refuses("run", "fib", "--pin", "maybe", says=["--pin", "on"])
        self.refuses("run", "fib", "--spin", "5", says=["--spin", "us"])
        self.refuses("run", "fib", "--stack", "1", says=["--stack", "16k"])
        self.refuses("run", "fib", "--places", "{0,", says=["--places", "cores"])


class Variables(command.Case):
    def test_each_is_named_with_its_value_and_what_is_allowed(self):
        for name in ("SKUA_WORKERS", "SKUA_PLACES", "SKUA_PIN", "SKUA_SPIN", "SKUA_STACK"):
            with self.subTest(variable=name):
                self.refuses("run", "fib", "--n", "5", variables={name: "b0gus!"}, says=[name, "b0gus!", "allowed"])

    def test_a_policy_is_named_with_those_that_exist(self):
        rights = {"randm": "known: random, hierarchical", "RANDOM": "did you mean 'random'?", "numa_ws": "did you mean 'numa-ws'?",
                  "numa-ws:bias=0": "from 1 to 100", "adws:no-steal=0": "takes no value", "b0gus!": "known: random, hierarchical"}
        for wrong, right in rights.items():
            for words in (["run", "fib", "--n", "5"], ["run", "fib", "--n", "5", "--virtual"], ["doctor"]):
                with self.subTest(policy=wrong, words=words):
                    self.refuses(*words, variables={"SKUA_POLICY": wrong}, says=[f'SKUA_POLICY="{wrong}"', right])
        self.works("run", "fib", "--n", "5", "--policy", "random", variables={"SKUA_POLICY": "randm"})

    def test_openmps_variables_are_read_too(self):
        # The OpenMP library of the peers complains as well, in its own words, before the command begins.
        code, out, err = command.run("run", "fib", "--n", "5", variables={"OMP_NUM_THREADS": "b0gus!"})
        self.assertEqual((code, out), (2, ""))
        self.assertRegex(err, r'skua: run: OMP_NUM_THREADS is "b0gus!"; allowed: .* 1 to 65536.*\n$')

    def test_doctor_names_them_too(self):
        self.refuses("doctor", variables={"SKUA_WORKERS": "0"}, says=["SKUA_WORKERS", "1 to 65536"])


class Files(command.Case):
    def malformed(self, name, content):
        path = self.scratch / name
        path.write_bytes(content)
        return str(path)

    def test_xml(self):
        self.refuses("topology", "--xml", str(self.scratch / "none.xml"), says=["none.xml", "No such file"])
        for content in (b"", b"hello", b"<topology", b"<topology></topology>", b"\0" * 4096, b"<a><b></a></b>"):
            with self.subTest(content=content[:20]):
                self.refuses("topology", "--xml", self.malformed("bad.xml", content), says=["bad.xml"])
        self.refuses("run", "fib", "--xml", str(self.scratch), says=[str(self.scratch)])

    def test_synthetic(self):
        for words in ("", "core", "core:0", "foo:2", "core:99999999", "core:4(size=3)"):
            with self.subTest(words=words):
                self.refuses("topology", "--synthetic", words)

    def test_pictures(self):
        self.refuses("run", "heat", "--input", str(self.scratch / "none.pgm"), says=["none.pgm", "No such file"])
        for content in (b"", b"hello", b"P5", b"P5 4 4 255\n1", b"P5 0 4 255\n", b"P2 2 2 255 1 2 3", b"P5 99999999 99999999 255\n"):
            with self.subTest(content=content[:20]):
                self.refuses("run", "heat", "--input", self.malformed("bad.pgm", content), says=["bad.pgm"])

    def test_maps(self):
        svg = str(self.scratch / "map.svg")
        self.refuses("run", "fib", "--map", svg, says=["--map", "fib", "heat, sph"])
        self.refuses("compare", "fib", "--map-overlap", says=["--map-overlap", "fib", "heat, sph"])
        self.refuses("run", "heat", "--map", str(self.scratch / "map.jpg"), says=["--map", "map.jpg", ".svg or .png"])
        self.refuses("run", "heat", "--map", "/no/such/folder/map.svg", says=["--map", "/no/such/folder"])
        self.refuses("run", "heat", "--map", svg, "--peer", "serial", says=["--map", "--peer"])
        (self.scratch / "folder.svg").mkdir()
        self.refuses("run", "heat", "--map", str(self.scratch / "folder.svg"), code=1, says=["folder.svg", "directory"])


class Outputs(command.Case):
    """What the machine refuses ends with exit code 1."""

    def test_an_empty_name_is_no_name(self):
        for verb in (["run", "fib", "--n", "5"], ["compare", "fib", "--n", "5"], ["list"], ["topology"], ["doctor"], ["sim", "fib", "--n", "5"]):
            with self.subTest(verb=verb[0]):
                self.refuses(*verb, "--json", "", says=["--json", "missing"])
        self.refuses("run", "heat", "--map", "", says=["--map", "missing"])
        self.refuses("calibrate", "--output", "", says=["--output", "missing"])
        self.refuses("experiment", "adws-sc19/fig12", "--output", "", says=["--output", "missing"])
        for verb in (["run", "fib"], ["compare", "fib"], ["topology"], ["doctor"]):
            self.refuses(*verb, "--places", "", says=["--places", "missing"])

    def test_two_results_need_two_files(self):
        path = self.scratch / "m.svg"
        self.refuses("run", "heat", "--map", str(path), "--json", f"{self.scratch}/./m.svg", says=["--map", "--json", "same file"])
        self.refuses("run", "heat", "--map", "m.svg", "--json", "./m.svg", cwd=self.scratch, says=["same file"])
        self.assertFalse(path.exists())

    def test_json_where_nothing_can_be_written(self):
        nowhere = str(self.scratch / "no" / "such" / "folder.json")
        for verb in (["run", "fib", "--n", "12"], ["compare", "fib", "--n", "12", "--peers", "serial"], ["list"], ["topology"], ["doctor"]):
            with self.subTest(verb=verb[0]):
                self.refuses(*verb, "--json", nowhere, code=1, says=[nowhere, "No such file"])
                self.refuses(*verb, "--json", str(self.scratch), code=1, says=["directory"])

    def test_a_full_disk(self):
        compare = ["compare", "fib", "--n", "12", "--peers", "serial", "--workers", "1", "--repeat", "1"]
        for verb in (["run", "fib", "--n", "12"], compare, ["list"], ["topology"], ["doctor"]):
            with self.subTest(verb=verb[0]):
                self.refuses(*verb, "--json", "/dev/full", code=1, says=["/dev/full", "No space"])
                with open("/dev/full", "w", encoding="utf-8") as full:
                    self.refuses(*verb, code=1, says=["standard output", "No space"], stdout=full)
                    self.refuses(*verb, "--json", "-", code=1, says=["standard output", "No space"], stdout=full)

    @unittest.skipIf(os.environ.get("SANITIZER"), "the sanitizer lives in the address space")
    def test_workers_without_room_are_told_what_limits_them(self):
        def little_room():
            resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20))

        self.refuses("run", "fib", "--workers", "500", "--stack", "16k", code=1, preexec_fn=little_room,
                     says=["cannot start worker", "SKUA_WORKERS", "SKUA_STACK", "ulimit -u", "ulimit -v"])

    def test_nothing_is_measured_in_vain(self):
        # fib(60) would run for hours.
        self.refuses("run", "fib", "--n", "60", "--json", "/proc/none", code=1, says=["/proc/none"])


if __name__ == "__main__":
    command.main()
