# Every command of the project; `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
UV_VERSION := 0.13.8
UV := $(shell command -v uv || echo .uv/bin/uv)
BIN := .venv/bin
PACKAGES := core backend cli worker testbed
VERSION := $(shell sed -n 's/^VERSION = "\(.*\)"$$/\1/p' core/src/podmeter/version.py)

# The program of measuring pods, where this machine runs it: in tests, and as a client outside.
export PATH := $(CURDIR)/.bin:$(PATH)

# Python keeps its bytecode: without it every worker process that a test starts compiles all modules.
unexport PYTHONDONTWRITEBYTECODE

# KERNEL=uml: wherever a testbed is started, it is on a kernel of its own (docs/explanation/testbed.md).
ifdef KERNEL
export PODMETER_TESTBED_KERNEL := $(KERNEL)
endif
# CNI=cilium, CNI=kube-router: wherever a testbed is started, its pod network is that one.
ifdef CNI
export PODMETER_TESTBED_CNI := $(CNI)
endif
# LINK="1gbit 0.2ms": its nodes' links are limited to that; SUBNETS=2: a router is between its nodes;
# NODES=3: it has a third node; NODES=4, NODES=5: more.
ifdef LINK
export PODMETER_TESTBED_LINK := $(LINK)
endif
ifdef SUBNETS
export PODMETER_TESTBED_SUBNETS := $(SUBNETS)
endif
ifdef NODES
export PODMETER_TESTBED_NODES := $(NODES)
endif
# ADDONS="load-balancers network-policies": what a testbed has only where it is needed.
ifdef ADDONS
export PODMETER_TESTBED_ADDONS := $(ADDONS)
endif
ALL_ADDONS = env PODMETER_TESTBED_ADDONS=load-balancers,network-policies
# KEEP_BUILD_CACHE=1: what was compiled for the testbed stays in ~/.cache/podmeter, several GB.
ifdef KEEP_BUILD_CACHE
export KEEP_BUILD_CACHE
endif

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-18s %s\n", $$1, $$2}'

# ---- setting up

.uv/bin/uv:
	python3 -m venv .uv || { echo "python3-venv is missing: apt-get install python3-venv"; exit 1; }
	.uv/bin/pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

.venv/.ready: requirements-dev.txt pyproject.toml $(PACKAGES:%=%/pyproject.toml) | $(filter .uv/bin/uv,$(UV))
	$(UV) venv --quiet --allow-existing --python '>=3.11' .venv
	$(UV) pip sync --quiet --compile-bytecode --require-hashes requirements-dev.txt
	$(UV) pip install --quiet --no-deps $(PACKAGES:%=--editable %)
	@$(BIN)/python -m compileall -q $(PACKAGES:%=%/src)
	@touch $@

setup: .venv/.ready ## install the Python packages, pinned by hash, into .venv

lock: | $(filter .uv/bin/uv,$(UV)) ## resolve the dependencies again
	$(UV) pip compile --quiet --universal --generate-hashes --python-version 3.11 --upgrade \
	  --custom-compile-command 'make lock' $(foreach p,podmeter podmeter-api podmeter-cli podmeter-worker podmeter-testbed,--no-emit-package $(p)) \
	  --output-file requirements-dev.txt --group dev pyproject.toml
	@$(MAKE) --no-print-directory images/requirements

# What images are built from: the same versions, less what they do not need.
images/requirements: images/requirements/api.txt images/requirements/worker.txt images/requirements/build.txt

COMPILE = $(UV) pip compile --quiet --universal --generate-hashes --python-version 3.13 \
  --custom-compile-command 'make lock' --no-emit-package podmeter --output-file $@

images/requirements/api.txt: backend/pyproject.toml core/pyproject.toml requirements-dev.txt
	$(COMPILE) --constraint requirements-dev.txt backend/pyproject.toml

images/requirements/worker.txt: worker/pyproject.toml core/pyproject.toml requirements-dev.txt
	$(COMPILE) --constraint requirements-dev.txt worker/pyproject.toml

images/requirements/build.txt: images/requirements/build.in
	$(COMPILE) $<

VERSIONED := docker-compose.yml helm/podmeter/Chart.yaml images/env.sh images/Dockerfile images/bench/Dockerfile \
  testbed/src/podmeter_testbed/layout.py frontend/e2e/stack.ts
