# The commands of the README. Each sets up what it needs; the second time that takes no time.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: play test setup setup-dev specialists lint lock site editors release clean

play: setup
	$(BIN)/ggp match games/connect_four.kif --startclock 5 --playclock 1
	$(BIN)/ggp replay --brief records

test: setup-dev
	$(BIN)/pytest -n auto --dist worksteal

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What playing needs: the command with its page.
setup:
	@PYTHON="$(PYTHON)" ./setup.sh

# And what tests, lint and documents need.
setup-dev:
	@PYTHON="$(PYTHON)" ./setup.sh --dev

# GNU Go and Stockfish, to be played against.
specialists:
	@./setup.sh --specialists

# Pin all dependencies anew, with the hashes of every file: those of playing, then those of all the rest, which agree with them.
COMPILE := $(BIN)/pip-compile --quiet --strip-extras --generate-hashes --allow-unsafe --no-emit-index-url \
	--no-emit-trusted-host --no-emit-find-links --no-header
lock: setup-dev
	$(COMPILE) --extra web --build-deps-for editable --output-file requirements.lock pyproject.toml
	$(COMPILE) --extra dev --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml

# The documents as a site in build/site/, after all examples in them have been run.
site: setup-dev
	$(BIN)/pytest -q -n auto tests/test_documents.py README.md docs
	$(BIN)/python -m tests.docs_site build/site

# The extension for VS Code, tested and packed; needs npm.
editors:
	cd editors/vscode && npm ci --ignore-scripts --no-audit --no-fund && npm test && npm run package

# A section of the changelog, the version, a commit and a tag: make release VERSION=0.2.0
release: lint
	$(BIN)/python -m tests.release $(VERSION)

clean:
	rm -rf .venv build *.egg-info .mypy_cache .pytest_cache .ruff_cache
