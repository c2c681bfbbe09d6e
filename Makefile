# The front of the build; CMakeLists.txt does the work.
#
#   make            builds the program and the library into build/
#   make run        solves examples/charging with the program, and says how good the recommended design truly is (installs what is missing first);
#                   SERVE=1 serves the live page after it
#   make test       at least one case of every check there is, in minutes (installs what is missing first)
#   make test-all   everything in full: gcc, clang, address and undefined-behaviour sanitizers, every instruction set, every Python
#   make install    PREFIX=/usr/local, DESTDIR honoured
#   make sanitize-address-undefined | sanitize-thread | valgrind     every test under that tool
#   make allocations  the n-th allocation fails, for every n and every command: two hours
#   make fuzz       libFuzzer on everything that reads files from outside, FUZZ_SECONDS=60 each
#   make damage | faults | power-loss     a store damaged 10,000 times; every system call of every command failing; 10,000 power failures
#   make storm      runs of studies, killed, stopped, without disk or with another clock, STORM_SECONDS=60
#   make pauses     the tests of the program while its processes, and those of the tests, are stopped for a moment by chance
#   make nothing-lost  a study in PostgreSQL by 16 workers, killed, cut off, with a server that ends five times
#   make attack     what may be tried against `ckg serve`, under the sanitizers; make serve-load: its answers beside nginx's,
#                   a run beside it, frames in a browser; make serve-soak: its memory over an hour of reloads
#   make coverage   branches that the tests take, into docs/coverage.md; make mutations: ten lines made wrong, and who notices
#   make browser    every page and action of `ckg serve` in Chromium, with pictures in build/shots: minutes
#   make bench      builds and runs the benchmarks
#   make figures    draws the pictures of the documentation; make convergence, make stopping: runs of minutes and their tables;
#                   make paper: the paper's experiments again, three hours of one core;
#                   make decoupled, make batch: hours, and where they were interrupted they go on; make varying, make noisy-constraints: SEEDS=30 takes an hour of one processor each
#   make wheel      builds the Python package pyckg; make python tests it, python-strict and python-sanitize under more watchful eyes
#   make notebooks  runs the notebooks of docs/python and makes its reference anew
#   make deps       installs everything that any target needs
#   make clean; make help prints these lines
#
# What is built with the same options shares a folder, and nothing else does: build/ has none, each kind of test its own. So any target works after
# any other; tests/check_targets.sh checks it.

ifeq ($(origin CC), default)
CC = gcc
endif
MAKEFLAGS += --no-print-directory
COMMA = ,
CLANG ?= clang
PREFIX ?= /usr/local
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
# Many tests wait for processes rather than compute.
TESTS_AT_ONCE ?= $(shell expr $(JOBS) + 3)

FUZZ_SECONDS ?= 60
STORM_SECONDS ?= 60

STRICT = -DCKG_TESTS=ON -DCKG_WERROR=ON
CTEST = ctest --output-on-failure --timeout 3600 -j $(TESTS_AT_ONCE)
VALGRIND = valgrind;--quiet;--error-exitcode=99;--leak-check=full;--errors-for-leak-kinds=definite,possible

# $(call build,FOLDER,COMPILER,OPTIONS,TARGET): configures and builds; the target is optional. A folder keeps the compiler it began with.
build = CC=$(2) cmake -S . -B $(1) $(3) >/dev/null && cmake --build $(1) -j $(JOBS) $(if $(4),--target $(4))
# The same with one line that counts up; what the compiler prints is in FOLDER/make.log.
build-quietly = CC=$(2) cmake -S . -B $(1) $(3) >/dev/null && scripts/build-quietly.sh $(1) $(JOBS) $(4)

.PHONY: all help run test test-gcc test-clang wheel python python-strict python-sanitize notebooks install sanitize-address-undefined sanitize-thread valgrind allocations fuzz damage faults power-loss storm nothing-lost pauses browser attack serve-load serve-soak coverage mutations bench figures convergence paper stopping decoupled batch varying noisy-constraints deps clean

