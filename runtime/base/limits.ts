// Every limit of the server in one place, with its source. Code refers to these names, never to
// literal numbers.

/** Limits of the interface (http-interface, "Limits"). */
export const MAX_CONNECTIONS_PER_PORT = 1021;
export const MAX_REQUEST_LINE_BYTES = 8191;
export const MAX_HEADER_LINE_BYTES = 8191;
export const MAIN_SLOTS = 32;
export const ADMIN_SLOTS = 8;
export const MAX_QUEUE = 3;
export const MAX_FLAG_BYTES = 8;
export const MAX_INSPECT_LEVEL = 3;

/** Limits on the resources that a client may occupy. */
export const MAX_HEAD_BYTES = 64 * 1024;
export const MAX_HEADER_FIELDS = 100;
/** Bytes that dispatchers may add to the heads they forward. */
export const FORWARDED_HEAD_BYTES = 16 * 1024;
export const FORWARDED_FIELDS = 16;
/** Smaller responses fit into a packet anyway; larger ones take too long to compress. */
export const MIN_COMPRESSED_BYTES = 1024;
export const MAX_COMPRESSED_BYTES = 16 * 1024 * 1024;
/** Total bytes being compressed at a time. */
export const MAX_COMPRESSING_BYTES = 32 * 1024 * 1024;
/** Size of one file before compression; total size of the cache afterwards. */
export const MAX_COMPRESSED_FILE_BYTES = 8 * 1024 * 1024;
export const MAX_COMPRESSED_FILES_BYTES = 32 * 1024 * 1024;
/** Size of one file with certificates or a key. */
export const MAX_TLS_FILE_BYTES = 1024 * 1024;
/** Remaining validity below which a certificate is reported in the log. */
export const TLS_EXPIRY_NOTICE_MS = 14 * 24 * 3600 * 1000;
export const HEAD_TIMEOUT_MS = 10_000;
/** Part of all connections that is reserved for clients, not dispatchers. */
export const CLIENT_CONNECTION_RESERVE = 128;
/** Limits per client of the admin port. */
export const ADMIN_CLIENT_CONNECTIONS = 256;
export const ADMIN_CLIENT_RATE = 1000;
export const MAX_CLIENT_RATE = 1_000_000;
/** A connection beyond its client's limit must identify as a dispatcher within this time. */
export const IDENT_LINE_TIMEOUT_MS = 1000;
/** Longer than dispatchers keep idle channels, the last one of a back-end included. */
export const DEFAULT_IDLE_SECONDS = 75;
export const MAX_IDLE_SECONDS = 24 * 3600;
export const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Memory of a port for bodies of pending requests, if one largest body takes less than half. */
export const BODY_MEMORY_BYTES = 256 * 1024 * 1024;
/** Memory of a port for unread responses. */
export const RESPONSE_MEMORY_BYTES = 256 * 1024 * 1024;
/** Size at which a recording of requests ends. */
export const MAX_RECORDING_BYTES = 100 * 1024 * 1024;
/** Share of one client in either, and the part of it that large bodies leave to small ones. */
export const MAX_CLIENT_MEMORY_RATIO = 1 / 2;
export const SMALL_BODY_RESERVE_RATIO = 1 / 8;
/** Unread responses of a connection, as a share of its client's, before its requests wait. */
export const MAX_CONNECTION_MEMORY_RATIO = 1 / 16;
/** Clients that read nothing of their responses for this long are disconnected. */
export const RESPONSE_STALL_TIMEOUT_MS = 60_000;
/** Bodies with files above this size are stored on disk. */
export const MAX_UPLOAD_MEMORY_BYTES = 1024 * 1024;
/** Bytes of such a body that may wait for the disk. */
export const MAX_UPLOAD_AHEAD_BYTES = 1024 * 1024;
/** Disk space of a port for them, if one largest body takes less than half. */
export const UPLOAD_DISK_BYTES = 4 * 1024 ** 3;
export const MAX_DRAIN_BYTES = 1024 * 1024;
export const MAX_PIPELINED_REQUESTS = 64;
/** Bytes read ahead from a paused client, so that its disconnection is noticed. */
export const MAX_READ_AHEAD_BYTES = 64 * 1024;
/** Bytes of bodies read from one connection before others have a turn. */
export const MAX_READ_SLICE_BYTES = 64 * 1024;
/** Pause between such slices while others are active: they sent a request within `BUSY_MS`. */
export const BUSY_READ_PAUSE_MS = 1;
export const BUSY_MS = 10;
/** Total heads of the requests in progress on one connection; beyond, reading pauses. */
export const MAX_PIPELINED_HEAD_BYTES = 64 * 1024;
export const MAX_CHUNK_LINE_BYTES = 1024;
export const MAX_TRAILER_BYTES = 8191;
/** Minimum transfer rate of request bodies: bytes per window. */
export const BODY_RATE_WINDOW_MS = 30_000;
export const MIN_BODY_BYTES_PER_WINDOW = 30_000;
/** After the last response, further input is read and discarded for this long. */
export const LINGER_MS = 500;
/** After a server stops listening, open connections may still send requests for this long. */
export const POST_LISTEN_GRACE_MS = 100;
/**
 * Grace period for keep-alive connections to send a last request, at a shutdown and at one with
 * `drain`.
 */
