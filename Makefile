# `make EXE=name` builds the brain under that name, for distributed testing frameworks such as OpenBench. `make dist` and
# `make windows` build the packages, `make web` the page for browsers. For everything else, use cargo.

EXE ?= pbrain-tengen
ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif
# On Windows, EXE may be given with or without .exe.
TARGET := $(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX)

.PHONY: all bench test web dist windows clean

all:
	cargo build --release --locked --package tengen --bin pbrain-tengen
	cp "$(or $(CARGO_TARGET_DIR),target)/release/pbrain-tengen$(SUFFIX)" "$(TARGET)"

bench: all
	exe="$(TARGET)"; case "$$exe" in */*) ;; *) exe="./$$exe" ;; esac; "$$exe" bench

test:
	cargo test --locked

# The page for browsers: target/page/tengen.html.
web:
	cargo run --locked --release --quiet --package tengen-web-pack

# The downloads, in target/dist; see scripts/dist.
dist:
	scripts/dist

windows:
	scripts/build-windows

clean:
	cargo clean
