//! The licences of what is in the page.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The licence texts: our own, and those of the crates that are compiled in. Crates with a choice of licences are used under
/// the MIT licence.
pub fn text() -> Result<String> {
    let own = std::fs::read_to_string("LICENSE-MIT").context("cannot read LICENSE-MIT")?;
    let mut text = format!("Tengen\n\n{own}\n");
    let mut folders = String::new();
    for (crate_name, folder) in crates()? {
        let found = licence_of(&folder)?;
        ensure!(!found.is_empty(), "{crate_name} has no licence text");
        let _ = writeln!(folders, "{}\n{crate_name}\n\n{found}", "=".repeat(60));
    }
    text.push_str(
        "The page contains, beside Tengen, the Rust standard library (https://www.rust-lang.org, MIT or Apache 2.0) ",
    );
    text.push_str("and these packages of https://crates.io:\n\n");
    text.push_str(&folders);
    Ok(text)
}

/// The folder where cargo keeps what it has downloaded.
pub fn cargo_home() -> Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))).context("no home of cargo")
}

/// The crates in the module, with the folders of their sources.
fn crates() -> Result<BTreeMap<String, PathBuf>> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["tree", "--locked", "--package", "tengen-web", "--edges", "normal", "--prefix", "none", "--no-dedupe"])
        .args(["--target", super::TARGET, "--format", "{p}"])
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let home = cargo_home()?;
    let mut found = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((name, version)) = line.split_once(" v") else { continue };
        let version = version.split(' ').next().unwrap_or_default();
        if !name.starts_with("tengen") {
            let folder = source_of(&home, &format!("{name}-{version}"))?;
            found.insert(format!("{name} {version}"), folder);
        }
    }
    Ok(found)
}

/// The folder of a crate among the downloaded sources.
fn source_of(home: &Path, name: &str) -> Result<PathBuf> {
    let registries = std::fs::read_dir(home.join("registry/src")).context("no downloaded sources")?;
    let mut folders = registries.filter_map(|registry| Some(registry.ok()?.path().join(name)));
    folders.find(|folder| folder.is_dir()).with_context(|| format!("the source of {name} is not there"))
}

fn licence_of(folder: &Path) -> Result<String> {
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            (name.starts_with("license") || name.starts_with("licence")) && path.is_file()
        })
        .collect();
    names.sort();
    let is_apache = |path: &Path| path.to_string_lossy().to_lowercase().contains("apache");
    if names.iter().any(|path| !is_apache(path)) {
        names.retain(|path| !is_apache(path));
    }
    let texts = names.iter().map(|path| Ok(std::fs::read_to_string(path)?.replace('\r', "")));
    Ok(texts.collect::<Result<Vec<_>>>()?.join("\n"))
}
