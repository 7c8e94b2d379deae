//! One Rust file as the checks see it: what it defines, what it imports and which paths it names.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, ImplItemFn, Item, ItemMod, ItemUse, Macro, Meta, UseTree, Visibility};

/// What a [`Reference`] is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The leaf of a `use` tree, with the name that it binds.
    Import(String),
    /// `use path::*`.
    Glob,
    /// A path in code, in a type, in a pattern or among the tokens of a macro.
    Path,
    /// The name of a macro that is called.
    Call,
}

/// A path that a file names.
#[derive(Clone, Debug)]
pub struct Reference {
    pub kind: Kind,
    pub line: usize,
    /// The module in which it stands, from the root of the crate.
    pub scope: Vec<String>,
    /// Its segments as written; `{self}` at the end is left out.
    pub segments: Vec<String>,
    /// Whether it stands behind `#[cfg(test)]`.
    pub is_test: bool,
}

impl Reference {
    /// The path from the root of the crate, if it is written with `crate`, `self` or `super`.
    pub fn absolute(&self) -> Option<Vec<String>> {
        let (mut base, mut at) = match self.segments.first()?.as_str() {
            "crate" => (Vec::new(), 1),
            "self" => (self.scope.clone(), 1),
            "super" => (self.scope.clone(), 0),
            _ => return None,
        };
        while self.segments.get(at).is_some_and(|segment| segment == "super") {
            base.pop();
            at += 1;
        }
        base.extend_from_slice(&self.segments[at..]);
        Some(base)
    }

    /// The path as written.
    pub fn text(&self) -> String {
        self.segments.join("::")
    }

    fn last(&self) -> &str {
        self.segments.last().map_or("", String::as_str)
    }

    /// Whether the path ends with these two segments.
    pub fn ends_with(&self, module: &str, item: &str) -> bool {
        self.segments.len() > 1 && self.segments[self.segments.len() - 2] == module && self.last() == item
    }

    /// Whether it calls one of these macros.
    pub fn calls(&self, macros: &[&str]) -> bool {
        self.kind == Kind::Call && macros.contains(&self.last())
    }
}

/// One file.
#[derive(Debug)]
pub struct Source {
    /// Its path from the root of the repository, with `/` between.
    pub name: String,
    /// Its module from the root of the crate; `None` for the roots of programs (`main.rs`, `bin/`), which are crates of
    /// their own.
    pub module: Option<Vec<String>>,
    pub lines: usize,
    pub references: Vec<Reference>,
    /// Items by module and name.
    pub items: Vec<(Vec<String>, String)>,
    /// Modules that it declares or contains behind `#[cfg(test)]`.
    pub test_modules: Vec<Vec<String>>,
    /// Lines with `#[path]` or `include!`, which bring in a file from outside the module tree.
    pub detours: Vec<usize>,
}

impl Source {
    /// Reads the file with this name, of the crate whose sources are in `folder`.
    pub fn parse(folder: &str, name: &str, text: &str) -> Source {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let module = module_of(name.strip_prefix(folder).expect("the file lies in its crate").trim_start_matches('/'));
        let source = Source {
            name: name.to_owned(),
            module,
            lines: text.lines().count(),
            references: Vec::new(),
            items: Vec::new(),
            test_modules: Vec::new(),
            detours: Vec::new(),
        };
        let mut reader = Reader { scope: source.module.clone().unwrap_or_default(), tests: 0, source };
        for item in &file.items {
            reader.visit_item(item);
        }
        reader.source
    }
}

/// The module of a file of a crate.
fn module_of(name: &str) -> Option<Vec<String>> {
    if name == "main.rs" || name.starts_with("bin/") {
        return None;
    }
    let module = name.trim_end_matches(".rs").trim_end_matches("/mod");
    Some(if module == "lib" { Vec::new() } else { module.split('/').map(str::to_owned).collect() })
}

/// Walks through a file.
struct Reader {
    scope: Vec<String>,
    /// How many items behind `#[cfg(test)]` it is inside of.
    tests: usize,
    source: Source,
}

impl Reader {
    fn add(&mut self, kind: Kind, line: usize, segments: Vec<String>) {
        let (scope, is_test) = (self.scope.clone(), self.tests > 0);
        self.source.references.push(Reference { kind, line, scope, segments, is_test });
    }

    fn behind(&mut self, attributes: &[Attribute], visit: impl FnOnce(&mut Self)) {
        let is_test = usize::from(attributes.iter().any(is_for_tests));
        self.tests += is_test;
        visit(self);
        self.tests -= is_test;
    }

