//! The input (a mapped file, a compressed file or a pipe), and its text in blocks of lines.
//!
//! Every source can be read more than once: queries that are scattered through the input, and line
//! numbers for messages, need a second pass. So a pipe is copied to a nameless temporary file while
//! it is read.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use memchr::{memchr, memchr_iter, memrchr};
use memmap2::Mmap;

use crate::layout::{Layout, Line};
use crate::marks::{Marks, WINDOW};
use crate::problem::{Outcome, Problem};
use crate::utf16::{ByteOrder, Transcoded, NOT_UTF16};
use crate::watch::Watch;

/// The target size of a block: small enough to stay in a core's cache, large enough that handing it to
/// a thread costs nothing.
const BLOCK: usize = 1 << 20;

/// An open input.
pub struct Source {
    /// The name in messages.
    pub name: String,
    raw: Raw,
    packing: Packing,
    /// The text is in UTF-16, as Excel's "Unicode text" is, and is handed out as UTF-8.
    utf16: Option<ByteOrder>,
    digest: OnceLock<String>,
    /// What tells a named file from a later one with the same path; none of a pipe.
    pub stamp: Option<Stamp>,
}

/// Device, inode, size, and the time of the last change in nanoseconds since 1970.
pub type Stamp = (u64, u64, u64, u64);

fn stamp_of(facts: &Metadata) -> Option<Stamp> {
    let changed = facts.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    #[cfg(unix)]
    let (device, inode) = (facts.dev(), facts.ino());
    #[cfg(not(unix))]
    let (device, inode) = (0, 0);
    Some((device, inode, facts.len(), u64::try_from(changed.as_nanos()).ok()?))
}

enum Raw {
    Mapped(Mmap),
    Pipe(Pipe),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Plain,
    Gzip,
    Zstd,
    Bzip2,
    Xz,
}

impl Packing {
    /// Detects the compression by the first bytes: a file's name may be wrong, and a pipe has none.
    fn of(head: &[u8]) -> Packing {
        match head {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..] => Packing::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0x00, ..] => Packing::Xz,
            _ => Packing::Plain,
        }
    }
}

impl Source {
    /// Opens a file, or standard input for `-`. A part of the file, such as a sheet, may be named behind `#`.
    pub fn open(path: &str, watch: &Watch) -> Outcome<Source> {
        let name = if path == "-" { "standard input" } else { path };
        let path = match path.rsplit_once('#') {
            Some((file, _)) if !std::path::Path::new(path).exists() => file,
            _ => path,
        };
        let refused = |error| Problem::io(name, error);
        let mut stamp = None;
        let raw = if path == "-" {
            match stdin_as_file() {
                Some(file) => Raw::Mapped(map(&file).map_err(refused)?),
                None => Raw::Pipe(Pipe::of(|| Ok(io::stdin())).map_err(refused)?),
            }
        } else {
            let facts = std::fs::metadata(path).map_err(refused)?;
            if facts.is_dir() {
                return Err(Problem::whole(name, "is a directory; give a file"));
            }
            if facts.is_file() {
                let file = File::open(path).map_err(refused)?;
                stamp = stamp_of(&file.metadata().map_err(refused)?);
                Raw::Mapped(map(&file).map_err(refused)?)
            } else {
                let path = path.to_string();
                Raw::Pipe(Pipe::of(move || File::open(path)).map_err(refused)?)
            }
        };
        let (name, packing, digest) = (name.to_string(), Packing::Plain, OnceLock::new());
        let mut source = Source { name, raw, packing, utf16: None, digest, stamp };
        let head = source.first_bytes(16, watch)?;
        source.packing = Packing::of(&head);
        let unpacked = if source.packing == Packing::Plain { head } else { source.first_bytes(2, watch)? };
        source.utf16 = ByteOrder::of(&unpacked);
        Ok(source)
    }