all:
	$(call build,build,$(CC))

help:
	@sed -n '/^#   /s/^#   //p' Makefile

# In a copy of the example, so that the tree stays as it is; begun anew each time.
run:
	@scripts/install-deps.sh run
	@$(call build-quietly,build,$(CC),,ckg_program)
	@rm -rf build/example && cp -r examples/charging build/example
	@echo && echo "The cheapest charging station where few drivers wait; each evaluation simulates a week."
	@echo '$$ build/ckg run build/example/charging.yaml'
	@build/ckg run build/example/charging.yaml
	@echo && echo '$$ python3 build/example/compare.py build/ckg build/example/charging.yaml'
	@python3 build/example/compare.py build/ckg build/example/charging.yaml
	@build/ckg report build/example/charging.yaml -o build/example/charging.html
	@echo && echo "The report, for any browser:  build/example/charging.html"
	@echo "The live page of the study:   build/ckg serve build/example/charging.yaml"
	@$(if $(SERVE),build/ckg serve build/example/charging.yaml)

# scripts/test.py builds by the targets built-FOLDER, runs the tests in stages and sums up.
.PHONY: test-all built-gcc built-clang built-asan
TEST = JOBS=$(JOBS) TESTS_AT_ONCE=$(TESTS_AT_ONCE) CC="$(CC)" CLANG="$(CLANG)" scripts/test.py

test test-all:
	scripts/install-deps.sh test
	$(TEST) $@

test-gcc test-clang:
	scripts/install-deps.sh test
	$(TEST) $(@:test-%=%)

# These make a program three to a hundred times slower, so the tests run with lighter settings. At -O1 nothing is fused: valgrind
# emulates multiply-adds slowly.
sanitize-address-undefined:
	scripts/install-deps.sh test
	$(TEST) sanitizers

built-gcc:
	$(call build,build-gcc,$(CC),$(STRICT),everything)

built-clang:
	$(call build,build-clang,$(CLANG),$(STRICT) -DCKG_BENCH=OFF,everything)

built-asan:
	$(call build,build-asan,$(CC),$(STRICT) -DCKG_BENCH=OFF -DCMAKE_C_FLAGS_RELEASE="-O1 -g" -DCKG_SANITIZE=address$(COMMA)undefined,everything)

sanitize-thread:
	scripts/install-deps.sh test
	$(call build,build-tsan,$(CC),$(STRICT) -DCKG_BENCH=OFF -DCMAKE_C_FLAGS_RELEASE="-O1 -g" -DCKG_SANITIZE=thread,everything)
	cd build-tsan && CKG_TEST_LIGHT=1 $(CTEST)

valgrind:
	scripts/install-deps.sh all
	$(call build,build-valgrind,$(CC),$(STRICT) -DCKG_BENCH=OFF -DCMAKE_C_FLAGS_RELEASE="-O1 -g" -DCKG_TEST_LAUNCHER="$(VALGRIND)",everything)
	cd build-valgrind && CKG_TEST_LIGHT=1 $(CTEST)

allocations: all
	CKG_TEST_ALLOCATIONS=all python3 tests/app/test_allocation.py build/ckg

