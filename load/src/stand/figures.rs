//! Quantiles of samples, and a table in Markdown.

/// The sample at `share` (0 to 1) of the sorted samples, by the nearest rank; NaN when there is none.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    if sorted.is_empty() {
        return f64::NAN;
    }
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// The samples in rising order.
pub fn sorted(mut samples: Vec<f64>) -> Vec<f64> {
    samples.sort_by(f64::total_cmp);
    samples
}

/// The middle of the samples: of an even number, the mean of the two in the middle.
pub fn median(samples: Vec<f64>) -> f64 {
    let samples = sorted(samples);
    let half = samples.len() / 2;
    if samples.is_empty() || samples.len() % 2 == 1 {
        return quantile(&samples, 0.5);
    }
    f64::midpoint(samples[half - 1], samples[half])
}

/// Rows under a head, as Markdown; all but the first column are aligned right.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|---|", head.join(" | "));
    for _ in 1..head.len() {
        text.push_str("---:|");
    }
    for row in rows {
        text.push_str(&format!("\n| {} |", row.join(" | ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_samples_at_the_nearest_rank() {
        let samples = sorted((1..=200).map(f64::from).collect());
        assert_eq!(quantile(&samples, 0.99), 198.0);
        assert_eq!(quantile(&samples, 0.0), 1.0);
        assert_eq!(quantile(&samples, 1.0), 200.0);
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_two_samples() {
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn a_table_has_one_line_a_row_below_two_of_head() {
        let shown = table(&["a", "b"], &[vec!["x".into(), "1".into()]]);
        assert_eq!(shown, "| a | b |\n|---|---:|\n| x | 1 |");
    }
}
