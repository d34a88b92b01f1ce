//! The page `/errors`, made from the catalogue.

use super::catalogue::{Row, rows};

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Error codes</title>
<style>
body {
  font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem;
  color: #1b1f24; background: #fff;
}
h2 { font-size: 1.1rem; margin-top: 2rem; }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere; }
.facts { color: #57606a; }
:target { background: #fff8c5; }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117; }
  .facts { color: #9198a1; }
  a { color: #79b8ff; }
  :target { background: #3a3000; }
}
</style>
</head>
<body>
<h1>Error codes</h1>
<p>An error of a provider keeps the provider's status and message and has no code here. These are the router's own.</p>
"#;

/// The whole page, with an anchor a code.
pub fn page() -> String {
    let mut html = String::from(HEAD);
    for row in rows() {
        write_row(&mut html, row);
    }
    html.push_str("</body>\n</html>\n");
    html
}

fn write_row(html: &mut String, row: &Row) {
    let word = row.word;
    let again = if row.retryable {
        "the same request may succeed later"
    } else {
        "the same request will fail again"
    };
    html.push_str(&format!(
        "<section id=\"{word}\">\n<h2><a href=\"#{word}\"><code>{word}</code></a></h2>\n\
         <p class=\"facts\">HTTP {status} · {class} · {again}</p>\n<p>{rule}</p>\n<p>{fix}</p>\n\
         <p>Example: <code>{example}</code></p>\n</section>\n",
        status = row.status,
        class = row.class.word(),
        rule = escaped(row.rule),
        fix = escaped(row.fix),
        example = escaped(row.example),
    ));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_anchor() {
        let html = page();
        for row in rows() {
            assert_eq!(
                html.matches(&format!("id=\"{}\"", row.word)).count(),
                1,
                "{}",
                row.word
            );
        }
        assert!(html.ends_with("</html>\n"));
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(escaped(r#"<a & "b">"#), "&lt;a &amp; &quot;b&quot;&gt;");
        assert!(!page().contains("<code>{\""));
    }
}