    /// All of the text, unpacked.
    pub fn text(&self, watch: &Watch) -> Outcome<Cow<'_, [u8]>> {
        match self.plain() {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => self.first_bytes(usize::MAX, watch).map(Cow::Owned),
        }
    }

    /// How many bytes there are to read, as far as one can know.
    pub fn size(&self) -> u64 {
        match &self.raw {
            Raw::Mapped(map) => map.len() as u64,
            Raw::Pipe(_) => 0,
        }
    }

    /// The first bytes of the decompressed text: enough to detect the format.
    pub fn head(&self, length: usize, watch: &Watch) -> Outcome<Vec<u8>> {
        match self.plain() {
            Some(text) => Ok(text[..text.len().min(length)].to_vec()),
            None => self.first_bytes(length, watch),
        }
    }

    fn first_bytes(&self, length: usize, watch: &Watch) -> Outcome<Vec<u8>> {
        let mut head = Vec::new();
        self.unpacked(watch)
            .and_then(|reader| reader.take(length as u64).read_to_end(&mut head))
            .map_err(|error| self.unreadable(error, watch))?;
        Ok(head)
    }

    /// BLAKE3 of the bytes on disk (as `b3sum` prints it), or of the bytes from a pipe.
    pub fn digest(&self, watch: &Watch) -> Outcome<&str> {
        if self.digest.get().is_none() {
            let digest = self.hashed(watch, blake3::Hasher::update_rayon)?;
            let _ = self.digest.set(digest); // another thread may have set it, to the same text
        }
        Ok(self.digest.get().map_or("", String::as_str))
    }

    /// The same on this thread only, because the others have work to do.
    pub fn hash_alone(&self) {
        if let Ok(digest) = self.hashed(&Watch::default(), blake3::Hasher::update) {
            let _ = self.digest.set(digest);
        }
    }

    fn hashed(
        &self,
        watch: &Watch,
        update: for<'h> fn(&'h mut blake3::Hasher, &[u8]) -> &'h mut blake3::Hasher,
    ) -> Outcome<String> {
        let mut hasher = blake3::Hasher::new();
        match &self.raw {
            Raw::Mapped(map) => {
                for part in map.chunks(16 * BLOCK) {
                    watch.still_wanted()?;
                    update(&mut hasher, part);
                }
            }
            Raw::Pipe(pipe) => {
                hasher.update_reader(pipe.reader(watch)).map_err(|error| self.unreadable(error, watch))?;
            }
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    /// The text in blocks of whole lines. No query is split between blocks unless it is scattered.
    pub fn blocks<'s>(&'s self, layout: &'s Layout, watch: &'s Watch) -> Outcome<Blocks<'s>> {
        let (rest, reader) = match self.plain() {
            Some(text) => (Cow::Borrowed(text), None),
            None => {
                let reader = self.unpacked(watch).map_err(|error| self.unreadable(error, watch))?;
                (Cow::Owned(Vec::new()), Some(reader))
            }
        };
        Ok(Blocks { source: self, layout, watch, rest, reader, at: 0 })
    }

    /// The number of the line with the byte at `offset` of the text.
    pub fn line_number(&self, offset: u64, layout: &Layout) -> u64 {
        let quiet = Watch::default();
        let mut newlines = 0;
        let Ok(mut blocks) = self.blocks(layout, &quiet) else { return 0 };
        while let Some(Ok(block)) = blocks.next() {
            if block.offset >= offset {
                break;
            }
            let wanted = (offset - block.offset).min(block.text.len() as u64) as usize;
            newlines += memchr_iter(b'\n', &block.text[..wanted]).count() as u64;
        }
        newlines + 1
    }

    fn plain(&self) -> Option<&[u8]> {
        match (&self.raw, self.packing) {
            (Raw::Mapped(map), Packing::Plain) if self.utf16.is_none() => Some(map),
            _ => None,
        }
    }

    fn unpacked<'s>(&'s self, watch: &'s Watch) -> io::Result<Box<dyn Read + Send + 's>> {
        let raw: Box<dyn Read + Send + 's> = match &self.raw {
            Raw::Mapped(map) => Box::new(Counted { inner: &map[..], read: 0, watch }),
            Raw::Pipe(pipe) => Box::new(pipe.reader(watch)),
        };
        let raw = BufReader::with_capacity(1 << 16, raw);
        // Several archives one after the other are one text (`cat a.gz b.gz`), in every format.
        let bytes: Box<dyn Read + Send + 's> = match self.packing {
            Packing::Plain => Box::new(raw),
            Packing::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(raw)),
            Packing::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(raw)?),
            Packing::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(raw)),
            Packing::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(raw)),
        };
        Ok(match self.utf16 {
            None => bytes,
            Some(order) => Box::new(Transcoded::new(bytes, order)),
        })
    }

    fn unreadable(&self, error: io::Error, watch: &Watch) -> Problem {
        if let Err(interrupted) = watch.still_wanted() {
            return interrupted;
        }
        if self.utf16.is_some() && error.to_string().starts_with(NOT_UTF16) {
            return Problem::whole(&self.name, error.to_string());
        }
        if self.packing == Packing::Plain {
            return Problem::io(&self.name, error);
        }
        let packing = format!("{:?}", self.packing).to_lowercase();
        Problem::whole(
            &self.name,
            format!("is damaged or cut short: it cannot be unpacked as {packing} ({error})"),
        )
    }
}

