//! The catalogue in use. Readers never wait; a reload that fails leaves the old one in place.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;

use super::{BUILT_IN, Catalogue, CatalogueError};

/// Shared by every worker.
#[derive(Debug)]
pub struct CatalogueHandle {
    current: ArcSwap<Catalogue>,
    path: Option<PathBuf>,
}

impl CatalogueHandle {
    /// Reads the file, or the built-in catalogue where there is none.
    pub fn open(path: Option<&Path>) -> Result<Self, CatalogueError> {
        let catalogue = read(path)?;
        Ok(Self {
            current: ArcSwap::from_pointee(catalogue),
            path: path.map(Path::to_path_buf),
        })
    }

    /// The catalogue of this moment. Keep it for one request, so that the request sees one catalogue.
    pub fn current(&self) -> Arc<Catalogue> {
        self.current.load_full()
    }

    /// Reads the file again, as SIGHUP asks for.
    pub fn reload(&self) -> Result<(), CatalogueError> {
        let catalogue = read(self.path.as_deref())?;
        self.current.store(Arc::new(catalogue));
        Ok(())
    }
}

fn read(path: Option<&Path>) -> Result<Catalogue, CatalogueError> {
    let Some(path) = path else {
        return Catalogue::parse(BUILT_IN);
    };
    match std::fs::read_to_string(path) {
        Ok(text) => Catalogue::parse(&text),
        Err(error) => Err(CatalogueError::Unreadable {
            path: path.display().to_string(),
            reason: error.to_string(),
        }),
    }
}
