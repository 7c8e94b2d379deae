//! Puts the page together: style, texts, modules, engine and licences in one HTML file.
//!
//! The modules of the page are plain JavaScript modules, which a browser does not load from a file on disk. They are linked
//! here into one script: each becomes a function that returns what it exports. That works for the simple forms that the page
//! keeps to: `import { a, b } from "./file.js";` on one line, and `export` before a function, class or constant.

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use flate2::{Compression, write::GzEncoder};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// The module that starts the page, and the one that runs in the worker.
const MAIN: &str = "main.js";
const WORKER: &str = "worker.js";

/// The page. `glue` are the bindings of the module `wasm`.
pub fn page(folder: &Path, glue: &str, wasm: &[u8], licences: &str) -> Result<String> {
    let html = read(folder, "index.html")?;
    let style = read(folder, "style.css")?;
    let script = link(folder, MAIN)?;
    let worker = format!("{glue}\n{}", link(folder, WORKER)?);
    let mut page = html;
    for (mark, text) in [
        ("<!-- style -->", format!("<style>\n{style}</style>")),
        ("<!-- licences -->", escape(licences)),
        (
            "<!-- engine -->",
            format!("<script type=\"application/octet-stream\" id=\"engine\">{}</script>", packed(wasm)?),
        ),
        ("<!-- worker -->", format!("<script type=\"text/plain\" id=\"worker\">{}</script>", inside_script(&worker)?)),
        ("<!-- script -->", format!("<script>\n{}\n{}</script>", inside_script(glue)?, inside_script(&script)?)),
    ] {
        ensure!(page.matches(mark).count() == 1, "index.html needs one {mark}");
        page = page.replace(mark, &text);
    }
    Ok(page)
}

fn read(folder: &Path, name: &str) -> Result<String> {
    let path = folder.join(name);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A script as it stands, which must not end its element early.
fn inside_script(text: &str) -> Result<&str> {
    ensure!(!text.contains("</script") && !text.contains("<!--"), "a script contains the end of a script");
    Ok(text)
}

/// Compressed, as text.
fn packed(bytes: &[u8]) -> Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(base64::engine::general_purpose::STANDARD.encode(encoder.finish()?))
}

/// A module and all that it needs, as one script.
fn link(folder: &Path, main: &str) -> Result<String> {
    let mut linked = Linked::default();
    linked.add(folder, main)?;
    Ok(format!("\"use strict\";\n(() => {{\n{}}})();\n", linked.text))
}

/// Modules in the order in which they run.
#[derive(Default)]
struct Linked {
    text: String,
    done: Vec<String>,
    /// Modules whose needs are being added.
    open: Vec<String>,
}

impl Linked {
    fn add(&mut self, folder: &Path, name: &str) -> Result<()> {
        if self.done.iter().any(|done| done == name) {
            return Ok(());
        }
        ensure!(!self.open.iter().any(|open| open == name), "{name} needs itself");
        self.open.push(name.to_owned());
        let (mut body, mut exports) = (String::new(), Vec::new());
        for line in read(folder, name)?.lines() {
            if let Some(rest) = line.strip_prefix("import ") {
                let (names, file) = imported(rest).with_context(|| format!("{name}: {line}"))?;
                self.add(folder, file)?;
                let _ = writeln!(body, "const {names} = {};", variable(file));
            } else if let Some(rest) = line.strip_prefix("export ") {
                exports.push(exported(rest).with_context(|| format!("{name}: {line}"))?.to_owned());
                let _ = writeln!(body, "{rest}");
            } else {
                let _ = writeln!(body, "{line}");
            }
        }
        self.open.pop();
        self.done.push(name.to_owned());
        let exports = exports.join(", ");
        let _ = writeln!(self.text, "const {} = (() => {{\n{body}return {{ {exports} }};\n}})();", variable(name));
        Ok(())
    }
}

/// The name of the variable with what a module exports.
fn variable(file: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    format!("module_{}", file.trim_end_matches(".js").chars().map(plain).collect::<String>())
}

/// The names and the file of `{ a, b } from "./file.js";`.
fn imported(rest: &str) -> Result<(&str, &str)> {
    let (names, file) = rest.split_once(" from \"./").context("names from a file of this folder expected")?;
    let file = file.strip_suffix("\";").context("one line expected")?;
    ensure!(names.starts_with('{') && names.ends_with('}') && !names.contains(" as "), "plain names expected");
    Ok((names, file))
}

/// The name that `function name(`, `const name =` and the like declare.
fn exported(rest: &str) -> Result<&str> {
    let words = rest.strip_prefix("async ").unwrap_or(rest);
    let Some((kind @ ("function" | "class" | "const"), name)) = words.split_once(' ') else {
        bail!("a function, a class or a constant expected");
    };
    let end = name.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let name = &name[..end.unwrap_or(name.len())];
    ensure!(!name.is_empty(), "{kind} has no name");
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_simple_forms_are_linked() {
        assert_eq!(imported("{ a, b } from \"./x.js\";").unwrap(), ("{ a, b }", "x.js"));
        assert!(imported("a from \"./x.js\";").is_err() && imported("{ a as b } from \"./x.js\";").is_err());
        assert_eq!(exported("async function go() {").unwrap(), "go");
        assert_eq!(exported("const TEXTS = {").unwrap(), "TEXTS");
        assert!(exported("default go;").is_err() && exported("let x = 1;").is_err());
        assert!(inside_script("\"</script>\"").is_err());
    }
}
