# The commands of the README. Each sets up what it needs; the second time that takes no time.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: play test setup specialists lint lock editors clean

play: setup
	$(BIN)/ggp match games/connect_four.kif --startclock 5 --playclock 1
	$(BIN)/ggp replay --brief records

test: setup
	$(BIN)/pytest -n auto --dist worksteal

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

setup:
	@PYTHON="$(PYTHON)" ./setup.sh

# GNU Go and Stockfish, to be played against.
specialists:
	@./setup.sh --specialists

# Pin all dependencies anew, with the hashes of every file.
lock: setup
	$(BIN)/pip-compile --quiet --strip-extras --extra dev --generate-hashes --allow-unsafe --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-header --output-file requirements.lock pyproject.toml

# The extension for VS Code, tested and packed; needs npm.
editors:
	cd editors/vscode && npm ci --ignore-scripts --no-audit --no-fund && npm test && npm run package

clean:
	rm -rf .venv build *.egg-info .mypy_cache .pytest_cache .ruff_cache
