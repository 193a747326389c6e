# SPDX-License-Identifier: MIT
# Front door: every target installs what it needs (tools/install-packages), configures a preset of
# CMakePresets.json, builds it and does its one thing. `make help` lists them.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
DEMO_WORKERS ?= 1,2
CMAKE = cmake
CLANG_FORMAT ?= clang-format-19
CLANG_TIDY_JOBS ?= $(JOBS)
CAMPAIGN_MINUTES ?= 20
KILLS ?= 100
FAULTS ?= 100
FAULT_SEED ?= 1
FAULT_LEAST ?= 50
FAULT_GROUPS ?= threads policy
SKUA = build/release/bin/skua
OMP_LIBRARY = build/release/lib/skua/libgomp-skua.so.1
SOURCES = $(shell git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp')

# One preset, configured and built: $(call built,PRESET)
built = $(CMAKE) --preset $(1) && $(CMAKE) --build build/$(1) -j $(JOBS)
# ... and its tests run and counted. Some of them wait for deaths and silence for minutes, so one more runs than there are processors.
tested = $(call built,$(1)) && tools/run_tests.py build/$(1) -j $$(($(JOBS) + 1))

.DEFAULT_GOAL := help
.PHONY: help build demo test asan ubsan tsan sanitize clang coverage tidy clang-tidy format format-check \
        aarch64 numa mutants counts faults killed smpi networks campaign bench python references experiments auto peers docs nightly install deb conan clean study study-aarch64

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile

build: ## the library and the command: build/release/bin/skua
	tools/install-packages build
	$(call built,release)

demo: ## compare schedulers and peers on published workloads; builds no more than that needs
	@tools/demo $(JOBS) $(DEMO_WORKERS)

test: ## build with checks and run every test
	tools/install-packages build test browser
	$(call tested,dev)

asan: ## the tests under AddressSanitizer
	tools/install-packages build test
	$(call tested,asan)

ubsan: ## the tests under UndefinedBehaviorSanitizer
	tools/install-packages build test
	$(call tested,ubsan)

tsan: ## the tests under ThreadSanitizer
	tools/install-packages build test nightly
	$(call tested,tsan)

sanitize: asan ubsan tsan ## the tests under all three sanitizers

clang: ## the tests, compiled by clang
	tools/install-packages build test nightly
	$(call tested,clang)

coverage: ## which lines of the library the tests reach: build/coverage/index.html
	tools/install-packages build test nightly
	find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	$(call built,coverage)
	tools/run_tests.py build/coverage -j $(JOBS) -LE install
	gcovr --root . --filter 'skua/' --exclude '.*_test\.cpp' --print-summary \
	      --html-details build/coverage/index.html build/coverage

tidy: ## the rules of the house on the sources (also a part of make test)
	tools/install-packages test
	tools/tidy.py

clang-tidy: ## clang-tidy on every source
	tools/install-packages build test nightly
	$(CMAKE) --preset clang
	$(CMAKE) --build build/clang -j $(JOBS)
	run-clang-tidy-19 -quiet -j $(CLANG_TIDY_JOBS) -p build/clang '$(CURDIR)/(skua|apps|bench|cli|tests)/.*\.cpp$$'

format: ## let clang-format rewrite the sources
	tools/install-packages nightly
	$(CLANG_FORMAT) -i $(SOURCES)

format-check: ## fail if clang-format would change a source
	tools/install-packages nightly
	$(CLANG_FORMAT) --dry-run --Werror $(SOURCES)

# A process under qemu's user-mode emulator can start another AArch64 program only if the kernel knows the emulator
# (binfmt_misc), which containers seldom may arrange; nor does the emulator enforce resource limits. Without it, tests
# that start themselves anew or take a resource away are left out here.
aarch64: ## cross-compile for AArch64 and run the tests under an emulator
	tools/install-packages build test arm64
	$(call built,aarch64)
	if [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then \
	  export GTEST_FILTER='-*DeathTest.*:*_in_a_fresh_process.*'; fi; \
	tools/run_tests.py build/aarch64 -j $(JOBS)

numa: ## the tests of memory and places on an emulated machine with four NUMA nodes
	tools/install-packages build test numa
	$(CMAKE) --preset dev
	$(CMAKE) --build build/dev -j $(JOBS) --target memory_test topology_test numa_test apps_numa_test
	tools/numa_bed.py build/dev

mutants: ## break one thing at a time in a copy of the protocols; a test must notice (docs/reliability.md)
	tools/install-packages build test
	tools/mutants.py

counts: ## count the cache lines and system calls of each operation with 2 to 64 workers; fail if one grows (docs/scaling-costs.md)
	tools/install-packages build test
	$(CMAKE) --preset counts
	$(CMAKE) --build build/counts -j $(JOBS) --target line_counts
	tests/counts/line_counts.py build/counts/tests/line_counts --check --json build/counts/counts.json

faults: ## plant FAULTS faults by rule in each folder group, FAULT_SEED; print how many the tests notice (docs/reliability.md)
	tools/install-packages build test nightly
	$(CMAKE) --preset dev
	tools/fault_rules.py $(FAULT_GROUPS) --sample $(FAULTS) --seed $(FAULT_SEED) --least $(FAULT_LEAST) --jobs $(JOBS)

killed: ## kill ranks of MPI jobs at random moments; KILLS of them (docs/ranks.md)
	tools/install-packages build test
	$(CMAKE) --preset dev
	$(CMAKE) --build build/dev -j $(JOBS) --target skua_command
	tools/kill_bed.py build/dev/bin/skua --times $(KILLS)

smpi: ## the same collections under SimGrid's SMPI and on our simulated ranks: steal counts agree (docs/reliability.md)
	tools/install-packages build test smpi
	@if command -v smpirun >/dev/null; then \
	  $(CMAKE) --preset smpi && $(CMAKE) --build build/smpi -j $(JOBS) --target smpi_loads simulated_loads && tools/smpi_bed.py build/smpi/tests; \
	else echo "smpi: skipped: there is no SimGrid (libsimgrid-dev) on this machine"; fi

networks: ## ranks over TCP on three network namespaces, with delays and with links that are cut (docs/ranks.md)
	tools/install-packages build test nightly
	$(CMAKE) --preset dev
	$(CMAKE) --build build/dev -j $(JOBS) --target skua_command
	tools/network_bed.py build/dev/bin/skua

campaign: ## random programs, and files that are nearly right, for CAMPAIGN_MINUTES each; goes on where it ended
	tools/install-packages build test
	$(CMAKE) --preset dev
	$(CMAKE) --build build/dev -j $(JOBS) --target random_programs mixed_programs fuzz_readers
	tools/campaign.py build/dev/tests/random_programs --minutes $(CAMPAIGN_MINUTES)
	build/dev/tests/mixed_programs --minutes $(CAMPAIGN_MINUTES) --seed $$(date +%s)
	build/dev/tests/fuzz_readers --minutes $(CAMPAIGN_MINUTES)

bench: peers ## every microbenchmark, figures into build/bench/*.json (docs/measurements.md)
	tools/install-packages build test
	$(CMAKE) --preset bench
	$(CMAKE) --build build/release -j $(JOBS)
	mkdir -p build/bench
	bench/instructions.py build/release/bin/fib_alone --json build/bench/instructions.json
	for b in fork wake herd near_far steal tasks regions loops pools memory flow cholesky callers; do build/release/bin/$${b}_bench --json build/bench/$$b.json || exit 1; done
	for b in context algorithm trace; do build/release/bin/$${b}_bench --benchmark_out=build/bench/$$b.json || exit 1; done
	for b in latency schedules; do for m in openmpi mpich; do if [ -x build/release/bin/$${b}_bench_$$m ]; then \
	  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.$$m -n 2 build/release/bin/$${b}_bench_$$m > build/bench/$${b}_$$m.txt || exit 1; cat build/bench/$${b}_$$m.txt; fi; done; done

python: ## Python's packages, into build/venv, and their tests: tools/python (traces and results in pandas), and the wheel skua-omp, in build/wheels
	tools/install-packages build test nightly
	$(CMAKE) --preset release && $(CMAKE) --build build/release -j $(JOBS) --target skua_omp skua_omp_callbacks
	SKUA_OMP_LIBRARY=$(CURDIR)/$(OMP_LIBRARY) packaging/wheel/wheel_test.py
	python3 -m venv build/venv
	build/venv/bin/pip install --quiet "tools/python[test]" "$$(packaging/wheel/make_wheel.py $(OMP_LIBRARY) build/wheels)"
	build/venv/bin/python -m pytest -q -p no:cacheprovider tools/python/tests

references: ## answers of the apps on files that others can read, held against networkx, SciPy and PySCF (tests/references)
	tools/install-packages build test nightly
	$(CMAKE) --preset dev
	$(CMAKE) --build build/dev -j $(JOBS) --target skua_command
	python3 -m venv build/references-venv
	build/references-venv/bin/pip install --quiet --disable-pip-version-check -r tests/references/requirements.txt
	for test in tests/references/*_test.py; do build/references-venv/bin/python $$test build/dev/bin/skua || exit 1; done

experiments: build ## repeat the papers' figures on simulated machines: build/experiments/*.{txt,csv,json,svg}
	mkdir -p build/experiments
	ls experiments/*/*.toml | sed 's|^experiments/||; s|\.toml$$||' | \
	  xargs -P $(JOBS) -I{} sh -c '$(SKUA) experiment {} --output build/experiments > /dev/null && echo "{}: done"'

auto: build ## how far the policy auto is from the best one, for every app: the tables of experiments/auto/README.md; hours
	experiments/auto/repeat.py --real --skua $(SKUA)

# MkDocs and what it needs, in a place of their own.
build/docs-venv/installed: docs/requirements.txt
	python3 -m venv build/docs-venv
	build/docs-venv/bin/pip install --quiet --disable-pip-version-check -r docs/requirements.txt
	touch $@

docs: ## the documentation site, build/docs/index.html; checks every link and every block of code
	tools/install-packages build test docs
	$(CMAKE) --preset dev
	$(CMAKE) --build build/dev -j $(JOBS) --target skua skua_command docs_blocks
	tools/run_tests.py build/dev -j $(JOBS) -R '^docs_'
	@$(MAKE) --no-print-directory build/docs-venv/installed
	tools/site_pages.py build/docs-venv/bin/mkdocs

peers: ## StarPU, and fib and short regions on rayon, for comparison; nothing of rayon without cargo
	tools/install-packages peers
	@if command -v cargo >/dev/null; then \
	  cargo build --release --manifest-path bench/peers/Cargo.toml --target-dir build/peers; \
	else echo "peers: there is no cargo here, so the comparison with rayon is left out"; fi

# Every schedule, seed and build of the tests, of which `make test` takes a part (docs/reliability.md).
nightly: export TEST_EFFORT = full
nightly: format-check test clang sanitize aarch64 numa coverage clang-tidy mutants counts faults killed smpi networks campaign bench python references deb conan ## everything that is too slow for every change

# What is in the folder of a study, and the folder, of a preset: $(call study,PRESET,FOLDER OF THE BUILD,ARCHITECTURE)
study = $(CMAKE) --preset $(1) && \
  $(CMAKE) --build $(2) -j $(JOBS) --target skua_command skua_study_launcher regions_bench herd_bench near_far_bench loops_bench steal_bench wake_bench fork_bench callers_bench && \
  tools/study_folder.py $(2) build/study/skua-study-$(3) --archive

study: ## a folder that measures any Linux machine of this architecture, with nothing installed there: build/study (docs/study.md)
	tools/install-packages build test study
	$(call study,bench,build/release,$$(uname -m))

study-aarch64: ## the same for AArch64, cross-compiled
	tools/install-packages build test study arm64 study-arm64
	$(call study,study-aarch64,build/study-aarch64,aarch64)

install: build ## install into PREFIX (default /usr/local; DESTDIR is honoured)
	$(CMAKE) --install build/release --prefix $(PREFIX)

deb: ## Debian's packages of the last commit, checked and tried: build/deb (packaging/README.md)
	tools/install-packages build deb
	packaging/make-debs $(JOBS)

# Everything of Conan's is in build/conan. The system has the libraries, so no remote is asked.
conan: export CONAN_HOME = $(CURDIR)/build/conan
conan: ## Conan's package, with the system's libraries, as an archive and as a shared object (packaging/README.md)
	tools/install-packages build nightly
	python3 -m venv build/conan-venv
	build/conan-venv/bin/pip install --quiet --disable-pip-version-check 'conan>=2,<3'
	build/conan-venv/bin/conan profile detect --exist-ok
	for shared in False True; do \
	  build/conan-venv/bin/conan create packaging/conan --no-remote --settings compiler.cppstd=20 --conf tools.build:jobs=$(JOBS) \
	    --conf tools.cmake.cmake_layout:test_folder=$(CURDIR)/build/conan-test \
	    --options '&:system_libs=True' --options "&:shared=$$shared" || exit 1; done

clean: ## remove what was built
	rm -rf build