# What is new goes to build-fuzz/corpus/, an input that fails to build-fuzz/; it belongs into tests/fuzz/corpus/ once it is mended.
fuzz:
	scripts/install-deps.sh fuzz
	$(call build,build-fuzz,$(CLANG),$(STRICT) -DCKG_BENCH=OFF -DCKG_FUZZ=ON -DCMAKE_C_FLAGS_RELEASE="-O1 -g" \
	    -DCKG_SANITIZE=fuzzer-no-link$(COMMA)address$(COMMA)undefined,fuzzers)
	for source in tests/fuzz/fuzz_*.c; do \
	    program=$$(basename "$$source" .c); name=$${program#fuzz_}; dictionary=tests/fuzz/$$name.dict; \
	    [ ! -f "$$dictionary" ] || set -- "-dict=$$dictionary"; \
	    mkdir -p build-fuzz/corpus/$$name; \
	    build-fuzz/tests/fuzz/$$program -max_total_time=$(FUZZ_SECONDS) -timeout=100 -max_len=8192 -print_final_stats=1 \
	        -artifact_prefix=build-fuzz/$$name- "$$@" build-fuzz/corpus/$$name tests/fuzz/corpus/$$name \
	        >build-fuzz/$$name.log 2>&1 || { tail -n 40 build-fuzz/$$name.log; exit 1; }; \
	    set --; \
	done
	scripts/fuzz-table.py build-fuzz

attack:
	scripts/install-deps.sh test
	$(call build,build-asan,$(CC),$(STRICT) -DCKG_BENCH=OFF -DCMAKE_C_FLAGS_RELEASE="-O1 -g" -DCKG_SANITIZE=address$(COMMA)undefined,ckg_program)
	python3 bench/serve_attack.py build-asan/ckg

serve-load: all
	scripts/install-deps.sh test
	python3 bench/serve_load.py build/ckg
	python3 bench/serve_beside.py build/ckg
	python3 bench/serve_smooth.py build/ckg

serve-soak: all
	scripts/install-deps.sh test
	python3 bench/serve_soak.py build/ckg --minutes 60

# Branches that the tests take, into docs/coverage.md. One variant of the hot loops; what only repeats at length what other tests do is left out.
COVERAGE_SKIP = policies|test_allocation|examples/|test_docs|test_examples|test_bench|test_study_|python|check|test_ckg_reference|test_many_constraints|test_warp|test_trust
coverage:
	scripts/install-deps.sh test
	$(call build,build-coverage,$(CC),-DCKG_TESTS=ON -DCKG_BENCH=OFF -DCKG_COMPILER_HAS_X86_64_V4=OFF \
	    -DCMAKE_C_FLAGS_RELEASE="-O1 -g -DNDEBUG --coverage -fprofile-update=prefer-atomic",everything)
	cd build-coverage && CKG_TEST_LIGHT=1 $(CTEST) -E "$(COVERAGE_SKIP)"
	scripts/coverage.py build-coverage --page docs/coverage.md

browser: all
	scripts/install-deps.sh test
	CKG_SHOTS=build/shots python3 tests/browser/test_pages.py build/ckg

# Ten central lines made wrong, one at a time, in a copy: the tests must notice. The table goes into docs/reliability.md.
mutations:
	scripts/install-deps.sh test
	scripts/mutate.py --page docs/reliability.md

wheel:
	scripts/install-deps.sh python
	scripts/python.sh wheel

# The program is there too: what is kept in a store is its own.
python:
	scripts/install-deps.sh python
	$(call build,build,$(CC),,ckg_program)
	scripts/python.sh test

python-strict python-sanitize:
	scripts/install-deps.sh python
	$(call build,build,$(CC),,ckg_program)
	scripts/python.sh $(@:python-%=%)

notebooks:
	scripts/install-deps.sh python
	scripts/python.sh notebooks
	python3 scripts/python-api.py >docs/python/api.md

# What the tests do by sample, in full; their figures are in docs/reliability.md.
damage faults power-loss storm nothing-lost pauses:
	scripts/install-deps.sh test
	$(call build,build-gcc,$(CC),$(STRICT),tests)
	$(in-full-$@)

in-full-damage = CKG_DAMAGES=10200 python3 tests/app/test_checksums.py build-gcc/ckg test_random_damage
in-full-faults = CKG_FAULTS=all python3 tests/app/test_faults.py build-gcc/ckg
in-full-power-loss = CKG_CRASHES=12000 build-gcc/tests/app/test_power_loss
in-full-nothing-lost = python3 tests/faults/nothing_lost.py build-gcc/ckg 2000 16
in-full-pauses = python3 tests/faults/pauses.py build-gcc -L script -j $(TESTS_AT_ONCE)
in-full-storm = python3 tests/faults/storm.py build-gcc/ckg $(STORM_SECONDS)

install:
	$(call build,build,$(CC),-DCMAKE_INSTALL_PREFIX=$(PREFIX))
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

bench:
	scripts/install-deps.sh all
	$(call build,build,$(CC),,benches)
	for program in build/bench/*; do \
	    case $$program in */surfaces | */paper_figures | */convergence | */coco | */store_load | */decoupled | */batch | */varying | */noisy_constraints) continue ;; esac; \
	    [ ! -x "$$program" ] || "$$program" || exit 1; \
	done

