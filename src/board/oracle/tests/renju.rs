//! Hard renju cases.
use super::*;
