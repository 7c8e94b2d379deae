//! The curve of a game: black's winning chance after each move, with the mistakes marked.

use super::review_text::player;
use crate::output_file::{self, Drawn};
use anyhow::Result;
use plotters::prelude::*;
use plotters::style::Color as _;
use tengen::base::Color;
use tengen::tools::judgement::{Judged, Mark, Review};
use tengen::tools::point_names::name;

/// Size of the drawing in pixels.
const WIDTH: u32 = 960;
const HEIGHT: u32 = 360;
/// Largest number of labels on the axis of moves.
const TICKS: usize = 12;

/// Black's winning chance after a move, in percent.
fn for_black(judged: &Judged) -> f64 {
    of_black(judged, judged.after.chance())
}

/// Black's chance in percent, from the chance of the player who moved.
fn of_black(judged: &Judged, chance: f64) -> f64 {
    if judged.color == Color::Black { chance * 100.0 } else { 100.0 - chance * 100.0 }
}

/// The drawing, as the text of an SVG file.
///
/// # Errors
/// When it cannot be drawn.
pub fn svg(review: &Review, players: &[Option<String>; 2]) -> Result<String> {
    output_file::svg("the curve", |text| draw(review, players, text))
}

fn draw(review: &Review, players: &[Option<String>; 2], text: &mut String) -> Drawn {
    let (paper, ink, grid) = (RGBColor(250, 248, 243), RGBColor(60, 60, 66), RGBColor(205, 200, 190));
    let root = SVGBackend::with_string(text, (WIDTH, HEIGHT)).into_drawing_area();
    root.fill(&paper)?;
    let (first, last) = (review.imposed, review.last_number().max(review.imposed + 1));
    let caption = format!("{} - {}", player(players, Color::Black), player(players, Color::White));
    let mut chart = ChartBuilder::on(&root)
        .margin(12)
        .caption(caption, ("sans-serif", 18).into_font().color(&ink))
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(first..last, 0.0..100.0)?;
    chart
        .configure_mesh()
        .light_line_style(paper)
        .bold_line_style(grid)
        .x_labels(TICKS)
        .y_labels(5)
        .x_desc("move")
        .y_desc("black's chance")
        .y_label_formatter(&|chance| format!("{chance:.0} %"))
        .label_style(("sans-serif", 13).into_font().color(&ink))
        .draw()?;
    let start = review.moves.first().map_or(50.0, |first| of_black(first, first.before.chance()));
    let curve: Vec<(usize, f64)> = std::iter::once((first, start))
        .chain(review.moves.iter().map(for_black).enumerate().map(|(index, chance)| (review.number(index), chance)))
        .collect();
    chart.draw_series(AreaSeries::new(curve.iter().copied(), 50.0, ink.mix(0.12)).border_style(ink.stroke_width(2)))?;
    chart.draw_series(LineSeries::new([(first, 50.0), (last, 50.0)], grid.stroke_width(2)))?;
    for (mark, color) in [
        (Mark::Inaccuracy, RGBColor(222, 165, 40)),
        (Mark::Mistake, RGBColor(205, 60, 50)),
        (Mark::MissedWin, RGBColor(125, 70, 170)),
    ] {
        let marked = review.moves.iter().enumerate().filter(|(_, judged)| judged.mark == mark);
        let points: Vec<(usize, &Judged)> = marked.map(|(index, judged)| (review.number(index), judged)).collect();
        chart
            .draw_series(
                points.iter().map(|&(number, judged)| Circle::new((number, for_black(judged)), 4, color.filled())),
            )?
            .label(mark.name())
            .legend(move |at| Circle::new(at, 4, color.filled()));
        if mark != Mark::Inaccuracy {
            chart.draw_series(points.iter().map(|&(number, judged)| {
                let label = format!("{number} {}", name(judged.point, review.size));
                // After a mistake of black the curve falls, after one of white it rises: the label is outside if there is room.
                let chance = for_black(judged);
                let is_below = if judged.color == Color::Black { chance > 10.0 } else { chance > 90.0 };
                let below = if is_below { 8 } else { -18 };
                EmptyElement::at((number, for_black(judged)))
                    + Text::new(label, (4, below), ("sans-serif", 12).into_font().color(&color))
            }))?;
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(paper.mix(0.8))
        .label_font(("sans-serif", 13).into_font().color(&ink))
        .draw()?;
    root.present()?;
    Ok(())
}