/// Standard input, if it is a file (`< run.txt`) that nobody has read from yet: it can be mapped like
/// a named file.
#[cfg(unix)]
fn stdin_as_file() -> Option<File> {
    use std::os::fd::AsFd;
    let mut file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    let untouched = file.metadata().ok()?.is_file() && file.stream_position().ok()? == 0;
    untouched.then_some(file)
}

#[cfg(not(unix))]
fn stdin_as_file() -> Option<File> {
    None
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the mapping is only read. Another process may truncate the file at the same time; that
    // ends this process with a signal, like any program that maps files, and cannot corrupt anything.
    unsafe { Mmap::map(file) }
}

/// The error of a cancelled reader; not `Interrupted`, because `Read` tries again after that.
fn stopped() -> io::Error {
    io::Error::other("stopped")
}

/// Counts the bytes read, for the progress bar, and stops when cancelled.
struct Counted<'s, R> {
    inner: R,
    read: u64,
    watch: &'s Watch,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.watch.still_wanted().map_err(|_| stopped())?;
        let length = self.inner.read(buffer)?;
        self.read += length as u64;
        self.watch.reached(self.read);
        Ok(length)
    }
}

/// A pipe that can be read again: a nameless file keeps its bytes.
///
/// A separate thread opens and reads the pipe, so that Ctrl-C works while no data comes.
struct Pipe {
    state: Mutex<PipeState>,
}

struct PipeState {
    spool: File,
    length: u64,
    pieces: Receiver<io::Result<Vec<u8>>>,
    ended: bool,
}

impl Pipe {
    fn of<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> io::Result<Pipe> {
        let (sender, pieces) = sync_channel(4);
        std::thread::spawn(move || {
            let mut far_end = match open() {
                Ok(far_end) => far_end,
                Err(error) => return drop(sender.send(Err(error))),
            };
            let mut buffer = vec![0; BLOCK];
            loop {
                let piece = match far_end.read(&mut buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    result => result.map(|length| buffer[..length].to_vec()),
                };
                let last = !matches!(&piece, Ok(bytes) if !bytes.is_empty());
                if sender.send(piece).is_err() || last {
                    return;
                }
            }
        });
        let spool = tempfile::tempfile()?;
        Ok(Pipe { state: Mutex::new(PipeState { spool, length: 0, pieces, ended: false }) })
    }

    fn reader<'s>(&'s self, watch: &'s Watch) -> PipeReader<'s> {
        PipeReader { pipe: self, at: 0, watch }
    }
}

struct PipeReader<'s> {
    pipe: &'s Pipe,
    at: u64,
    watch: &'s Watch,
}

impl Read for PipeReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A poisoned lock means that another reader panicked; the spooled bytes are still correct.
        let mut state = self.pipe.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        while self.at == state.length && !state.ended {
            self.watch.still_wanted().map_err(|_| stopped())?;
            match state.pieces.recv_timeout(Duration::from_millis(50)) {
                Ok(piece) => {
                    let piece = piece?;
                    state.ended = piece.is_empty();
                    let end = state.length;
                    state.spool.seek(SeekFrom::Start(end))?;
                    state.spool.write_all(&piece)?;
                    state.length += piece.len() as u64;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => state.ended = true,
            }
        }
        state.spool.seek(SeekFrom::Start(self.at))?;
        let length = state.spool.read(buffer)?;
        self.at += length as u64;
        self.watch.reached(self.at);
        Ok(length)
    }
}

/// A part of the text that consists of whole lines.
pub struct Block<'s> {
    pub text: Cow<'s, [u8]>,
    /// Its offset in the whole text.
    pub offset: u64,
    /// It is the beginning of the file, which may have a byte order mark and a header.
    pub first: bool,
}

/// Iterates over the blocks of a source.
pub struct Blocks<'s> {
    source: &'s Source,
    layout: &'s Layout,
    watch: &'s Watch,
    /// The text that was read and not yet handed out; of a mapped file, the whole rest.
    rest: Cow<'s, [u8]>,
    reader: Option<Box<dyn Read + Send + 's>>,
    at: u64,
}