export const KEEPALIVE_DRAIN_MS = 50;
export const DRAIN_KEEPALIVE_MS = 1000;
export const MAX_DRAIN_SECONDS = 3600;
export const CONNECTION_SWEEP_MS = 250;
/** Waiting requests of a half-closed client are dropped after this long. */
export const HALF_CLOSED_CLIENT_GRACE_MS = 1000;
export const LISTEN_BACKLOG = 2048;
/** Connections that are accepted one after the other while the requests of others wait. */
export const MAX_ACCEPTED_AT_ONCE = 64;
/** Longer input is read at once. */
export const MAX_POSTPONED_BYTES = 4096;
/** Responses collected for one write; larger batches are written at once. */
export const MAX_WRITE_BATCH_BYTES = 256 * 1024;
export const MAX_PLUGIN_NAME_LENGTH = 255;
/** The admin server takes the next port. */
export const MAX_MAIN_PORT = 65534;
/** Rendering of a built-in service in the IO thread yields after this many bytes. */
export const MAX_RENDER_SLICE_BYTES = 64 * 1024;
export const MAX_RENDER_SLICE_MS = 1;
/** Requests with larger heads or bodies are echoed by the admin executor. */
export const MAX_ECHO_BYTES = 4096;
/** Inspection truncates targets and header fields of other clients to this length. */
export const MAX_INSPECTED_CHARS = 256;
/** Built-in plugins run in the IO thread, where a large body would block all requests. */
export const MAX_BUILTIN_BODY_BYTES = 1024 * 1024;

/** Of JSON that clients send. */
export const MAX_JSON_DEPTH = 500;
/** Looking for more delays requests of others by less than half a millisecond. */
export const MAX_JSON_KEYS = 20_000;
/** Highest rate limit of a principal or client. */
export const MAX_PER_MINUTE = 100_000;

/** Bodies up to this size cross threads as text, larger ones in shared memory. */
export const INLINE_BODY_BYTES = 64 * 1024;

/** Queued requests are revoked from an executor that has been silent for this long. */
export const REVOKE_QUEUED_AFTER_MS = 2;
/** Interval of the checks for silent executors and timed-out plugins. */
export const EXECUTOR_SWEEP_MS = 5;
/** A client that waits this long preempts unclaimed requests of others. */
export const PREEMPT_AFTER_MS = 20;
/** An executor is replaced if it shows no sign of life this long after a timeout. */
export const UNRESPONSIVE_EXECUTOR_MS = 1000;
/** Minimum heap with which a worker starts. */
export const MIN_EXECUTOR_HEAP_MB = 16;
export const DEFAULT_PLUGIN_TIMEOUT_MS = 30_000;
export const DEFAULT_LOAD_TIMEOUT_MS = 30_000;
/** Time that a server warms up before Service-IN. */
export const WARM_UP_MS = 500;
/** Maximum delay of a timer. */
export const MAX_PLUGIN_TIMEOUT_MS = 2 ** 31 - 1;
/** Containers are killed ten seconds after SIGTERM: the remainder is for snapshots. */
export const DEFAULT_STOP_SECONDS = 8;
/** An IO thread that does not report the timeout itself is terminated this much later. */
export const STOP_GRACE_MS = 500;
/** A repeated signal within this time is the same one, forwarded by a parent process. */
export const SIGNAL_DEBOUNCE_MS = 1000;

/** Default networks of dispatchers: loopback, private and link-local networks. */
export const PRIVATE_NETWORKS: readonly string[] = [
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "::1",
  "fc00::/7",
  "fe80::/10",
];

/** Limits of one query over HTTP: time, and arcs and vertices visited. */
export const UNTRUSTED_QUERY_LIMITS = { timeoutMs: 2000, steps: 20_000_000 };
export const TRUSTED_QUERY_LIMITS = { timeoutMs: 25_000, steps: Number.POSITIVE_INFINITY };

/** A query ends after this long if others wait for its executor, and is repeated in another one. */
export const YIELD_QUERY_AFTER_MS = 2;
/** The same if no other query waits. */
export const QUERY_SLICE_MS = 100;

export const MAX_GRAPHS = 64;
export const DEFAULT_SAVE_EVERY_SECONDS = 300;
export const MAX_SAVE_EVERY_SECONDS = 7 * 24 * 3600;

