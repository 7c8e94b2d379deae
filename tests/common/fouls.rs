//! The hard renju positions of `tests/data/forbidden.txt`; its head says what a block is.

use tengen::base::{Point, Rule};
use tengen::board::notation::parse_diagram;
use tengen::board::oracle::Oracle;

/// A block of the file.
pub struct HardCase {
    pub name: &'static str,
    /// Points on which black plays one after the other, with the verdict on each.
    pub chain: Vec<(Point, &'static str)>,
    pub picture: &'static str,
}

impl HardCase {
    /// All blocks, in the order of the file.
    pub fn all() -> impl Iterator<Item = HardCase> {
        include_str!("../data/forbidden.txt").split("\n\n").skip(1).map(|block| {
            let mut parts = block.splitn(3, '\n');
            let mut part = || parts.next().expect("a name, a chain and a picture");
            let (name, chain, picture) = (part(), part(), part());
            let link = |link: &'static str| {
                let (point, verdict) = link.split_once(' ').expect("a point and a verdict");
                let (x, y) = point.split_once(',').expect("a point is x,y");
                let point = Point::new(x.parse().expect("a column"), y.parse().expect("a row"));
                (point.expect("on the board"), verdict)
            };
            HardCase { name, chain: chain.split("; ").map(link).collect(), picture }
        })
    }

    /// The stones before the chain is played.
    pub fn oracle(&self) -> Oracle {
        let diagram = parse_diagram(self.picture).expect("a picture");
        Oracle::from_cells(Rule::Renju, diagram.size, diagram.cells.iter().copied())
    }
}
