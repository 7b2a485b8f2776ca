//! The timeline of a run, and its form for chrome://tracing and Perfetto.
//!
//! One microsecond of the viewer is one cycle. Track 0 is the control stream, track i + 1 is engine i.

use serde::Serialize;

/// A piece of the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// Engine; `None` is the control stream.
    pub engine: Option<usize>,
    /// The kind of the piece.
    pub kind: TraceKind,
    /// Name of the command or of the stream's activity.
    pub name: String,
    /// The place in the source.
    pub location: String,
    /// First cycle.
    pub begin: u64,
    /// One past the last cycle.
    pub end: u64,
    /// Number of the command among all that were issued: it ties issue, run and wait together.
    pub command: Option<u64>,
}

/// The kind of a piece of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// The control stream issues a command.
    Issue,
    /// An engine works on it.
    Run,
    /// The control stream executes a wait, and is held until the command that it waits for is complete.
    Wait,
    /// The control stream is held by a full queue.
    QueueFull,
    /// The control stream works for itself: an access of its own, the end of an iteration.
    Stream,
}

/// A document that chrome://tracing and Perfetto open.
#[derive(Clone, Debug, Serialize)]
pub struct ChromeTrace {
    #[serde(rename = "displayTimeUnit")]
    display_time_unit: &'static str,
    #[serde(rename = "traceEvents")]
    events: Vec<ChromeEvent>,
}

#[derive(Clone, Debug, Serialize)]
struct ChromeEvent {
    ph: &'static str,
    name: String,
    cat: &'static str,
    pid: u32,
    tid: usize,
    ts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<ChromeArgs>,
}

#[derive(Clone, Debug, Default, Serialize)]
struct ChromeArgs {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

/// Bytes that are alive in a memory, by its name, from a cycle on.
pub type LiveSample<'a> = (&'a str, u64, u64);

/// The timeline as Chrome events: a track an engine, arrows from issue to run and from run to wait, and a counter for
/// the bytes that are alive in each memory.
pub fn chrome_trace<'a>(
    device: &str,
    engines: &[String],
    events: &[TraceEvent],
    live_bytes: impl IntoIterator<Item = LiveSample<'a>>,
) -> ChromeTrace {
    let mut out = vec![metadata(
        "process_name",
        0,
        ChromeArgs {
            name: Some(device.to_owned()),
            ..Default::default()
        },
    )];
    for (tid, name) in std::iter::once("control")
        .chain(engines.iter().map(String::as_str))
        .enumerate()
    {
        out.push(metadata(
            "thread_name",
            tid,
            ChromeArgs {
                name: Some(name.to_owned()),
                ..Default::default()
            },
        ));
        out.push(metadata(
            "thread_sort_index",
            tid,
            ChromeArgs {
                sort_index: Some(tid),
                ..Default::default()
            },
        ));
    }
    for event in events {
        let tid = event.engine.map_or(0, |engine| engine + 1);
        let base = ChromeEvent {
            ph: "X",
            name: event.name.clone(),
            cat: category(event.kind),
            pid: 0,
            tid,
            ts: event.begin,
            dur: Some(event.end - event.begin),
            id: None,
            bp: None,
            args: Some(ChromeArgs {
                location: Some(event.location.clone()),
                ..Default::default()
            }),
        };
        let arrow = |ph, ts, id| ChromeEvent {
            ph,
            name: "command".into(),
            ts,
            dur: None,
            id: Some(id),
            bp: (ph == "f").then_some("e"),
            args: None,
            ..base.clone()
        };
        let arrows = match (event.kind, event.command) {
            (TraceKind::Issue, Some(command)) => vec![arrow("s", event.begin, 2 * command)],
            (TraceKind::Run, Some(command)) => {
                vec![
                    arrow("f", event.begin, 2 * command),
                    arrow("s", event.end, 2 * command + 1),
                ]
            }
            (TraceKind::Wait, Some(command)) => vec![arrow("f", event.end, 2 * command + 1)],
            _ => Vec::new(),
        };
        out.push(base);
        out.extend(arrows);
    }
    out.extend(live_bytes.into_iter().map(|(memory, ts, bytes)| ChromeEvent {
        ph: "C",
        ts,
        cat: "live-bytes",
        args: Some(ChromeArgs {
            bytes: Some(bytes),
            ..Default::default()
        }),
        ..metadata(&format!("live bytes of {memory}"), 0, ChromeArgs::default())
    }));
    ChromeTrace {
        display_time_unit: "ns",
        events: out,
    }
}

fn category(kind: TraceKind) -> &'static str {
    match kind {
        TraceKind::Issue => "issue",
        TraceKind::Run => "run",
        TraceKind::Wait => "wait",
        TraceKind::QueueFull => "queue-full",
        TraceKind::Stream => "stream",
    }
}

fn metadata(name: &str, tid: usize, args: ChromeArgs) -> ChromeEvent {
    ChromeEvent {
        ph: "M",
        name: name.to_owned(),
        cat: "__metadata",
        pid: 0,
        tid,
        ts: 0,
        dur: None,
        id: None,
        bp: None,
        args: Some(args),
    }
}
