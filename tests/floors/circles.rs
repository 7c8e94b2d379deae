//! Which file uses which, and where such uses run in a circle.
//!
//! A file uses another one when it names something that is defined there, by a `use` or by a path in code. A name that a
//! module re-exports belongs to the file that defines it, however many modules pass it on; a name that cannot be found
//! (a macro made it) belongs to the file of its module. Code behind `#[cfg(test)]` does not count. Methods do not
//! either: only names can be followed without a compiler.
//!
//! A module and the modules inside it are one thing from outside. So uses between a module and those inside it are
//! free in both directions, and re-exports of `mod.rs` make no circle. A use between any other two files is a use
//! between the two siblings, at the place where their module paths part, that contain them. A circle is a circle of
//! such siblings: `search::vct` and `search::guide`, or the whole of `arena` and the whole of `data`.

use super::source::{Kind, Reference, Source};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Write;

/// How many re-exports are followed before the name is given up, in case they run in a circle themselves.
const FUEL: usize = 16;

/// What a module binds.
#[derive(Default)]
struct Module<'a> {
    /// Index of its file; `None` for the root of a crate that has none here.
    file: Option<usize>,
    items: HashSet<&'a str>,
    imports: Vec<(&'a str, &'a Reference)>,
    globs: Vec<&'a Reference>,
}

/// The files of one crate, with all names resolved on demand.
pub struct Crate<'a> {
    sources: &'a [Source],
    modules: HashMap<Vec<String>, Module<'a>>,
    test_modules: HashSet<&'a [String]>,
}

/// What became of a name.
enum Found {
    In(usize),
    /// In another crate.
    Elsewhere,
    Unknown,
}

/// Uses between siblings: from the one to the other, with the first place where it happens.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

impl<'a> Crate<'a> {
    pub fn new(sources: &'a [Source]) -> Crate<'a> {
        let mut modules: HashMap<Vec<String>, Module<'a>> = HashMap::from([(Vec::new(), Module::default())]);
        let mut test_modules = HashSet::new();
        for (index, source) in sources.iter().enumerate() {
            let Some(own) = &source.module else { continue };
            modules.entry(own.clone()).or_default().file = Some(index);
            test_modules.extend(source.test_modules.iter().map(Vec::as_slice));
            for (module, name) in &source.items {
                let module = modules.entry(module.clone()).or_default();
                module.file = module.file.or(Some(index));
                module.items.insert(name);
            }
            for reference in &source.references {
                let module = modules.entry(reference.scope.clone()).or_default();
                module.file = module.file.or(Some(index));
                match &reference.kind {
                    Kind::Import(name) => module.imports.push((name, reference)),
                    Kind::Glob => module.globs.push(reference),
                    Kind::Path | Kind::Call => {}
                }
            }
        }
        Crate { sources, modules, test_modules }
    }

    /// The file that defines what is named here, if it belongs to this crate.
    pub fn file_of(&self, reference: &Reference) -> Option<&'a Source> {
        let path = self.rooted(reference)?;
        let file = match self.locate(&path, FUEL) {
            Found::In(file) => Some(file),
            Found::Elsewhere => None,
            // A bare name may come from the prelude; one that is written with its module belongs to the module.
            Found::Unknown => reference.absolute().and_then(|path| self.modules[self.prefix(&path)].file),
        };
        file.map(|file| &self.sources[file])
    }

    /// The path of a reference from the root of the crate; `None` when its first name comes from elsewhere.
    fn rooted(&self, reference: &Reference) -> Option<Vec<String>> {
        if let Some(path) = reference.absolute() {
            return Some(path);
        }
        let here = self.modules.get(&reference.scope)?;
        let first = reference.segments.first()?;
        let path: Vec<String> = reference.scope.iter().chain(&reference.segments).cloned().collect();
        let names_module = reference.segments.len() > 1 || matches!(reference.kind, Kind::Import(_) | Kind::Glob);
        let is_module = names_module && self.modules.contains_key(&path[..=reference.scope.len()]);
        let is_import = here.imports.iter().any(|&(name, import)| name == first && !std::ptr::eq(import, reference));
        (is_module || is_import || here.items.contains(first.as_str()) || !here.globs.is_empty()).then_some(path)
    }