version: ## write the version of core/src/podmeter/version.py into the files that cannot read it
	sed -i -E 's#((api|bench|worker):|ARG VERSION=|^(version|appVersion): )[0-9]+\.[0-9]+\.[0-9]+#\1$(VERSION)#' $(VERSIONED)

# ---- the web UI

NPM := npm --prefix frontend
FRONTEND_SOURCES = docs/explanation/verdicts.md $(shell find frontend/src frontend/public -type f; find core/src/podmeter -name "*.json") $(wildcard frontend/*.html frontend/*.ts frontend/package.json)

frontend/node_modules/.ready: frontend/package.json frontend/package-lock.json
	@command -v npm >/dev/null || { echo "Node.js 20 or newer with npm is missing: apt-get install nodejs npm"; exit 1; }
	$(NPM) ci --no-audit --no-fund
	@touch $@

frontend/dist/index.html: frontend/node_modules/.ready $(FRONTEND_SOURCES)
	$(NPM) run build

frontend: frontend/dist/index.html ## build the web UI into frontend/dist

browser-deps: ## install the browser that tests and screenshots use
	@command -v chromium >/dev/null && fc-list :lang=zh | grep --quiet . || \
	  { apt-get update --quiet && DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes chromium fontconfig fonts-noto-cjk; }

screenshots: setup frontend browser-deps ## write every page as pictures into frontend/screenshots
	$(NPM) run screenshots

# ---- the program of measuring pods

GO := $(shell command -v go || echo /usr/local/go/bin/go)
# With a cache of its own: the user's is not touched.
GO_PROGRAM = cd images/bench && GOCACHE=$(HOME)/.cache/podmeter/go-build CGO_ENABLED=0 $(GO)
# The architectures of the bench image. Building needs no emulator.
PROGRAM_ARCHITECTURES := amd64 arm64
.bin/podmeter-measure: $(wildcard images/bench/measure/*.go) images/bench/go.mod
	@command -v $(GO) >/dev/null || { echo "Go 1.24 or newer is missing: https://go.dev/dl"; exit 1; }
	$(GO_PROGRAM) build -trimpath -ldflags '-s -w' -o $(CURDIR)/$@ ./measure

program: .bin/podmeter-measure ## build podmeter-measure into .bin: what measuring pods run, and a client outside of the cluster

# ---- checking

check: setup frontend program ## format, lint, types, layers, sizes of pages, plain words, tests of the Go program: what needs no service
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy $(PACKAGES:%=%/src)
	$(BIN)/lint-imports
	$(BIN)/mypy bench images/tests helm/tests $(PACKAGES:%=%/tests)
	$(NPM) run check
	$(NPM) run sizes
	.ci/phrases
	@test -z "$$($(GO)fmt -l images/bench/measure)" || { echo "gofmt -w images/bench/measure"; exit 1; }
	$(GO_PROGRAM) vet ./measure
	$(GO_PROGRAM) test ./measure
	for arch in $(PROGRAM_ARCHITECTURES); do ($(GO_PROGRAM:CGO%=GOARCH=$$arch CGO%) build -o /dev/null ./measure) || exit 1; done

# ---- testing: CONTRIBUTING.md says which tier to run for which change

# Each part of a tier writes .test/NAME.log; .ci/summary prints the times, and what failed and why.
PART = @.ci/part
# Tests on the testbed wait a lot: what runs beside them gives way.
NICE = nice -n 10
# Chooses the part of the sampled tests that `make test` runs.
export PODMETER_TEST_SEED := $(or $(PODMETER_TEST_SEED),$(shell shuf -i 0-999999 -n 1))

TEST_PARTS = smoke python browser frontend check
test: test-begin test-setup ## the fast, complete tier, which CI runs: checks, unit tests, browser journeys, a few tests on a real cluster; root
	@echo "sampled tests: PODMETER_TEST_SEED=$$PODMETER_TEST_SEED repeats this choice"
	@$(call build_then,$(TEST_PARTS:%=part-%)); .ci/summary build $(TEST_PARTS)

# The build uses all cores; the other parts wait now and then, so that three at once keep two cores busy.
build_then = $(STOPPED); $(MAKE) --no-print-directory part-build & wait $$!; $(MAKE) --no-print-directory --jobs=3 --keep-going $(1) & wait $$!
# A signal to make reaches no further than this shell, which passes it on and begins nothing more.
STOPPED = trap 'kill $$! 2>/dev/null; wait $$!; exit 143' TERM INT

# The testbed that KERNEL=, CNI=, SUBNETS= and NODES= name; what another than the plain one is for is marked so.
OTHER_TESTBED = $(strip $(filter uml,$(KERNEL)) $(filter cilium kube-router,$(CNI)) $(if $(filter 2,$(SUBNETS)),subnets) $(if $(filter 3,$(NODES)),nodes))
CLUSTER_PARTS = $(if $(OTHER_TESTBED),cluster,journey cluster)
test-cluster: test-begin test-setup ## every test on the testbed; KERNEL=uml, CNI=cilium, CNI=kube-router, SUBNETS=2, NODES=3, NODES=5: those of that testbed; root
	@$(call one_by_one,$(CLUSTER_PARTS)); .ci/summary $(CLUSTER_PARTS)

TESTBED_PARTS = journey cluster uml cilium kube-router subnets nodes compose helm
FULL_PARTS = $(filter-out smoke,$(TEST_PARTS)) $(TESTBED_PARTS)
test-full: test-begin test-setup ## everything there is, several hours; RESUME=1: only what has not passed at this commit; root
	@export PODMETER_TEST_ALL=1; \
	$(call build_then,part-testbeds $(addprefix part-,$(filter-out $(TESTBED_PARTS),$(FULL_PARTS)))); .ci/summary build $(FULL_PARTS)

one_by_one = $(STOPPED); for part in $(1); do $(MAKE) --no-print-directory part-$$part & wait $$! || failed=1; done; test -z "$$failed"
# With a third node only the tests that need one differ.
MARKED = cluster$(if $(filter 3,$(NODES)), and nodes)
ELSEWHERE_TESTS = testbed/tests worker/tests/modes worker/tests/cluster/test_cilium_runs.py worker/tests/cluster/test_side_by_side_runs.py worker/tests/cluster/test_rotation_runs.py
TIER = $(if $(filter 1,$(PODMETER_TEST_ALL)),,and not full)
# A testbed of another kind replaces a running one.
ELSEWHERE = sh -c '$(BIN)/podmeter-testbed down && $(BIN)/podmeter-testbed deps && \
  $(ALL_ADDONS) $(BIN)/podmeter-testbed build && exec $(BIN)/pytest -m "$(MARKED)" $(ELSEWHERE_TESTS)'

test-begin:
	@mkdir -p .test $(if $(RESUME),,&& rm -f .test/results) && date +%s >.test/begun

# Also the program, which two parts would build at once.
test-setup: setup frontend program testbed-deps browser-deps

part-check:
	$(PART) check $(NICE) $(MAKE) --no-print-directory check

part-frontend:
	$(PART) frontend $(NICE) $(NPM) test

# Beside the testbeds a walk over everything may take a quarter of an hour.
part-python:
	$(PART) python $(NICE) $(BIN)/pytest -m 'not cluster $(TIER)' --numprocesses 4 --dist worksteal $(if $(filter 1,$(PODMETER_TEST_ALL)),--timeout 2700)

part-browser:
	$(PART) browser $(NICE) $(BIN)/python -m bench.own_network $(NPM) run e2e:scripted

# Also helm, by which the chart's tests render it.
part-build:
	$(PART) build sh -c 'PODMETER_TESTBED_ADDONS=network-policies $(BIN)/podmeter-testbed build && $(BIN)/podmeter-testbed helm version --short'

part-smoke:
	$(PART) smoke $(BIN)/pytest -m "cluster and smoke"

part-testbeds:
	@$(call one_by_one,$(TESTBED_PARTS))

part-journey:
	$(PART) journey sh -c '$(BIN)/podmeter-testbed build && exec $(NPM) run e2e'

part-cluster:
	$(PART) cluster $(if $(OTHER_TESTBED),$(ELSEWHERE),sh -c '$(ALL_ADDONS) $(BIN)/podmeter-testbed build && $(BIN)/podmeter-testbed helm version --short && exec $(BIN)/pytest -m cluster')

part-uml:
	$(if $(filter x86_64,$(shell uname -m)),$(PART) uml env PODMETER_TESTBED_KERNEL=uml $(ELSEWHERE),@echo "User-mode Linux is for x86_64 alone")

part-cilium:
	$(PART) cilium env PODMETER_TESTBED_CNI=cilium $(ELSEWHERE)

part-kube-router:
	$(PART) kube-router env PODMETER_TESTBED_CNI=kube-router $(ELSEWHERE)

part-subnets:
	$(PART) subnets env PODMETER_TESTBED_SUBNETS=2 $(ELSEWHERE)

part-nodes: NODES = 3
part-nodes:
	$(PART) nodes env PODMETER_TESTBED_NODES=3 $(ELSEWHERE)
	$(PART) more-nodes env PODMETER_TESTBED_NODES=5 $(ELSEWHERE)

part-compose:
	$(PART) compose $(MAKE) --no-print-directory compose-test

part-helm:
	$(PART) helm $(MAKE) --no-print-directory helm-test

bench: setup frontend program testbed-deps browser-deps ## every figure that has a bar, written to docs/explanation/benchmarks.md; ONLY=api,footprint QUICK=1; needs root
	@PODMETER_TESTBED_ADDONS=network-policies $(BIN)/python -m bench $(if $(ONLY),--only $(ONLY)) $(if $(QUICK),--quick)

storm: setup ## hostile API servers beside an honest cluster for MINUTES=10: what the honest one feels
	@$(BIN)/python -m bench.storm $(if $(MINUTES),--minutes $(MINUTES))

chaos: setup ## kill everything at random under runs: KILLS=200, SEED=; CLUSTER=testbed: 30 on the testbed, as root
	@$(BIN)/python -m bench.chaos $(if $(filter testbed,$(CLUSTER)),--testbed) $(if $(KILLS),--kills $(KILLS)) $(if $(SEED),--seed $(SEED))

scale: setup ## 1,000 runs on 100 scripted clusters by 4 workers that are killed: RUNS=, SEED=
	@$(BIN)/python -m bench.scale $(if $(RUNS),--runs $(RUNS)) $(if $(SEED),--seed $(SEED))

clients: setup frontend/node_modules/.ready ## generate Go, TypeScript and Python clients, compile them and run one experiment with each: needs the network and Go 1.26
	@$(BIN)/python -m bench.clients

verdicts: setup testbed-deps ## A/A and A/B runs on the testbed: are verdicts right? RUNS=10 ONLY=kube-proxy,encapsulation,ab,decided FRESH=1; 30 runs of about 5 min, root
	@$(BIN)/python -m bench.verdicts $(if $(RUNS),--runs $(RUNS)) $(if $(ONLY),--only $(ONLY)) $(if $(FRESH),--fresh)

# ---- running it

PAGES = PODMETER_FRONTEND_DIR=$(CURDIR)/frontend/dist
# Unless BENCH_IMAGE names another one. Without KUBECONFIG the testbed is measured, where switching modes hurts nobody.
IMAGE = BENCH_IMAGE=$${BENCH_IMAGE:-docker.io/podmeter/bench:$(VERSION)}
DEMO_ENV = $(PAGES) $(IMAGE) $(if $(KUBECONFIG),,\
  KUBECONFIG=$(CURDIR)/.testbed/kubeconfig ALLOW_MODE_SWITCH=1 KUBECTL="$(CURDIR)/$(BIN)/podmeter-testbed kubectl")

demo: setup demo-check frontend ## the stack, a cluster, two experiments, their comparisons, a link; SERVICES=10,1000,5000 ONLY=service_scale; SPEC=my.yaml
	@$(if $(KUBECONFIG),,$(BIN)/podmeter-testbed deps && $(BIN)/podmeter-testbed up)
	@$(DEMO_ENV) $(BIN)/podmeter-admin demo

# What is wrong with SPEC, SERVICES or ONLY is said before anything is built.
demo-check: setup
	@$(BIN)/podmeter-admin demo --check

# The testbed's machine is itself the client outside of it.
ARTICLES_ENV = $(DEMO_ENV) $(if $(KUBECONFIG),,PODMETER_TESTBED_ADDONS=load-balancers,network-policies \
  PODMETER_OUTSIDE_CLIENT=true TESTBED="$(CURDIR)/$(BIN)/podmeter-testbed")

articles: setup frontend program ## five articles' experiments, quick, beside what they published; 30 min on the testbed; ONLY=cilium-native-routing-2023 FRESH=1
	@$(ARTICLES_ENV) $(BIN)/podmeter-admin articles --write docs/explanation/articles.md $(if $(FRESH),--fresh)

up: setup frontend ## the stack alone: web UI, API, worker, beat, embedded PostgreSQL and Redis
	@$(PAGES) $(IMAGE) $(BIN)/podmeter-admin up

down: setup ## stop the stack that a demo left running
	@$(BIN)/podmeter-admin down

# ---- images, and the stack in them: docs/how-to/install-with-compose.md

helm-rbac: setup ## write the chart's copies of the manifest of `podmeter-admin rbac`
	@for capability in measure host_access switch_modes; do \
	  BENCH_IMAGE=registry.invalid/bench $(BIN)/podmeter-admin rbac $$capability --pull-secret invalid-pull-secret >helm/podmeter/files/rbac/$$capability.yaml; done

env: ## write .env and fresh secrets for docker-compose.yml
	@sh images/env.sh

images: ## build the images api, worker and bench by Docker, Podman or buildah; prints their sizes
	@sh images/build.sh

push-bench: ## push the measuring image to REGISTRY=registry.example/team; prints what to set as a cluster's image
	@sh images/bench.sh push

save-bench: ## write the measuring image into FILE=podmeter-bench.tar, for nodes without a registry
	@sh images/bench.sh save

compose-test: setup frontend/node_modules/.ready browser-deps ## the images and docker-compose.yml on a Docker engine; without one, root
	@docker version >/dev/null 2>&1 || $(BIN)/podmeter-testbed deps --engine
	@$(BIN)/podmeter-testbed engine $(BIN)/pytest -m compose -rA images/tests

compose-demo: setup testbed-deps ## the demo's experiments through docker-compose.yml on the testbed, which it starts; root
	@docker version >/dev/null 2>&1 || $(BIN)/podmeter-testbed deps --engine
	@$(BIN)/podmeter-testbed up
	@$(BIN)/podmeter-testbed engine $(BIN)/pytest -m compose_demo -rA images/tests

IMAGES_ARCHIVE = $(CURDIR)/.testbed-images.tar
helm-test: setup frontend/node_modules/.ready browser-deps ## the chart on the testbed by a real helm: install, measure from inside, upgrade, uninstall; root
	@$(BIN)/podmeter-testbed deps
	@docker version >/dev/null 2>&1 || $(BIN)/podmeter-testbed deps --engine
	@CERTIFICATES="$${PODMETER_BUILD_CERTIFICATES:-$$PIP_CERT}" IMAGES="api worker" $(BIN)/podmeter-testbed engine sh -c \
	  'sh images/build.sh && docker save --output $(IMAGES_ARCHIVE) postgres:17 redis:8 docker.io/podmeter/api:$(VERSION) docker.io/podmeter/worker:$(VERSION)'
	@PODMETER_TESTBED_ADDONS=network-policies $(BIN)/podmeter-testbed build
	@$(BIN)/podmeter-testbed helm version --short
	@PODMETER_IMAGES=$(IMAGES_ARCHIVE) $(BIN)/pytest -m helm -rA helm/tests; status=$$?; rm -f $(IMAGES_ARCHIVE); exit $$status

# ---- the testbed: a real two-node Kubernetes on this machine

testbed-deps: setup ## install the Debian packages that the testbed needs
	@$(BIN)/podmeter-testbed deps

testbed-up: setup ## start the testbed, building what is not cached; KERNEL=uml: on a kernel with IPVS, IPIP, WireGuard; CNI=cilium, CNI=kube-router; LINK="1gbit"; SUBNETS=2; NODES=3; ADDONS=load-balancers,network-policies
	@$(BIN)/podmeter-testbed up

testbed-down: setup ## end the testbed and remove everything it made
	@$(BIN)/podmeter-testbed down

testbed-status: setup ## what of the testbed runs
	@$(BIN)/podmeter-testbed status

testbed-kubectl: setup ## kubectl on the testbed: make testbed-kubectl ARGS="get nodes"
	@$(BIN)/podmeter-testbed kubectl $(ARGS)

testbed-bench: setup ## measure the testbed, write docs/explanation/testbed.md; COLD=1: also from nothing; STARTS=20
	@$(BIN)/podmeter-testbed bench $(if $(COLD),--cold) $(if $(STARTS),--starts $(STARTS))

.PHONY: help setup lock version images/requirements program frontend browser-deps screenshots check test test-cluster test-full test-begin test-setup bench storm chaos scale verdicts demo articles up down env images push-bench save-bench clients compose-test compose-demo helm-rbac helm-test testbed-deps testbed-up testbed-down testbed-status testbed-kubectl testbed-bench
