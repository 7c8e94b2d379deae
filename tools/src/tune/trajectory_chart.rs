//! A chart of the trajectory of an SPSA run.

use super::spsa::State;
use crate::output_file::{self, Drawn};
use anyhow::Result;
use plotters::prelude::*;

/// Size of the drawing in pixels.
const WIDTH: u32 = 1100;
const HEIGHT: u32 = 500;

/// The chart as SVG text: each tuned number over the pairs played, as a percentage of its range.
///
/// # Errors
/// When it cannot be drawn.
pub fn svg(state: &State) -> Result<String> {
    output_file::svg("the chart", |text| draw(state, text))
}

fn draw(state: &State, text: &mut String) -> Drawn {
    let root = SVGBackend::with_string(text, (WIDTH, HEIGHT)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(0..state.settings.pairs, 0.0..100.0)?;
    chart.configure_mesh().x_desc("pairs").y_desc("percentage of the range").draw()?;
    for (index, tuned) in state.settings.tuned.iter().enumerate() {
        let color = Palette99::pick(index).to_rgba();
        let share = |value: f64| 100.0 * (value - tuned.min) / (tuned.max - tuned.min).max(f64::EPSILON);
        let course = state.trajectory.iter().map(|point| (point.played, share(point.values[index])));
        chart
            .draw_series(LineSeries::new(course, color.stroke_width(2)))?
            .label(&tuned.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::paired_games::{Allowance, Conditions};
    use crate::tune::spsa::{Settings, Tuned, Waypoint};

    #[test]
    fn every_value_has_a_line_and_a_name() {
        let names = ["aspiration_growth", "vcf_delta"];
        let settings = Settings {
            tuned: names.map(|name| Tuned::parse(name).unwrap()).to_vec(),
            games: Conditions {
                grounds: vec!["test".to_owned()],
                allowance: Allowance::Nodes(1),
                classical: false,
                seed: 1,
                build: 0,
                books: Vec::new(),
            },
            pairs: 100,
            lag: 1,
            gain: 0.01,
        };
        let mut state = State::new(settings);
        let values = state.values.iter().map(|value| value + 1.0).collect();
        state.trajectory.push(Waypoint { played: 50, values });
        let text = svg(&state).unwrap();
        assert!(names.iter().all(|name| text.contains(name)), "{text}");
        assert!(text.matches("<polyline").count() >= 2, "{text}");
    }
}