    /// The longest part of a path that is a module.
    fn prefix<'p>(&self, path: &'p [String]) -> &'p [String] {
        let depth = (0..=path.len()).rev().find(|&depth| self.modules.contains_key(&path[..depth]));
        &path[..depth.unwrap_or_default()]
    }

    /// The file that defines the item at this path, through imports.
    fn locate(&self, path: &[String], fuel: usize) -> Found {
        let prefix = self.prefix(path);
        let module = &self.modules[prefix];
        let in_module = module.file.map_or(Found::Unknown, Found::In);
        let Some(name) = path.get(prefix.len()) else { return in_module };
        if module.items.contains(name.as_str()) {
            return in_module;
        }
        if fuel == 0 {
            return Found::Unknown;
        }
        for (_, import) in module.imports.iter().filter(|(bound, _)| bound == name) {
            let Some(target) = self.rooted(import) else { return Found::Elsewhere };
            let found = self.locate(&[&target, &path[prefix.len() + 1..]].concat(), fuel - 1);
            if !matches!(found, Found::Unknown) {
                return found;
            }
        }
        for glob in &module.globs {
            if let Some(target) = self.rooted(glob) {
                let found = self.locate(&[&target, &path[prefix.len()..]].concat(), fuel - 1);
                if !matches!(found, Found::Unknown) {
                    return found;
                }
            }
        }
        Found::Unknown
    }

    /// Whether a file holds nothing but tests.
    fn is_test(&self, module: &[String]) -> bool {
        (1..=module.len()).any(|depth| self.test_modules.contains(&module[..depth]))
    }

    /// Uses between siblings, by the module that contains them.
    fn uses(&self) -> BTreeMap<&'a [String], Uses> {
        let mut uses: BTreeMap<&'a [String], Uses> = BTreeMap::new();
        for source in self.sources {
            let Some(own) = source.module.as_ref().filter(|own| !self.is_test(own)) else { continue };
            for reference in source.references.iter().filter(|reference| !reference.is_test) {
                let Some(used) = self.file_of(reference) else { continue };
                let Some(other) = &used.module else { continue };
                let common = own.iter().zip(other).take_while(|(one, two)| one == two).count();
                if let (Some(from), Some(to)) = (own.get(common), other.get(common)) {
                    let place = format!("{}:{} names {}", source.name, reference.line, reference.text());
                    let from = uses.entry(&own[..common]).or_default().entry(from.clone()).or_default();
                    from.entry(to.clone()).or_insert(place);
                }
            }
        }
        uses
    }

    /// Every circle: one message for each set of siblings that reach each other, with a shortest way round.
    pub fn circles(&self) -> Vec<String> {
        let mut messages = Vec::new();
        for (parent, uses) in self.uses() {
            let mut reported: BTreeSet<&str> = BTreeSet::new();
            for name in uses.keys() {
                let members: Vec<&str> = uses
                    .keys()
                    .map(String::as_str)
                    .filter(|other| way(&uses, name, other).is_some() && way(&uses, other, name).is_some())
                    .collect();
                if members.len() > 1 && !reported.contains(name.as_str()) {
                    messages.push(message(parent, &uses, &members));
                    reported.extend(members);
                }
            }
        }
        messages
    }
}

/// A shortest way from one sibling to another over at least one use, without the start.
fn way<'u>(uses: &'u Uses, from: &str, to: &str) -> Option<Vec<&'u str>> {
    let mut ways: VecDeque<Vec<&str>> = VecDeque::from([Vec::new()]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        let last = way.last().copied().unwrap_or(from);
        for next in uses.get(last).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(next.as_str()) {
                let longer: Vec<&str> = way.iter().copied().chain([next.as_str()]).collect();
                if next == to {
                    return Some(longer);
                }
                ways.push_back(longer);
            }
        }
    }
    None
}

fn message(parent: &[String], uses: &Uses, members: &[&str]) -> String {
    let place = if parent.is_empty() { "the crate".to_owned() } else { parent.join("::") };
    let shortest = members.iter().filter_map(|start| way(uses, start, start).map(|way| (way.len(), *start, way))).min();
    let (_, start, steps) = shortest.expect("each member reaches itself");
    let mut text = format!("a circle in {place} of {}:", members.join(", "));
    let mut from = start;
    for to in steps {
        write!(text, "\n    {from} uses {to}: {}", uses[from][to]).unwrap();
        from = to;
    }
    text
}

mod tests {
    use super::*;

