//! Two plots of a search, SVG: the best trial so far, and predictions beside simulated cycles.
//!
//! Cycles are on a scale of logarithms, since bad configurations are slower by factors.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::{
    BLACK, BLUE, ChartBuilder, Circle, Color as _, DrawingArea, IntoDrawingArea as _, LineSeries, PathElement, RED,
    SVGBackend, WHITE,
};
use zpu_tune::{Certificate, Outcome, Trial};

use crate::report::grouped;

/// Width and height in pixels.
const SIZE: (u32, u32) = (720, 480);

/// The best cycles after each trial, and a line where the certificate's bound is.
pub(crate) fn best_so_far(outcome: &Outcome) -> Result<String, String> {
    let mut best = u64::MAX;
    let mut steps: Vec<(usize, u64)> = Vec::new();
    for (at, trial) in outcome.trials.iter().enumerate() {
        best = best.min(trial.cycles.unwrap_or(u64::MAX));
        if best < u64::MAX {
            steps.push((at + 1, best));
        }
    }
    let trials = outcome.trials.len();
    let bound = match outcome.certificate {
        Certificate::Open { bound: bound @ 1.., .. } => Some(bound),
        _ => None,
    };
    let range = margin(steps.iter().map(|(_, cycles)| *cycles).chain(bound));
    draw(|area| {
        let mut chart = ChartBuilder::on(area)
            .caption("Best so far", ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(80)
            .build_cartesian_2d(0..trials.max(1), range)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_desc("trials").y_desc("cycles").light_line_style(WHITE);
        mesh.y_label_formatter(&label).draw()?;
        let corners = steps.iter().zip(steps.iter().skip(1).chain(steps.last()));
        let stairs = corners.flat_map(|((at, cycles), (next, _))| [(*at, log(*cycles)), (*next, log(*cycles))]);
        chart.draw_series(LineSeries::new(stairs, BLUE.stroke_width(2)))?;
        if let Some(bound) = bound {
            let line = [(0, log(bound)), (trials, log(bound))];
            chart
                .draw_series(LineSeries::new(line, RED.stroke_width(1)))?
                .label("bound of what was not tried")
                .legend(|(x, y)| PathElement::new([(x, y), (x + 16, y)], RED));
            chart.configure_series_labels().border_style(BLACK).draw()?;
        }
        Ok(())
    })
}

/// A point for each trial that has both numbers, and the line where they are equal.
pub(crate) fn predicted(outcome: &Outcome) -> Result<String, String> {
    let both = |trial: &Trial| Some((trial.cycles?, trial.predicted?));
    let points: Vec<(u64, u64)> = outcome.trials.iter().filter_map(both).collect();
    let range = margin(points.iter().flat_map(|(cycles, predicted)| [*cycles, *predicted]));
    let dots = points.iter().map(|(cycles, predicted)| (log(*cycles), log(*predicted)));
    draw(|area| {
        let mut chart = ChartBuilder::on(area)
            .caption("Predicted and simulated cycles", ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(80)
            .build_cartesian_2d(range.clone(), range.clone())?;
        let mut mesh = chart.configure_mesh();
        mesh.x_desc("simulated").y_desc("predicted").light_line_style(WHITE);
        mesh.x_label_formatter(&label).y_label_formatter(&label).draw()?;
        let equal = [(range.start, range.start), (range.end, range.end)];
        chart.draw_series(LineSeries::new(equal, BLACK.stroke_width(1)))?;
        chart.draw_series(dots.map(|dot| Circle::new(dot, 3, BLUE.filled())))?;
        Ok(())
    })
}

fn log(cycles: u64) -> f64 {
    (cycles.max(1) as f64).log10()
}

/// The cycles of a logarithm, to three digits.
fn label(log: &f64) -> String {
    let unit = 10f64.powf((log.floor() - 2.0).max(0.0));
    grouped(((10f64.powf(*log) / unit).round() * unit) as u64)
}

/// Logarithms from a little below the least number to a little above the greatest one.
fn margin(numbers: impl Iterator<Item = u64>) -> Range<f64> {
    let logs = numbers.map(log);
    let (least, most) = logs.fold((f64::MAX, 0.0f64), |(least, most), log| (least.min(log), most.max(log)));
    if least > most {
        return 0.0..1.0;
    }
    let space = ((most - least) / 20.0).max(0.01);
    least - space..most + space
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw(onto: impl FnOnce(&Area<'_>) -> Result<(), Box<dyn std::error::Error>>) -> Result<String, String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        let drawn = area.fill(&WHITE).map_err(Into::into).and_then(|()| onto(&area));
        drawn.map_err(|error: Box<dyn std::error::Error>| format!("a plot cannot be drawn: {error}"))?;
    }
    Ok(text)
}
