# For distributed testing frameworks (OpenBench and its kin): `make EXE=name` builds the brain to that name.
# Everybody else uses cargo.

EXE ?= pbrain-tengen
ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif
# NAME.exe may be asked for with its ending or without.
TARGET := $(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX)

.PHONY: all bench test dist windows clean

all:
	cargo build --release --locked --package tengen --bin pbrain-tengen
	cp target/release/pbrain-tengen$(SUFFIX) $(TARGET)

bench: all
	./$(TARGET) bench

test:
	cargo test --locked

# What users download, in target/dist; see scripts/dist.
dist:
	scripts/dist

windows:
	scripts/build-windows

clean:
	cargo clean
