//! Builds the page: compiles the engine to WebAssembly, makes its bindings, and puts everything into one HTML file.
//!
//! `cargo run --release --package tengen-web-pack [-- FOLDER]` writes `tengen.html` to the folder, by default `target/page`. It
//! needs the Rust target `wasm32-unknown-unknown` and nothing else; with `--can` it only says whether that is there.

mod bundle;
mod licences;

use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use wasm_bindgen_cli_support::Bindgen;

/// Where the page is, from the root of the repository.
const PAGE: &str = "web/page";
/// The WebAssembly target.
const TARGET: &str = "wasm32-unknown-unknown";
/// The largest page, in bytes.
const LARGEST: usize = 12 << 20;
/// Features of WebAssembly that every browser of the last years has, and the stack of the search in bytes.
const FLAGS: [&str; 2] = [
    "-Ctarget-feature=+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals",
    "-Clink-arg=-zstack-size=8388608",
];
/// Further flags of the user's, as cargo reads them.
const USER_FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";

fn main() -> ExitCode {
    let argument = std::env::args_os().nth(1);
    let done = if argument.as_ref().is_some_and(|argument| argument == "--can") {
        has_target()
    } else {
        build(&argument.map_or_else(|| target_folder().join("page"), PathBuf::from))
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

#[allow(clippy::print_stderr)]
fn complain(text: &str) {
    eprintln!("tengen-web-pack: {text}");
}

/// Cargo's folder for what it builds.
fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

fn sysroot() -> Result<String> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().context("no rustc")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn has_target() -> Result<()> {
    let folder = Path::new(&sysroot()?).join("lib/rustlib").join(TARGET).join("lib");
    // The flags may name another sysroot.
    let has_other = std::env::var(USER_FLAGS).is_ok_and(|flags| flags.contains("--sysroot"));
    ensure!(folder.is_dir() || has_other, "missing: the Rust target {TARGET} (rustup target add {TARGET})");
    Ok(())
}

/// The flags of the compiler. With names of local folders in it, the page would differ from machine to machine.
fn flags() -> Result<String> {
    let here = std::env::current_dir().context("no current folder")?;
    let home = licences::cargo_home()?;
    let names = [
        format!("--remap-path-prefix={}=tengen", here.display()),
        format!("--remap-path-prefix={}=cargo", home.display()),
        format!("--remap-path-prefix={}=rust", sysroot()?),
    ];
    let own = std::env::var(USER_FLAGS).unwrap_or_default();
    let own = own.split_whitespace().map(str::to_owned);
    let all: Vec<String> = own.chain(FLAGS.map(str::to_owned)).chain(names).collect();
    Ok(all.join("\x1f"))
}

fn build(folder: &Path) -> Result<()> {
    has_target()?;
    let module = compile()?;
    let mut bindings = Bindgen::new();
    bindings
        .input_path(&module)
        .no_modules(true)?
        .typescript(false)
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true);
    let mut output = bindings.generate_output().context("the bindings cannot be made")?;
    let glue = output.js().to_owned();
    let wasm = output.wasm_mut().emit_wasm();
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).with_context(|| format!("cannot write {name}"))
    };
    let page = bundle::page(Path::new(PAGE), &glue, &wasm, &licences::text()?)?;
    ensure!(page.len() <= LARGEST, "the page has {} bytes, more than {LARGEST}", page.len());
    write("tengen.html", page.as_bytes())?;
    // For tests without a browser.
    write("tengen.wasm", &wasm)?;
    write("tengen.js", glue.as_bytes())
}

/// Compiles the package `tengen-web` and returns the module.
fn compile() -> Result<PathBuf> {
    let arguments = ["build", "--locked", "--profile", "web", "--package", "tengen-web", "--lib", "--target", TARGET];
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(arguments)
        .env("CARGO_ENCODED_RUSTFLAGS", flags()?)
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("the engine does not compile");
    }
    Ok(target_folder().join(TARGET).join("web/tengen_web.wasm"))
}
