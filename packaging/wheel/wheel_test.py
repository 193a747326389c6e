#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The wheel skua-omp, installed into a fresh virtual environment without a network, serves OpenMP code of GCC's.

    SKUA_OMP_LIBRARY=build/dev/lib/skua/libgomp-skua.so.1 packaging/wheel/wheel_test.py

The code is that of a library compiled here, which asks for a copy of libgomp of another name, as auditwheel makes them for wheels.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tools")]
import case_report  # noqa: E402  (they stand there)
import make_wheel  # noqa: E402

OURS = ("OMP_", "GOMP_", "SKUA_", "LD_PRELOAD", "PYTHON")
COMPILER = os.environ.get("CC", "gcc")

PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
char const* who_serves(void) { Dl_info found; return dladdr((void*)&omp_get_max_threads, &found) ? found.dli_fname : ""; }
int members(void) {
  int count = 0;
#pragma omp parallel reduction(+ : count)
  count += 1;
  return count;
}
double sum_to(int n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 7)
  for (int i = 1; i <= n; ++i) sum += i;
  return sum;
}
"""

# An OpenBLAS in a module of Python: its jobs wait for each other, and those with the same number use the same memory.
BLAS = r"""
#include <Python.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
typedef void (*run_job)(int, void*, int);
typedef void (*run_jobs)(int, run_job, int, size_t, void*, int);
typedef void (*run_fft_jobs)(void* (*)(char*), char*, size_t, int, void*);
enum { most = 8 };
static run_jobs blas;
static run_fft_jobs fft;
static atomic_int users[most];
struct job { atomic_int* begun; int count; int value; };
void scipy_openblas_set_threads_callback_function64_(run_jobs given) { blas = given; }
int scipy_openblas_get_parallel64_(void) { return 1; }
void fftw_threads_set_callback(run_fft_jobs given, void* data) { (void)data; fft = given; }
static void run(int number, void* of, int data) {
  struct job* job = of;
  int const is_alone = atomic_fetch_add(&users[number], 1) == 0;
  atomic_fetch_add(job->begun, 1);
  while (atomic_load(job->begun) < job->count) sched_yield();
  job->value = is_alone ? number * data : -1000;
  atomic_fetch_sub(&users[number], 1);
}
static int compute(int count) {
  atomic_int begun = 0;
  struct job jobs[most];
  int sum = 0;
  for (int j = 0; j < count; ++j) jobs[j] = (struct job){&begun, count, 0};
  blas(1, run, count, sizeof jobs[0], jobs, 10);
  for (int j = 0; j < count; ++j) sum += jobs[j].value;
  return sum;
}
static PyObject* attached(PyObject* self, PyObject* none) { return PyBool_FromLong(blas && fft); }
static PyObject* sum(PyObject* self, PyObject* count) {
  int result, const_count = (int)PyLong_AsLong(count);
  Py_BEGIN_ALLOW_THREADS
  result = compute(const_count);
  Py_END_ALLOW_THREADS
  return PyLong_FromLong(result);
}
static PyObject* sum_in_region(PyObject* self, PyObject* count) {
  int all = 0, const_count = (int)PyLong_AsLong(count);
  Py_BEGIN_ALLOW_THREADS
#pragma omp parallel num_threads(2) reduction(+ : all)
  all += compute(const_count);
  Py_END_ALLOW_THREADS
  return PyLong_FromLong(all);
}
static void* mark(char* job) { *job += 1; return NULL; }
static PyObject* marks(PyObject* self, PyObject* none) {
  char jobs[21] = {0};
  fft(mark, jobs, 3, 7, NULL);
  return PyBytes_FromStringAndSize(jobs, 21);
}
static PyMethodDef methods[] = {{"attached", attached, METH_NOARGS, ""}, {"sum", sum, METH_O, ""}, {"sum_in_region", sum_in_region, METH_O, ""}, {"marks", marks, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "fakeblas", "", -1, methods};
static void forget(void) { memset(users, 0, sizeof users); }
PyMODINIT_FUNC PyInit_fakeblas(void) {
  pthread_atfork(NULL, NULL, forget);
  return PyModule_Create(&module);
}
"""

USE_OF_BLAS = """
import multiprocessing, os, threading
import fakeblas
def check():
    assert fakeblas.attached()
    for count in 1, 2, 3, 5:
        wanted = 10 * count * (count - 1) // 2
        assert fakeblas.sum(count) == wanted, fakeblas.sum(count)
        assert fakeblas.sum_in_region(count) == 2 * wanted
    assert fakeblas.marks() == bytes([1, 0, 0] * 7)
if __name__ == "__main__":
    check()
    failed = []
    def ask():
        for _ in range(20):
            if fakeblas.sum(3) != 30: failed.append(1)
    threads = [threading.Thread(target=ask) for _ in range(4)]
    [t.start() for t in threads]
    for _ in range(3):
        child = os.fork()
        if child == 0:
            check()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    [t.join() for t in threads]
    assert not failed
    child = multiprocessing.get_context("spawn").Process(target=check)
    child.start()
    child.join(60)
    assert child.exitcode == 0
    print("as one")
"""

# Defines `small`, and `check`, which fails if the library is not the wheel's.
BEGINNING = """
import ctypes, os, sys
import skua_omp
def load():
    small = ctypes.CDLL(os.environ["SMALL"])
    small.sum_to.restype, small.who_serves.restype = ctypes.c_double, ctypes.c_char_p
    return small
def check(threads):
    small = load()
    assert skua_omp.is_active()
    assert os.path.samefile(os.fsdecode(small.who_serves()), skua_omp.library()), small.who_serves()
    assert small.members() == threads, small.members()
    assert small.sum_to(10000) == 50005000
"""

CHILDREN = BEGINNING + """
import multiprocessing, subprocess
if __name__ == "__main__":
    check(3)
    child = os.fork()
    if child == 0:
        check(3)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    for method in "spawn", "fork", "forkserver":
        child = multiprocessing.get_context(method).Process(target=check, args=(3,))
        child.start()
        child.join(60)
        assert child.exitcode == 0, (method, child.exitcode)
    subprocess.run([sys.executable, sys.argv[1]], check=True)
    check(3)
    print("all children")
"""

THREADS = BEGINNING + """
import threading
small, wrong = load(), []
def ask():
    for n in range(1, 200):
        if small.sum_to(n) != n * (n + 1) / 2: wrong.append(n)
threads = [threading.Thread(target=ask) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
assert not wrong
check(3)
"""


def run(command, expected=0, **more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)} | more.pop("environment", {})
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False, **more)
    if done.returncode != expected:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout, done.stderr


def compile_with_renamed_libgomp(folder):
    """The path of a library that needs libgomp-a.so, a copy of GCC's."""
    name, renamed = b"libgomp.so.1\0", b"libgomp-a.so\0"
    theirs = subprocess.run([COMPILER, "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True).stdout.strip()
    copy, source, made = folder / "libgomp-a.so", folder / "small.c", folder / "libsmall.so"
    content = pathlib.Path(theirs).read_bytes()
    assert content.count(name) == 1
    copy.write_bytes(content.replace(name, renamed))
    source.write_text(PROGRAM, encoding="utf-8")
    run([COMPILER, "-x", "c", "-fopenmp", "-O1", "-fPIC", "-c", source, "-o", folder / "small.o"])
    run([COMPILER, "-shared", folder / "small.o", copy, "-Wl,-rpath,$ORIGIN", "-o", made])
    return made


class the_wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = pathlib.Path(cls.scratch.name)
        library = pathlib.Path(os.environ["SKUA_OMP_LIBRARY"])
        cls.wheel, cls.others = make_wheel.make(library, cls.folder / "wheels")
        cls.small = compile_with_renamed_libgomp(cls.folder)
        run([sys.executable, "-m", "venv", "--without-pip", cls.folder / "venv"])
        cls.python = cls.folder / "venv/bin/python"
        # Not every Python has pip, but a wheel is what an installer unpacks.
        if subprocess.run([sys.executable, "-m", "pip", "--python", cls.python, "--version"], capture_output=True, check=False).returncode == 0:
            run([sys.executable, "-m", "pip", "--python", cls.python, "--disable-pip-version-check", "install", "--quiet", "--no-index", cls.wheel])
        else:
            packages = run([cls.python, "-c", "import sysconfig; print(sysconfig.get_paths()['platlib'])"])[0].strip()
            shutil.unpack_archive(cls.wheel, packages, "zip")

    def skua(self, *words, **more):
        return run([self.python, "-m", "skua_omp", *words], environment={"SMALL": str(self.small)} | more.pop("environment", {}), cwd=self.folder, **more)

    def script(self, text):
        (self.folder / "script.py").write_text(text, encoding="utf-8")
        return "script.py"

    def test_says_in_its_name_which_glibc_it_needs(self):
        needed = make_wheel.readelf("-V", os.environ["SKUA_OMP_LIBRARY"])
        newest = max(tuple(map(int, found)) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", needed))
        if self.others:
            self.assertIn("-linux_", self.wheel.name)
        else:
            self.assertIn("-manylinux_{}_{}_".format(*newest), self.wheel.name)

    def test_has_the_same_bytes_each_time(self):
        again, _ = make_wheel.make(pathlib.Path(os.environ["SKUA_OMP_LIBRARY"]), self.folder / "again")
        self.assertEqual(again.read_bytes(), self.wheel.read_bytes())
        self.assertIsNone(zipfile.ZipFile(again).testzip())

    def test_serves_a_script_and_leaves_its_arguments_alone(self):
        out, err = self.skua("--threads", "3", self.script(BEGINNING + "check(3); print(sys.argv)"), "--threads", "7", "-x")
        self.assertEqual((out, err), ("['script.py', '--threads', '7', '-x']\n", ""))

    def test_serves_modules_code_and_sessions(self):
        self.script(BEGINNING + "check(2); print(sys.argv[1:])")
        self.assertEqual(self.skua("--threads=2", "-m", "script", "a")[0], "['a']\n")
        self.assertEqual(self.skua("--threads=2", "-c", BEGINNING + "check(2); print(sys.argv)", "a")[0], "['-c', 'a']\n")
        self.assertEqual(self.skua("--threads=2", "--", "-X", "dev", "-c", "import sys; print(sys.flags.dev_mode)")[0], "True\n")
        self.assertEqual(self.skua(input=BEGINNING + "\ncheck(os.cpu_count() and load().members()); print(6 * 7)")[0], "42\n")

    def test_can_be_loaded_later_and_then_is_not_active(self):
        self.assertEqual(run([self.python, "-c", "import skua_omp, ctypes; ctypes.CDLL(skua_omp.library()); print(skua_omp.is_active())"])[0], "False\n")

    def test_serves_child_processes(self):
        inner = self.folder / "inner.py"
        inner.write_text(BEGINNING + "check(3)", encoding="utf-8")
        self.assertEqual(self.skua("--threads", "3", self.script(CHILDREN), inner), ("all children\n", ""))

    def test_serves_several_threads_of_python(self):
        self.skua("--threads", "3", self.script(THREADS))

    def test_has_the_name_by_which_threadpoolctl_finds_it(self):
        out, _ = self.skua("--threads", "3", self.script(BEGINNING + """
library = ctypes.CDLL(skua_omp.library())
assert os.path.basename(skua_omp.library()).startswith("libgomp")
assert library.omp_get_max_threads() == 3
library.omp_set_num_threads(2)
check(2)
print("found")"""))
        self.assertEqual(out, "found\n")

    def test_is_preloaded_once_and_first(self):
        show = ["-c", "import os; print(os.environ['LD_PRELOAD'])"]
        path = self.skua(*show)[0].strip()
        self.assertEqual(self.skua("-m", "skua_omp", *show)[0].strip(), path)
        self.assertEqual(self.skua(*show, environment={"LD_PRELOAD": str(self.small)})[0].strip(), f"{path}:{self.small}")

    def test_does_not_answer_those_who_ask_whether_they_run_in_a_region_without_being_linked_with_openmp(self):
        asks = "extern int omp_in_parallel(void) __attribute__((weak)); int finds(void) { return omp_in_parallel != 0; }"
        run([COMPILER, "-x", "c", "-fPIC", "-shared", "-", "-o", self.folder / "asks.so"], input=asks)
        self.assertEqual(self.skua("-c", "import ctypes; print(ctypes.CDLL('./asks.so').finds())")[0], "0\n")

    def test_lends_its_threads_to_blas_and_fftw(self):
        headers = pathlib.Path(sysconfig.get_paths()["include"])
        if not (headers / "Python.h").exists():
            self.skipTest("there is no Python.h here")
        (self.folder / "fakeblas.c").write_text(BLAS, encoding="utf-8")
        run([COMPILER, "-x", "c", "-fopenmp", "-O1", "-fPIC", "-shared", "-I", headers, self.folder / "fakeblas.c", "-o", self.folder / "fakeblas.so"])
        self.assertEqual(self.skua("--blas", "--threads=3", self.script(USE_OF_BLAS)), ("as one\n", ""))
        self.assertEqual(self.skua("-c", "import fakeblas; print(fakeblas.attached())")[0], "False\n")
        # Without the library nothing is attached, and nothing said.
        self.assertEqual(run([self.python, "-c", "import fakeblas; print(fakeblas.attached())"], environment={"PYTHONSKUABLAS": "1"}, cwd=self.folder), ("False\n", ""))

    def test_refuses_what_it_does_not_know(self):
        for words, text in ((["--treads", "3"], "unrecognized arguments: --treads"), (["--threads", "0"], "'0' is not a number of threads"),
                            (["--threads", "x"], "'x' is not a number of threads"), (["--policy"], "expected one argument")):
            self.assertIn(text, self.skua(*words, expected=2)[1])

    def test_writes_a_trace(self):
        self.skua("--threads", "2", "--trace", "out.trace", self.script(BEGINNING + "check(2)"))
        self.assertGreater(sum(path.stat().st_size for path in self.folder.glob("out.trace*")), 0)


if __name__ == "__main__":
    case_report.main()