figures:
	scripts/install-deps.sh all
	$(call build,build,$(CC),,ckg_program bench_paper_figures)
	scripts/figures.sh build

# Three hours of one core; interrupted, the same command continues. What is kept is the summary.
PAPER = --problem mystery,new-branin,test-function-2 --noise 0,1 --policy auto,ckg,cei,nei,pkg,cts,pesc,cmes,kg,random
paper:
	scripts/install-deps.sh run
	$(call build,build,$(CC),,ckg_program)
	build/ckg bench $(PAPER) --replications 30 --initial 10 --evaluations 110 --seed 1 --threads $(JOBS) --out build/paper
	build/ckg bench --summary build/paper --at 20,30,50,75,110 --json >bench/results/paper.jsonl
	build/ckg bench --plot build/paper -o docs/figures/figure-3.svg
	scripts/tables.py paper

stopping:
	scripts/install-deps.sh all
	$(call build,build,$(CC),,bench_stopping)
	{ echo "build/bench/stopping --noise 0"; build/bench/stopping --noise 0 --threads $(JOBS); } >build/stopping.txt
	mv build/stopping.txt bench/results/stopping.txt

decoupled:
	scripts/install-deps.sh all
	$(call build,build,$(CC),,bench_decoupled)
	nice -n 19 build/bench/decoupled --out build/decoupled.csv
	scripts/tables.py decoupled build/decoupled.csv

batch:
	scripts/install-deps.sh all
	$(call build,build,$(CC),,bench_batch)
	nice -n 19 build/bench/batch --out build/batch.csv
	scripts/tables.py batch build/batch.csv

SEEDS = 30

varying:
	scripts/install-deps.sh all
	$(call build,build,$(CC),,bench_varying)
	build/bench/varying predict --seeds $(SEEDS) >build/varying-predict.txt
	build/bench/varying search --seeds $(SEEDS) >build/varying.csv
	build/bench/varying search --grows 0 --noise one,auto --seeds $(SEEDS) >>build/varying.csv
	scripts/tables.py varying build

noisy-constraints:
	scripts/install-deps.sh all
	$(call build,build,$(CC),,bench_noisy_constraints)
	build/bench/noisy_constraints --seeds $(SEEDS) >build/noisy-constraints.csv
	build/bench/noisy_constraints --policy ckg --penalty zero,observed,mild,generous,harsh --seeds $(SEEDS) >>build/noisy-constraints.csv
	build/bench/noisy_constraints --policy ckg --penalty auto,zero,observed,mild,generous,harsh --quiet 1 --seeds $(SEEDS) >build/penalty-quiet.csv
	scripts/tables.py constraints build

convergence:
	scripts/install-deps.sh all
	$(call build,build,$(CC),,bench_convergence)
	build/bench/convergence --threads $(JOBS) --plot docs/figures/convergence.svg >build/convergence.txt
	mv build/convergence.txt bench/results/convergence.txt

deps:
	scripts/install-deps.sh all

clean:
	rm -rf build build-gcc build-clang build-asan build-tsan build-valgrind build-fuzz build-coverage build-mutants build-python build-side-by-side build-tests
