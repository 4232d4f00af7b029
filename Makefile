# Everything a newcomer needs: `make run`, `make test`. `make help` lists the rest.

SWIFT ?= swift
VENV := .build/venv
# The program that users run: `.build/aquifer`. With Swift's libraries in it, it starts in half of the time; on Apple's systems they are a part
# of the system.
PROGRAM := build -c release --product AquiferCLI $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
DATA ?= .build/data
PORT ?= 8080

SEEDS ?= 10000
FROM ?= 1
TIME ?= 600

.PHONY: help setup program run cluster test check format bench bench-compare crash lab soak simulate fuzz mutants leaks nightly docs screenshots clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "make %-13s %s\n", $$1, $$2 }'

setup: ## install what is missing (apt or brew, and a virtual environment for the browser tests)
	@Scripts/setup

program:
	@Scripts/setup run
	@$(SWIFT) $(PROGRAM)

run: program ## build, start everything on loopback, print the address
	@exec .build/aquifer serve --port $(PORT) --data $(DATA)

cluster: setup program ## build, start a service of several machines on loopback: three servers behind nginx, PostgreSQL with a replica, Redis
	@exec Scripts/cluster

test: setup ## every test: unit, contract, acceptance, crash, browser
	@Scripts/test

check: setup ## format, architecture, documents, the pages' types, Apple's systems, the benchmarks' programs
	@Scripts/check

format: ## format the Swift sources in place
	@$(SWIFT) format --in-place --recursive Package.swift Sources Product Tests Benchmarks Examples

bench: setup ## the benchmarks, each beside its peer; fails when one has become worse
	@Scripts/bench

bench-compare: setup ## the benchmarks of this folder beside those of the commit BASE, in one run; fails when something is slower
	@Scripts/bench-compare "$(BASE)"

crash: setup ## processes hammer the stores and the outbox while kill -9 strikes, 200 times each
	@Scripts/crash

lab: setup program ## each call fails or is late once in a session of each app, each bit of each file is flipped, the power is lost, remotes do harm
	@$(SWIFT) build --build-tests
	@AQUIFER_EVERY_BIT=1 $(SWIFT) test --skip-build --no-parallel --filter 'EveryBit|EveryCut|FaultTests'
	@$(VENV)/bin/python Product/Tests/Lab/sweep.py $(LAB)
	@$(VENV)/bin/python Product/Tests/Lab/power.py --cuts 200
	@$(VENV)/bin/python Product/Tests/Lab/late.py --each 1
	@$(VENV)/bin/python Product/Tests/Lab/harms.py
	@AQUIFER_WAIT_BOUND=1 $(VENV)/bin/python -m pytest -q -p no:cacheprovider --rootdir Product/Tests Product/Tests/Acceptance/test_large_feed.py

soak: setup program ## many processes over one folder, TIME seconds: kills, pauses, clocks that jump, portals; also SEED=number
	@$(VENV)/bin/python Product/Tests/Lab/soak.py --time $(TIME) $(if $(SEED),--seed $(SEED)) --keep .build/soak

simulate: setup ## worlds in simulated time, SEEDS of them, with every fault drawn from a seed; also WORLD=name, FROM=seed
	@$(SWIFT) build -c release --product Worlds
	@Scripts/simulate --program .build/release/Worlds --seeds $(SEEDS) --from $(FROM) $(if $(WORLD),--world $(WORLD))

fuzz: setup ## libFuzzer on each decoder of foreign bytes, TIME seconds in all; also TARGET=name
	@Scripts/fuzz --time $(TIME) $(if $(TARGET),--target $(TARGET))

mutants: setup ## the engine is changed in some hundred places, one at a time: which changes no test and no world notices
	@nice -n 10 Scripts/mutants

leaks: setup ## the Swift tests under the address sanitizer, with leak detection
	@Scripts/leaks

nightly: setup program ## what takes longer than CI may: Scripts/nightly, part by part; also PART=name, FRESH=1
	@Scripts/nightly $(if $(FRESH),--fresh) $(PART)

docs: setup ## the documentation of all libraries, as a static site under .build/docs
	@Scripts/docs

screenshots: setup program ## pictures of all pages, into .build/screenshots
	@$(VENV)/bin/python Scripts/screenshots.py

clean: ## delete what was built
	@rm -rf .build .build-asan .build-tsan .build-coverage .build-fuzz Benchmarks/.build Benchmarks/Start/.build
