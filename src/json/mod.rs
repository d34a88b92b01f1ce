//! JSON as text: where its values stand, without building any of them.

mod cursor;
mod members;
#[cfg(test)]
mod mutations;

pub(crate) use members::{
    Member, decoded_string, elements_of, members_as_written, members_of, top_level,
};
