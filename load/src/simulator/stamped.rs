//! Reads from a socket, and tells when the bytes came.

use std::io;
use std::time::Instant;

use bytes::BytesMut;
use tokio::net::{TcpSocket, TcpStream};

#[cfg(target_os = "linux")]
pub(super) use linux::{ask_for_stamps, try_read};
#[cfg(not(target_os = "linux"))]
pub(super) use portable::{ask_for_stamps, try_read};

#[cfg(target_os = "linux")]
mod linux {
    use std::io::IoSliceMut;
    use std::os::fd::AsRawFd;
    use std::time::{Duration, SystemTime};

    use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
    use nix::sys::time::TimeSpec;
    use tokio::io::Interest;

    use super::{BytesMut, Instant, TcpSocket, TcpStream, io};

    const PIECE: usize = 16 * 1024;

    /// Has the kernel stamp what comes; connections that are accepted inherit it.
    pub(in super::super) fn ask_for_stamps(listener: &TcpSocket) -> io::Result<()> {
        Ok(setsockopt(listener, sockopt::ReceiveTimestampns, &true)?)
    }

    /// Appends what there is to `buffer`; gives how much, and when the last of it came.
    pub(in super::super) fn try_read(
        stream: &TcpStream,
        buffer: &mut BytesMut,
    ) -> io::Result<(usize, Instant)> {
        let mut piece = [0; PIECE];
        let mut room = nix::cmsg_space!(TimeSpec);
        let (length, stamp) = stream.try_io(Interest::READABLE, || {
            let mut pieces = [IoSliceMut::new(&mut piece)];
            let flags = MsgFlags::empty();
            let read = recvmsg::<()>(stream.as_raw_fd(), &mut pieces, Some(&mut room), flags)?;
            let stamp = read.cmsgs()?.find_map(|message| match message {
                ControlMessageOwned::ScmTimestampns(stamp) => Some(Duration::from(stamp)),
                _ => None,
            });
            Ok((read.bytes, stamp))
        })?;
        buffer.extend_from_slice(&piece[..length]);
        Ok((length, moment_of(stamp)))
    }

    /// The stamp counts from 1970; the end of a connection has none.
    fn moment_of(stamp: Option<Duration>) -> Instant {
        let now = Instant::now();
        let since = stamp.and_then(|stamp| (SystemTime::UNIX_EPOCH + stamp).elapsed().ok());
        since
            .and_then(|since| now.checked_sub(since))
            .unwrap_or(now)
    }
}

#[cfg(not(target_os = "linux"))]
mod portable {
    use super::{BytesMut, Instant, TcpSocket, TcpStream, io};

    pub(in super::super) fn ask_for_stamps(_: &TcpSocket) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn try_read(
        stream: &TcpStream,
        buffer: &mut BytesMut,
    ) -> io::Result<(usize, Instant)> {
        Ok((stream.try_read_buf(buffer)?, Instant::now()))
    }
}