    /// Every leaf of a `use` tree.
    fn imports(&mut self, tree: &UseTree, prefix: &[String]) {
        let extended = |ident: &Ident| {
            let is_self = *ident == "self" && !prefix.is_empty();
            prefix.iter().cloned().chain((!is_self).then(|| ident.to_string())).collect::<Vec<_>>()
        };
        match tree {
            UseTree::Path(path) => self.imports(&path.tree, &extended(&path.ident)),
            UseTree::Name(leaf) => {
                let segments = extended(&leaf.ident);
                let name = segments.last().cloned().unwrap_or_default();
                self.add(Kind::Import(name), leaf.ident.span().start().line, segments);
            }
            UseTree::Rename(leaf) => {
                let name = leaf.rename.to_string();
                self.add(Kind::Import(name), leaf.ident.span().start().line, extended(&leaf.ident));
            }
            UseTree::Glob(glob) => {
                self.add(Kind::Glob, glob.star_token.spans[0].start().line, prefix.to_vec());
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.imports(tree, prefix);
                }
            }
        }
    }

    /// Paths and calls among the tokens of a macro. A single word in lower case may be anything and is left out.
    fn tokens(&mut self, stream: TokenStream) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < trees.len() {
            at += match &trees[at] {
                TokenTree::Group(group) => {
                    self.tokens(group.stream());
                    1
                }
                TokenTree::Ident(first) => {
                    let is_member = at > 0 && is_sign(trees.get(at - 1), '.');
                    self.token_path(first, &trees[at + 1..], is_member)
                }
                _ => 1,
            };
        }
    }

    /// The path that begins with `first`; returns how many tokens it has.
    fn token_path(&mut self, first: &Ident, rest: &[TokenTree], is_member: bool) -> usize {
        let line = first.span().start().line;
        let mut segments = vec![first.to_string()];
        let mut at = 0;
        while begins_with_colons(&rest[at..]) {
            match rest.get(at + 2) {
                Some(TokenTree::Ident(next)) => segments.push(next.to_string()),
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    for name in first_words(group.stream()) {
                        let segments = segments.iter().cloned().chain([name]).collect();
                        self.add(Kind::Path, line, segments);
                    }
                    break;
                }
                _ => break,
            }
            at += 3;
        }
        let is_call = is_sign(rest.get(at), '!') && matches!(rest.get(at + 1), Some(TokenTree::Group(_)));
        let is_type = segments[0].starts_with(char::is_uppercase) && !is_member;
        if is_call {
            self.add(Kind::Call, line, segments);
        } else if segments.len() > 1 || is_type {
            self.add(Kind::Path, line, segments);
        }
        at + 1
    }
}

fn is_sign(tree: Option<&TokenTree>, sign: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

fn begins_with_colons(trees: &[TokenTree]) -> bool {
    let is_joint = matches!(trees.first(), Some(TokenTree::Punct(punct)) if punct.spacing() == Spacing::Joint);
    is_joint && is_sign(trees.first(), ':') && is_sign(trees.get(1), ':')
}

/// The words at the beginning of a group in braces and after its commas.
fn first_words(stream: TokenStream) -> Vec<String> {
    let mut words = Vec::new();
    let mut is_first = true;
    for tree in stream {
        if let TokenTree::Ident(ident) = &tree
            && is_first
        {
            words.push(ident.to_string());
        }
        is_first = is_sign(Some(&tree), ',');
    }
    words
}

/// Whether the attribute is `#[cfg(test)]`, alone or with further conditions.
fn is_for_tests(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    let text = list.tokens.to_string();
    list.path.is_ident("cfg") && (text == "test" || text.starts_with("all (test") || text.starts_with("all(test"))
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The name under which other files may reach an item. Modules are found by their files and imports by their trees.
fn name_of(item: &Item) -> Option<&Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Macro(item) => item.ident.as_ref(),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        if let Some(name) = name_of(item) {
            self.source.items.push((self.scope.clone(), name.to_string()));
        }
        self.behind(attributes(item), |reader| visit::visit_item(reader, item));
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.behind(&function.attrs, |reader| visit::visit_impl_item_fn(reader, function));
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if module.attrs.iter().any(|attribute| attribute.path().is_ident("path")) {
            self.source.detours.push(module.ident.span().start().line);
        }
        self.scope.push(module.ident.to_string());
        if self.tests > 0 {
            self.source.test_modules.push(self.scope.clone());
        }
        for item in module.content.iter().flat_map(|(_, items)| items) {
            self.visit_item(item);
        }
        self.scope.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if item.leading_colon.is_none() {
            self.imports(&item.tree, &[]);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.add(Kind::Path, path.segments[0].ident.span().start().line, segments);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        let segments: Vec<String> = call.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = call.path.segments[0].ident.span().start().line;
        if call.path.is_ident("include") {
            self.source.detours.push(line);
        }
        if segments.len() > 1 {
            self.add(Kind::Path, line, segments.clone());
        }
        self.add(Kind::Call, line, segments);
        self.tokens(call.tokens.clone());
    }

    /// What an attribute names belongs to the compiler or to a derive macro.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    /// `pub(in crate::x)` uses nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}
