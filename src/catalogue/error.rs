//! What is wrong with a catalogue file.

/// A catalogue cannot be used: it names the model and the rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// The file could not be read.
    #[error("{path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// The operating system's words.
        reason: String,
    },
    /// The file as a whole is not a catalogue.
    #[error("catalogue: {0}")]
    File(String),
    /// One model breaks a rule.
    #[error("catalogue: model {model}: {rule}")]
    Model {
        /// Its id, or its position where it has none.
        model: String,
        /// What must be so.
        rule: String,
    },
}
