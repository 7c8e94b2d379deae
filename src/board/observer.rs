//! How others learn what a move changed, without the board knowing them. Floor 1.

/// Told of every change while a stone is played; the board says "undo" and leaves it to the observer to remember.
pub trait Observer {
    /// A move begins: remember what must be restored by [`Observer::undo`].
    fn begin(&mut self);
    /// An empty cell's packed shapes (black's and white's, see [`super::tables::unpack`]) changed.
    fn reshaped(&mut self, before: [u16; 2], after: [u16; 2]);
    /// A stone took this cell; its shapes no longer count.
    fn occupied(&mut self, shapes: [u16; 2]);
    /// The last move is taken back.
    fn undo(&mut self);
}

/// Sees nothing, costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullObserver;

impl Observer for NullObserver {
    #[inline]
    fn begin(&mut self) {}
    #[inline]
    fn reshaped(&mut self, _before: [u16; 2], _after: [u16; 2]) {}
    #[inline]
    fn occupied(&mut self, _shapes: [u16; 2]) {}
    #[inline]
    fn undo(&mut self) {}
}