/** Limits of matrices (http-interface, "Dispatcher configuration"). */
export const MAX_MATRIX_DIMENSION = 127;
/** Slots of a system, a power of two. */
export const MIN_SLOTS = 16;
export const MAX_SLOTS = 65_536;
export const DEFAULT_SLOTS = 4096;
/** Default above 127 groups: shares of fewer slots would differ too much. */
export const DEFAULT_MANY_SLOTS = 16_384;
export const MAX_CHANNELS = 127;
export const DEFAULT_CHANNELS = 32;
export const MAX_PRIORITY = 127;
export const DEFAULT_PRIORITY = 2;
/** Limit of `channels * priority`. */
export const MAX_REFERENCE_COST = 127;
export const DEFAULT_DISPATCH_TIMEOUT_MS = 30_000;
export const MAX_DISPATCH_TIMEOUT_MS = 2 ** 31 - 1;
/** Requests that may wait for a back-end: the connection limit minus the running ones. */
export const MAX_DISPATCH_BACKLOG = MAX_CONNECTIONS_PER_PORT + 3 - MAIN_SLOTS;
/** Resubmissions per client request. */
export const MAX_RESUBMITS = 9999;
/** Length of a dispatcher's explanation in a header line. */
export const MAX_EXPLANATION_LENGTH = 6000;
/** Limits of back-end responses: head and body. */
export const MAX_RESPONSE_HEAD_BYTES = 64 * 1024;
export const MAX_RESPONSE_BODY_BYTES = 1024 * 1024 * 1024;
/** Idle channels are closed after this long; the first one of a back-end later. */
export const IDLE_CHANNEL_MS = 15_000;
export const EXTRA_CHANNEL_IDLE_MS = 60_000;
export const CHANNEL_TRIM_MS = 1800;
/** A back-end that answered 429 is avoided for this long. */
export const BUSY_BACKEND_COOLDOWN_MS = 1400;
/** Validity of a back-end's load report. */
export const LOAD_REPORT_TTL_MS = 1000;
/**
 * Outlier ejection: an unresponsive back-end is ejected for 1, 2, 4 … s, then gets one trial
 * request.
 */
export const FIRST_EJECTION_MS = 1000;
export const MAX_EJECTION_MS = 64_000;
/** A trial waits this much longer for a retryable request, which would not be lost. */
export const RETRYABLE_TRIAL_WAIT_MS = 5000;
export const EJECT_AFTER_CONSECUTIVE_ERRORS = 5;
/** Slow start: how long a recovered back-end gets less than its share. */
export const SLOW_START_MS = 5000;
/** How long abandoned work counts as load, unless the back-end reports otherwise. */
export const ABANDONED_REQUEST_TTL_MS = 30_000;
/** Retry budget: share of all requests, and burst. */
export const RETRY_BUDGET_RATIO = 0.1;
export const RETRY_BUDGET_BURST = 20;
export const MAX_RETRYABLE_PLUGINS = 1000;
/** How long targeted requests may overtake one that waits for all partitions. */
export const MAX_QUEUE_BYPASS_MS = 1000;
/** Interval of the checks for late responses. */
export const HEDGE_SWEEP_MS = 5;
/** Connect timeout of back-ends; afterwards another one is tried. */
export const CONNECT_TIMEOUT_MS = 2000;
export const PROBE_INTERVAL_MS = 830;
/** Maximum interval of health checks, reached by backoff while a back-end stays down. */
export const MAX_PROBE_INTERVAL_MS = 5000;
/** Rate limit for a whole matrix after the start. */
export const PROBES_PER_SECOND = 100;
export const MAX_CONCURRENT_PROBES = 128;
/** How long the start waits for back-ends to respond. */
export const STARTUP_PROBE_MS = 1000;
export const PROBE_TIMEOUT_MS = 4000;
/** Interval of the checks for overdue responses. */
export const RESPONSE_TIMEOUT_SWEEP_MS = 20;

/** 256 MiB: replayed within seconds, and large enough for infrequent snapshots. */
export const CHECKPOINT_LOG_BYTES = 2 ** 28;

/** Change feeds over HTTP at a time; each reads the transaction log by itself. */
export const MAX_CHANGE_FEEDS = 100;
/** Transaction log that change feeds can go back to: a segment, and as much as subscribers get. */
export const DEFAULT_RETAINED_LOG_BYTES = 2 ** 26;
export const MAX_RETAINED_LOG_BYTES = 2 ** 33;

/** Maximum number of values of a facet. */
export const MAX_FACET_VALUES = 10_000;

/** Concurrent streamed responses; each holds a connection. */
export const MAX_STREAMS = 1000;
/** Idle streams send a heartbeat at this interval: `uws` closes them after 10 s. */
export const STREAM_HEARTBEAT_MS = 5000;

/** Deadline of a run of a job without `@timeout`. */
export const DEFAULT_JOB_TIMEOUT_MS = 3_600_000;
/** Time between the abort of the signal of such a run and the end of its executor. */
export const JOB_GRACE_MS = 10_000;
