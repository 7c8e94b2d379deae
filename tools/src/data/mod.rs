//! Data for matches and training, made by the engine itself.

pub mod compressed_columns;
pub mod data_options;
pub mod game_files;
pub mod labels;
pub mod match_games;
pub mod opening_maker;
pub mod packed_game;
pub mod record_file;
pub mod selfplay;
