# Everything a newcomer needs: `make run`, `make test`. `make help` lists the rest.

SWIFT ?= swift
VENV := .build/venv
DATA ?= .build/data
PORT ?= 8080

SEEDS ?= 10000
FROM ?= 1
TIME ?= 600

.PHONY: help setup run cluster test check format bench bench-compare crash lab soak simulate fuzz mutants leaks nightly stress docs screenshots clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "make %-13s %s\n", $$1, $$2 }'

setup: ## install what is missing (apt or brew, and a virtual environment for the browser tests)
	@Scripts/setup

run: setup ## build, start everything on loopback, print the address
	@$(SWIFT) build --product AquiferCLI
	@exec .build/aquifer serve --port $(PORT) --data $(DATA)

cluster: setup ## build, start a service of several machines on loopback: three servers behind nginx, PostgreSQL with a replica, Redis
	@$(SWIFT) build --product AquiferCLI
	@exec Scripts/cluster

test: setup ## every test: unit, contract, acceptance, crash, browser
	@Scripts/test

check: setup ## format, architecture rules, Apple's systems, thread sanitizer
	@Scripts/check

format: ## format the Swift sources in place
	@$(SWIFT) format --in-place --recursive Package.swift Sources Product Tests Benchmarks Examples

bench: setup ## the benchmarks, each beside its peer; fails when a target is missed
	@Scripts/bench

bench-compare: setup ## the benchmarks of this folder beside those of the commit BASE, in one run; fails when something is slower
	@Scripts/bench-compare "$(BASE)"

crash: setup ## processes hammer the stores and the outbox while kill -9 strikes, 200 times each
	@Scripts/crash

lab: setup ## each call fails or is late once in a session of each app, each bit of each file is flipped, the power is lost, remotes do harm
	@$(SWIFT) build --build-tests
	@AQUIFER_EVERY_BIT=1 $(SWIFT) test --skip-build --no-parallel --filter 'EveryBit|EveryCut|FaultTests'
	@$(VENV)/bin/python Product/Tests/Lab/sweep.py $(LAB)
	@$(VENV)/bin/python Product/Tests/Lab/power.py --cuts 200
	@$(VENV)/bin/python Product/Tests/Lab/late.py --each 1
	@$(VENV)/bin/python Product/Tests/Lab/harms.py

soak: setup ## many processes over one folder, TIME seconds: kills, pauses, clocks that jump, portals; also SEED=number
	@$(SWIFT) build --product AquiferCLI
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

nightly: setup ## what takes an hour: leaks, each decoder is fuzzed for 60 seconds, and the server over sockets
	@Scripts/leaks
	@Scripts/fuzz --each 60
	@$(SWIFT) build --product AquiferCLI
	@$(VENV)/bin/python Product/Tests/Lab/requests_fuzz.py --requests 50000

stress: setup ## every test, three times, while all processors are busy: what is a matter of luck fails
	@Scripts/stress

docs: setup ## the documentation of all libraries, as a static site under .build/docs
	@Scripts/docs

screenshots: setup ## pictures of all pages, into .build/screenshots
	@$(SWIFT) build --product AquiferCLI
	@$(VENV)/bin/python Scripts/screenshots.py

clean: ## delete what was built
	@rm -rf .build .build-asan .build-tsan .build-coverage .build-fuzz Benchmarks/.build Benchmarks/Start/.build