impl<'s> Iterator for Blocks<'s> {
    /// A block, or the problem that ended the reading and its byte in the text.
    type Item = Result<Block<'s>, (u64, Problem)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut wanted = BLOCK;
        loop {
            if let Err(problem) = self.watch.still_wanted().and_then(|()| self.fill(wanted)) {
                return Some(Err((self.at, problem)));
            }
            if self.rest.is_empty() {
                return None;
            }
            let end = if self.rest.len() <= wanted && self.reader.is_none() {
                self.rest.len()
            } else {
                let window = &self.rest[..self.rest.len().min(wanted)];
                self.start_of_last_query(window)
            };
            if end > 0 {
                return Some(Ok(self.take(end)));
            }
            // One query or one line fills the whole window: read more.
            wanted = wanted.saturating_mul(2);
        }
    }
}

impl<'s> Blocks<'s> {
    /// Reads until `wanted` bytes are in the window, or the end is reached.
    fn fill(&mut self, wanted: usize) -> Outcome<()> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let rest = self.rest.to_mut();
        if rest.len() <= wanted {
            let missing = (wanted + 1 - rest.len()) as u64;
            let got = reader
                .take(missing)
                .read_to_end(rest)
                .map_err(|error| self.source.unreadable(error, self.watch))?;
            if (got as u64) < missing {
                self.reader = None;
            }
        }
        Ok(())
    }

    fn take(&mut self, end: usize) -> Block<'s> {
        let offset = self.at;
        self.at += end as u64;
        let text = match &mut self.rest {
            Cow::Borrowed(rest) => {
                let (text, after) = rest.split_at(end);
                *rest = after;
                self.watch.reached(self.at);
                Cow::Borrowed(text)
            }
            Cow::Owned(rest) => {
                let after = rest.split_off(end);
                Cow::Owned(std::mem::replace(rest, after))
            }
        };
        Block { text, offset, first: offset == 0 }
    }

    /// The start of the lines of the window's last query; 0 if the window cannot be cut.
    fn start_of_last_query(&self, window: &[u8]) -> usize {
        let Some(last_newline) = memrchr(b'\n', window) else { return 0 };
        let mut last_query: Option<&[u8]> = None;
        let mut start = last_newline + 1;
        let mut end = start;
        while end > 0 {
            let line_start = memrchr(b'\n', &window[..end - 1]).map_or(0, |newline| newline + 1);
            let line = &window[line_start..end - 1];
            let query = if self.layout.skips(line) { None } else { self.layout.query_of(Line::of(line)) };
            match (query, last_query) {
                (Some(query), Some(last)) if query != last => return start,
                (Some(query), _) => {
                    last_query = Some(query);
                    start = line_start;
                }
                (None, _) => {}
            }
            end = line_start;
        }
        // A window of comments only can be cut anywhere.
        if last_query.is_none() {
            last_newline + 1
        } else {
            0
        }
    }
}

impl Block<'_> {
    /// The length of the byte order mark, which Windows programs write: it is not part of the first id.
    pub fn mark(&self) -> usize {
        if self.first && self.text.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        }
    }

    /// Every line that is not skipped, with the offset of its start in the block.
    #[inline]
    pub fn lines<'b>(&'b self, layout: &'b Layout) -> impl Iterator<Item = (usize, Line<'b>)> {
        let text: &[u8] = &self.text;
        let mut at = self.mark();
        let mut header = if self.first { layout.header } else { 0 };
        std::iter::from_fn(move || loop {
            if at >= text.len() {
                return None;
            }
            let start = at;
            let line = line_at(text, start);
            at = start + line.text.len() + 1;
            if layout.skips(line.text) {
                continue;
            }
            if header > 0 {
                header -= 1;
                continue;
            }
            return Some((start, line));
        })
    }
}

/// The line that starts here. Most lines are short: then one comparison finds the end and the blanks.
#[inline]
pub fn line_at(text: &[u8], start: usize) -> Line<'_> {
    if let Some(window) = text[start..].first_chunk::<WINDOW>() {
        let marks = Marks::of(window);
        if marks.newlines != 0 {
            let length = marks.newlines.trailing_zeros() as usize;
            return Line { text: &text[start..start + length], blanks: Some(marks.blanks) };
        }
    }
    let end = memchr(b'\n', &text[start..]).map_or(text.len(), |newline| start + newline);
    Line::of(&text[start..end])
}
