# grokbook: `make book` and `make test` do all their own set-up; `make help` lists the targets.
PYTHON ?= python3
VENV ?= .venv
PIP_ARGS ?=
PYTEST_ARGS ?=
# One more than the two cores it is meant for: some tests wait, for a browser or for processes that they have started.
WORKERS ?= 3
TORCH ?= 2.13.0

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip
INSTALLER ?= $(PIP) install -qq
GROKBOOK := $(BIN)/grokbook
BOOK_STAMP := $(VENV)/.installed-book
DEV_STAMP := $(VENV)/.installed-dev
SOURCES_OF_INSTALL := pyproject.toml constraints.txt

# One thread a process: tiny tensors on several OpenMP threads are slow when anything else runs.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest
export PIP_DISABLE_PIP_VERSION_CHECK ?= 1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help book test setup setup-dev smoke browser screenshot older bundle wheel examples draws benchmark lint types serve record constraints clean distclean hashes materials audit

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-20s%s\n", $$1, $$2 }'

book: setup ## set up, execute all chapters at the laptop preset, build site/
	$(GROKBOOK) build --preset laptop

test: setup-dev ## set up, then run all tests that need no browser
	$(PYTEST) -m 'not browser' -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

setup: $(BOOK_STAMP) ## make .venv and install what the book needs

setup-dev: $(DEV_STAMP) ## make .venv and install what the book and the tests need

smoke: setup-dev ## build the whole book at the smoke preset, warnings are errors
	$(GROKBOOK) build --preset smoke --strict

browser: setup-dev ## open the built site in Chromium (after `make book` or `make smoke`)
	$(PYTEST) tests/browser tests/companion -m browser -n $(WORKERS) --dist loadgroup $(PYTEST_ARGS)

screenshot: setup-dev ## take README's picture of the built site's front page, in Chromium (after `make book`)
	$(BIN)/python .ci/picture.py

draws: setup-dev ## execute 200 legal sets of parameters at smoke: no page dies or says what is absurd (resumable)
	$(BIN)/python .ci/trust/draws.py --draws 200

benchmark: setup-dev ## measure the ratios of benchmarks/README.md, once what is compared is known to do the same work
	$(PYTEST) benchmarks $(PYTEST_ARGS)
	$(BIN)/python benchmarks/run.py

# A newer processor behaves like one with AVX2 alone. Runs in a store of its own, so that each is trained; compiled programs
# too: torch's cache does not tell processors apart, and a program for the other one crashes.
LIKE_AVX2 := ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 GROKBOOK_STORE=build/avx2/records \
  TORCHINDUCTOR_CACHE_DIR=$(CURDIR)/build/avx2/compiled TORCHINDUCTOR_COMPILE_THREADS=1

# what has no number in it that a processor computes, processes that end, and convolutions, which `make test` tries as on both
NOT_OLDER := killed or worker or several_processes or test_checkpoint or test_config or test_contract or test_cost or \
  test_pool or no_convolution
# chapters alone, no pages of them
EXECUTE := from pathlib import Path; from companion.site.execute import execute; from companion.site.terminal import Progress; \
  from companion.page.sources import find; \
  [execute(find(Path.cwd(), one).page("smoke"), Path.cwd(), Progress(), strict=True) for one in ("10", "15")]

older: setup-dev ## networks, training and chapters 10 and 15 as on a processor without AVX-512
	rm -rf build/avx2
	$(LIKE_AVX2) $(PYTEST) tests/grokbook/models tests/grokbook/training -k 'not ($(NOT_OLDER))' -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)
	$(LIKE_AVX2) $(BIN)/python -c '$(EXECUTE)'

bundle: setup-dev ## all in one archive that needs no network: site, wheel, records, PDF, editions (after `make book`)
	$(BIN)/python .ci/bundle.py

wheel: setup-dev ## install the wheel beside the same packages, outside the checkout, and run a chapter from it
	VENV=$(VENV) .ci/wheel

examples: setup-dev ## test and build the companions under examples/ outside the checkout with the wheel
	VENV=$(VENV) .ci/examples

lint: setup-dev ## check style with ruff
	$(BIN)/ruff check .

types: setup-dev ## check the types of the whole of tasks, models, measures, theory and training, no exemption (needs uv)
	uv tool run mypy==2.4.1 --python-executable $(BIN)/python

serve: setup ## show the built site at a local address
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory site 8000

record: setup ## train the recorded paper-scale runs that are missing (resumable)
	$(GROKBOOK) record

constraints: ## make constraints.txt anew from pyproject.toml's ranges
	rm -rf build/constraints
	$(PYTHON) -m venv build/constraints
	build/constraints/bin/python -m pip install $(PIP_ARGS) 'torch==$(TORCH)' -e '.[book,dev]'
	{ grep '^#' constraints.txt; build/constraints/bin/python .ci/constraints.py; } > build/constraints.txt
	mv build/constraints.txt constraints.txt

hashes: ## write build/requirements.txt: constraints.txt with the sha256 of every file that may be installed (needs uv)
	mkdir -p build
	uv pip compile -q pyproject.toml --extra book -c constraints.txt --python-version 3.11 --generate-hashes \
	  --no-annotate --no-header -o build/requirements.txt

materials: setup ## write build/sbom.json: what .venv holds, as CycloneDX (needs uv)
	mkdir -p build
	uv tool run --from cyclonedx-bom==7.5.0 cyclonedx-py environment $(BIN)/python --of JSON --output-reproducible \
	  -o build/sbom.json

audit: ## look for known vulnerabilities of what constraints.txt names; one that cannot be looked up is an error (needs uv)
	uv tool run pip-audit==2.10.1 -r constraints.txt --no-deps --disable-pip --strict

clean: ## delete what can be built again; keeps .venv, trained runs and records
	rm -rf site runs book/_build book/chapters build dist .pytest_cache .hypothesis .ruff_cache .mypy_cache
	find . -name .venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## also delete .venv and the runs trained on this machine
	rm -rf $(VENV) .grokbook src/*.egg-info

# The stamp is written last, so an interrupted installation leaves none that is newer than its sources.
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "grokbook needs Python 3.11 or newer; $(PYTHON) is older or missing: name another, make PYTHON=python3.12" >&2; \
	  exit 1; }
	@rm -f $(BOOK_STAMP) $(DEV_STAMP)
	$(PIP) --version > /dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@echo 'installing .[$(1)] into $(VENV): about 2 GB, some minutes the first time'
	$(INSTALLER) $(PIP_ARGS) -c constraints.txt -e '.[$(1)]'
endef

$(BOOK_STAMP): $(SOURCES_OF_INSTALL)
	$(call install,book)
	@touch $@

$(DEV_STAMP): $(SOURCES_OF_INSTALL)
	$(call install,book$(comma)dev)
	@touch $(BOOK_STAMP) $@

comma := ,