    /// The circles of a crate of these files below `src/`.
    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> =
            files.iter().map(|(name, text)| Source::parse("src", &format!("src/{name}"), text)).collect();
        Crate::new(&sources).circles()
    }

    #[test]
    fn two_files_that_use_each_other_are_found_however_it_is_written() {
        for (one, two) in [
            ("use super::vct::Node;", "use super::guide;\nfn f() { guide::g() }"),
            ("use crate::search::vct::Node;", "fn f() { super::guide::g(); }"),
            ("fn g(_: &super::vct::Node) {}", "use crate::search::{forced, guide::g};"),
            ("fn g() { assert!(crate::search::vct::f() == 1); }", "use super::guide::*; fn f() { g() }"),
            (
                "use super::vct as threats; fn g() { threats::f() }",
                "macro_rules! m { () => { $crate::search::guide::g() } }",
            ),
            ("impl super::vct::Node { }", "use self::super::guide::{self as first};"),
        ] {
            let one = format!("{one} pub fn g2() {{}}");
            let two = format!("{two} pub struct Node;");
            let found = circles(&[
                ("search/mod.rs", "pub mod guide; pub mod vct;"),
                ("search/guide.rs", &one),
                ("search/vct.rs", &two),
            ]);
            assert_eq!(found.len(), 1, "{one}\n{two}\n{found:?}");
            assert!(found[0].contains("a circle in search of guide, vct"), "{found:?}");
            assert!(found[0].contains("src/search/guide.rs:1") && found[0].contains("src/search/vct.rs:"), "{found:?}");
        }
    }

    #[test]
    fn re_exports_lead_to_the_file_that_defines_the_name() {
        let parent =
            ("search/mod.rs", "mod vct;\nmod guide;\npub use vct::{Node as Position, Node};\npub use guide::*;");
        let vct = ("search/vct.rs", "use crate::search::first_guess;\npub struct Node;");
        let guide = ("search/guide.rs", "use super::Position;\npub fn first_guess(_: Position) {}");
        let found = circles(&[parent, vct, guide]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("guide uses vct: src/search/guide.rs:1 names super::Position"), "{found:?}");
        // The same without the way back.
        assert_eq!(circles(&[parent, ("search/vct.rs", "pub struct Node;"), guide]), [""; 0]);
    }

    #[test]
    fn long_circles_are_shown_by_a_shortest_way() {
        let files = [
            ("search/root.rs", "use super::lines::A; use super::pool::B;"),
            ("search/lines.rs", "use super::scope::A;"),
            ("search/scope.rs", "use super::worker::A;"),
            ("search/worker.rs", "use super::root::A;"),
            ("search/pool.rs", "use super::root::B;"),
            ("search/tt.rs", "use super::root::B;"),
        ];
        let found = circles(&files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("of lines, pool, root, scope, worker:"), "{found:?}");
        assert_eq!(found[0].lines().count(), 3, "{found:?}");
    }

    #[test]
    fn folders_are_siblings_as_a_whole() {
        let files = [
            ("arena/mod.rs", "mod cli; mod openings;"),
            ("arena/cli.rs", "use crate::data::record::Game;"),
            ("arena/openings.rs", "pub struct Opening;"),
            ("data/record.rs", "pub struct Game;"),
            ("data/selfplay.rs", "use crate::arena::openings::Opening;"),
        ];
        let found = circles(&files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("a circle in the crate of arena, data:"), "{found:?}");
    }

    #[test]
    fn what_is_no_circle_passes() {
        for files in [
            // A parent and the modules inside it.
            &[
                ("board/mod.rs", "mod stones;\npub use stones::Stones;\npub struct Board(Stones);"),
                ("board/stones.rs", "use super::Board;\npub struct Stones;"),
            ][..],
            // A file and its folder.
            &[
                ("engine/files.rs", "mod lock; use lock::Lock; pub struct File;"),
                ("engine/files/lock.rs", "use super::File; pub struct Lock;"),
            ],
            // Tests, in the file and in one of their own.
            &[
                ("search/tt.rs", "pub struct Table;\n#[cfg(test)]\nmod tests { use super::super::root::Root; }"),
                ("search/root.rs", "use super::tt::Table; pub struct Root;"),
                ("search/time.rs", "pub struct Time;\n#[cfg(test)]\nmod tests;"),
                ("search/time/tests.rs", "use crate::search::worker::Worker;"),
                ("search/worker.rs", "use super::time::Time; pub struct Worker;"),
            ],
            // A variable, a field and another crate with the name of a file.
            &[
                ("engine/mod.rs", "mod level; mod options;"),
                (
                    "engine/level.rs",
                    "use super::options::Options; pub fn f(options: Options) { assert!(options.level); }",
                ),
                (
                    "engine/options.rs",
                    "use level::Level; pub struct Options { pub level: u8 } fn g(level: u8) -> u8 { level }",
                ),
            ],
            // Words in comments and strings.
            &[
                (
                    "search/a.rs",
                    "//! [`super::b`]\n/// [`crate::search::b::f`]\npub fn g() -> &'static str { \"super::b::f\" }",
                ),
                ("search/b.rs", "use super::a::g;"),
            ],
            // Programs are crates of their own.
            &[
                ("lib.rs", "pub mod board;"),
                ("board.rs", "pub struct Board;"),
                ("main.rs", "use tengen::board::Board;"),
                ("bin/x.rs", "mod y { } use y::*;"),
            ],
        ] {
            assert_eq!(circles(files), [""; 0], "{files:?}");
        }
    }

    #[test]
    fn references_resolve_to_files() {
        let files = [
            ("board/mod.rs", "mod tables; pub use tables::{Combination, table};"),
            ("board/tables.rs", "made_by_macro!(); pub struct Combination;\npub fn table() {}"),
            (
                "eval/mod.rs",
                "use crate::board::{Combination, tables};\nuse std::fmt;\nfn f() { tables::made(); fmt::Debug; Vec::new() }",
            ),
        ];
        let sources: Vec<Source> =
            files.iter().map(|(name, text)| Source::parse("src", &format!("src/{name}"), text)).collect();
        let all = Crate::new(&sources);
        let found: Vec<(String, Option<&str>)> = sources[2]
            .references
            .iter()
            .map(|reference| (reference.text(), all.file_of(reference).map(|source| source.name.as_str())))
            .collect();
        for (path, file) in [
            ("crate::board::Combination", Some("src/board/tables.rs")),
            ("crate::board::tables", Some("src/board/tables.rs")),
            ("tables::made", None),
            ("std::fmt", None),
            ("fmt::Debug", None),
            ("Vec::new", None),
        ] {
            assert!(found.contains(&(path.to_owned(), file)), "{path}: {found:?}");
        }
    }
}
