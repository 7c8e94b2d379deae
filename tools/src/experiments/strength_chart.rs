//! The strength over time: accepted steps added up, and matches against older revisions.

use super::Row;
use crate::output_file::{self, Drawn};
use anyhow::{Context, Result, bail, ensure};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width of a step and height of the drawing in pixels.
const SLOT: u32 = 28;
const HEIGHT: u32 = 640;
/// Space for the names below the drawing.
const NAMES: u32 = 180;

/// A place on the chart: an Elo above the first engine, and how far below and above it may be.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    /// Date and id.
    name: String,
    /// Whether it is a step; otherwise a match against an older revision.
    is_step: bool,
    elo: f64,
    low: f64,
    high: f64,
}

/// The steps and matches in the order of their dates. A step adds its Elo, in proportion to the grounds that it concerns, to those
/// before it, and the intervals add up as those of independent matches do. A match begins at the strength of the older revision.
fn places(rows: &[Row]) -> Result<Vec<Place>> {
    let mut rows: Vec<&Row> = rows.iter().filter(|row| row.step > 0.0 || !row.since.is_empty()).collect();
    rows.sort_by_key(|row| &row.date);
    let (mut elo, mut below, mut above) = (0.0, 0.0f64, 0.0f64);
    let mut places = Vec::<Place>::new();
    for row in rows {
        let figures = row.elo.zip(row.interval);
        let Some((gain, [Some(low), Some(high)])) = figures else { bail!("'{}' has no interval", row.id) };
        let name = format!("{} {}", row.date.get(5..).unwrap_or_default(), row.id);
        if row.step > 0.0 {
            elo += row.step * gain;
            below = below.hypot(row.step * (gain - low));
            above = above.hypot(row.step * (high - gain));
            places.push(Place { name, is_step: true, elo, low: elo - below, high: elo + above });
        } else {
            let older = places.iter().find(|place| place.is_step && place.name.ends_with(&format!(" {}", row.since)));
            let start = older.with_context(|| format!("'{}' is no step before '{}'", row.since, row.id))?.elo;
            places.push(Place { name, is_step: false, elo: start + gain, low: start + low, high: start + high });
        }
    }
    Ok(places)
}

/// The chart as SVG text.
///
/// # Errors
/// If there are no steps, a row of the chart lacks its interval, or it cannot be drawn.
pub fn svg(rows: &[Row]) -> Result<String> {
    let places = places(rows)?;
    ensure!(!places.is_empty(), "no row is a step");
    output_file::svg("the chart", |text| draw(&places, text))
}

fn draw(places: &[Place], text: &mut String) -> Drawn {
    let (step, span) = (RGBColor(60, 60, 66), RGBColor(205, 60, 50));
    let count = places.len() as i32;
    let top = places.iter().map(|place| place.high).fold(0.0, f64::max) * 1.05;
    let root = SVGBackend::with_string(text, (SLOT * places.len() as u32 + 110, HEIGHT)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(12)
        .x_label_area_size(NAMES)
        .y_label_area_size(56)
        .build_cartesian_2d(-1..count, 0.0..top)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_label_formatter(&|_| String::new())
        .light_line_style(TRANSPARENT)
        .y_desc("Elo above the first search")
        .y_label_formatter(&|elo| format!("{elo:.0}"))
        .draw()?;
    let down = Pos::new(HPos::Left, VPos::Center);
    let style = ("sans-serif", 13).into_font().transform(FontTransform::Rotate90).into_text_style(&root).pos(down);
    for (x, place) in (0..).zip(places) {
        let (x, y) = chart.backend_coord(&(x, 0.0));
        root.draw(&Text::new(place.name.as_str(), (x, y + 8), style.clone()))?;
    }
    let steps = || (0..).zip(places).filter(|(_, place)| place.is_step);
    let edge: Vec<(i32, f64)> = steps()
        .map(|(x, place)| (x, place.high))
        .chain(steps().map(|(x, place)| (x, place.low)).collect::<Vec<_>>().into_iter().rev())
        .collect();
    chart.draw_series(std::iter::once(Polygon::new(edge, step.mix(0.12))))?;
    chart.draw_series(LineSeries::new(steps().map(|(x, place)| (x, place.elo)), step.stroke_width(2)))?;
    for (is_step, color, label) in
        [(true, step, "accepted steps, added up"), (false, span, "matches against older revisions")]
    {
        let shown = || (0..).zip(places).filter(move |(_, place)| place.is_step == is_step);
        if !is_step {
            let bar =
                |(x, place): (i32, &Place)| PathElement::new([(x, place.low), (x, place.high)], color.stroke_width(2));
            chart.draw_series(shown().map(bar))?;
        }
        chart
            .draw_series(shown().map(|(x, place)| Circle::new((x, place.elo), 4, color.filled())))?
            .label(label)
            .legend(move |at| Circle::new(at, 4, color.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .draw()?;
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, date: &str, step: f64, since: &str) -> Row {
        let [id, date, since] = [id, date, since].map(str::to_owned);
        let interval = Some([Some(7.0), Some(14.0)]);
        Row { id, date, since, step, elo: Some(10.0), interval, ..Row::default() }
    }

    #[test]
    fn steps_add_up_and_matches_begin_at_the_older_revision() {
        let rows = [
            row("second", "2026-11-22", 0.5, ""),
            row("first", "2026-11-21", 1.0, ""),
            row("since-first", "2026-11-23", 0.0, "first"),
        ];
        let places = places(&rows).unwrap();
        let figures: Vec<(f64, f64)> = places.iter().map(|place| (place.elo, place.low)).collect();
        assert_eq!(figures, [(10.0, 7.0), (15.0, 15.0 - 3.0f64.hypot(1.5)), (20.0, 17.0)]);
        let text = svg(&rows).unwrap();
        assert!(["11-21 first", "11-23 since-first"].iter().all(|name| text.contains(name)), "{text}");
        assert!(svg(&[row("lost", "2026-11-23", 0.0, "nothing")]).is_err() && svg(&[]).is_err());
    }
}
