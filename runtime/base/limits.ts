// Every limit of the server in one place, with its source. Code asserts against these names, never
// against a number of its own.

/** Bounds that clients are told of (http-interface, "Limits"). */
export const MAX_CONNECTIONS_PER_PORT = 1021;
export const MAX_REQUEST_LINE_BYTES = 8191;
export const MAX_HEADER_LINE_BYTES = 8191;
export const MAIN_SLOTS = 32;
export const ADMIN_SLOTS = 8;
export const MAX_QUEUE = 3;
export const MAX_FLAG_BYTES = 8;
export const MAX_INSPECT_LEVEL = 3;

/** Our own bounds on what a client may make the server hold. */
export const MAX_HEAD_BYTES = 64 * 1024;
export const MAX_HEADER_FIELDS = 100;
/** What dispatchers add to the heads that they pass on. */
export const FORWARDED_HEAD_BYTES = 16 * 1024;
export const FORWARDED_FIELDS = 16;
/** Answers of fewer bytes fit into a packet anyway; larger ones take too long. */
export const MIN_COMPRESSED_BYTES = 1024;
export const MAX_COMPRESSED_BYTES = 16 * 1024 * 1024;
/** Of all that are being compressed. */
export const MAX_COMPRESSING_BYTES = 32 * 1024 * 1024;
/** Of one file, before; and of all contents that are kept, after. */
export const MAX_COMPRESSED_FILE_BYTES = 8 * 1024 * 1024;
export const MAX_COMPRESSED_FILES_BYTES = 32 * 1024 * 1024;
/** Of one file with certificates or a key. */
export const MAX_TLS_FILE_BYTES = 1024 * 1024;
/** A certificate that is valid for less is worth a line of the log. */
export const TLS_EXPIRY_NOTICE_MS = 14 * 24 * 3600 * 1000;
export const HEAD_TIMEOUT_MS = 10_000;
/** Of all connections, those that dispatchers leave to clients. */
export const CLIENT_CONNECTION_RESERVE = 128;
/** Limits per client of the admin port. */
export const ADMIN_CLIENT_CONNECTIONS = 256;
export const ADMIN_CLIENT_RATE = 1000;
export const MAX_CLIENT_RATE = 1_000_000;
/** Who may have one connection more only as a dispatcher has to say so within this time. */
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
/** What one client may hold of either, and what large bodies leave to small ones. */
export const MAX_CLIENT_MEMORY_RATIO = 1 / 2;
export const SMALL_BODY_RESERVE_RATIO = 1 / 8;
/** What a connection may hold of its client's share of answers before its requests wait. */
export const MAX_CONNECTION_MEMORY_RATIO = 1 / 16;
/** A client that takes nothing of its answers for so long loses its connection. */
export const RESPONSE_STALL_TIMEOUT_MS = 60_000;
export const MAX_DRAIN_BYTES = 1024 * 1024;
export const MAX_PIPELINED_REQUESTS = 64;
/** Bytes kept of a client whose requests have to wait, so that its end is seen all the same. */
export const MAX_READ_AHEAD_BYTES = 64 * 1024;
/** Heads of the requests in progress on one connection; beyond, no further request is read. */
export const MAX_PIPELINED_HEAD_BYTES = 64 * 1024;
export const MAX_CHUNK_LINE_BYTES = 1024;
export const MAX_TRAILER_BYTES = 8191;
/** In each window of this length at least so many bytes of an unfinished body have to arrive. */
export const BODY_RATE_WINDOW_MS = 30_000;
export const MIN_BODY_BYTES_PER_WINDOW = 30_000;
/** After the last answer on a connection, what still arrives is read and dropped for this long. */
export const LINGER_MS = 500;
/** Once a server no longer listens, requests on open connections are still answered this long. */
export const POST_LISTEN_GRACE_MS = 100;
/** How long open connections are waited for to ask once more, at a stop and at one with `drain`. */
export const KEEPALIVE_DRAIN_MS = 50;
export const DRAIN_KEEPALIVE_MS = 1000;
export const MAX_DRAIN_SECONDS = 3600;
export const CONNECTION_SWEEP_MS = 250;
/** Waiting requests of a client that has sent its end are given up after this long. */
export const HALF_CLOSED_CLIENT_GRACE_MS = 1000;
export const LISTEN_BACKLOG = 2048;
/** Answers gathered for one write; more are written at once. */
export const MAX_WRITE_BATCH_BYTES = 256 * 1024;
export const MAX_PLUGIN_NAME_LENGTH = 255;
/** The admin server takes the port after it. */
export const MAX_MAIN_PORT = 65534;
/** Of what a built-in service tells, the IO thread renders so much before others have a turn. */
export const MAX_RENDER_SLICE_BYTES = 64 * 1024;
export const MAX_RENDER_SLICE_MS = 1;
/** Requests with larger heads or bodies are echoed by the admin executor. */
export const MAX_ECHO_BYTES = 4096;
/** Of a target or header field of others, inspection shows the beginning. */
export const MAX_INSPECTED_CHARS = 256;
/** Built-in plugins run in the IO thread, where everyone waits while a body is looked at. */
export const MAX_BUILTIN_BODY_BYTES = 1024 * 1024;

/** Bodies up to this size cross threads as text, larger ones in shared memory. */
export const INLINE_BODY_BYTES = 64 * 1024;

/** A queued request is taken back from an executor that has been silent for this long. */
export const REVOKE_QUEUED_AFTER_MS = 2;
/** How often the IO thread looks for silent executors and for plugins past their time-out. */
export const EXECUTOR_SWEEP_MS = 5;
/** Whoever waits for so long makes requests give way that others have queued in executors. */
export const PREEMPT_AFTER_MS = 20;
/** An executor that has timed out a request and shows no sign of life for this long is replaced. */
export const UNRESPONSIVE_EXECUTOR_MS = 1000;
/** Below this a worker does not even start. */
export const MIN_EXECUTOR_HEAP_MB = 16;
export const DEFAULT_PLUGIN_TIMEOUT_MS = 30_000;
export const DEFAULT_LOAD_TIMEOUT_MS = 30_000;
/** How long a server calls its own plugins before it is in service. */
export const WARM_UP_MS = 500;
/** Longest time that a timer takes. */
export const MAX_PLUGIN_TIMEOUT_MS = 2 ** 31 - 1;
/** Containers are killed ten seconds after they are told to stop: time is left to save the rest. */
export const DEFAULT_STOP_SECONDS = 8;
/** A thread of sockets that does not even say that the time is up is ended this much later. */
export const STOP_GRACE_MS = 500;
/** A signal this soon after the first is the same one, passed on by somebody. */
export const SIGNAL_DEBOUNCE_MS = 1000;

/** Who may be a dispatcher unless told otherwise: this machine, private and link-local networks. */
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

/** What one query over HTTP may cost: time, and arcs and vertices that are looked at. */
export const UNTRUSTED_QUERY_LIMITS = { timeoutMs: 2000, steps: 20_000_000 };
export const TRUSTED_QUERY_LIMITS = { timeoutMs: 25_000, steps: Number.POSITIVE_INFINITY };

export const MAX_GRAPHS = 64;
export const DEFAULT_SAVE_EVERY_SECONDS = 300;
export const MAX_SAVE_EVERY_SECONDS = 7 * 24 * 3600;

/** Of matrices (http-interface, "Dispatcher configuration"). */
export const MAX_MATRIX_DIMENSION = 127;
export const MAX_CHANNELS = 127;
export const DEFAULT_CHANNELS = 32;
export const MAX_PRIORITY = 127;
export const DEFAULT_PRIORITY = 2;
/** Bound of `channels * priority`. */
export const MAX_REFERENCE_COST = 127;
export const DEFAULT_DISPATCH_TIMEOUT_MS = 30_000;
export const MAX_DISPATCH_TIMEOUT_MS = 2 ** 31 - 1;
/** Requests that may wait for a back-end: as many as can be connected, less those being run. */
export const MAX_DISPATCH_BACKLOG = MAX_CONNECTIONS_PER_PORT + 3 - MAIN_SLOTS;
/** Requests that one client request may become by resubmission. */
export const MAX_RESUBMITS = 9999;
/** What a dispatcher says in a header line of how its partial came about. */
export const MAX_EXPLANATION_LENGTH = 6000;
/** Answers of back-ends: all of the head, and the body. */
export const MAX_RESPONSE_HEAD_BYTES = 64 * 1024;
export const MAX_RESPONSE_BODY_BYTES = 1024 * 1024 * 1024;
/** A channel that was idle for this long is closed; the first of a back-end later. */
export const IDLE_CHANNEL_MS = 15_000;
export const EXTRA_CHANNEL_IDLE_MS = 60_000;
export const CHANNEL_TRIM_MS = 1800;
/** A back-end that answered 429 is avoided for this long. */
export const BUSY_BACKEND_COOLDOWN_MS = 1400;
/** How long a back-end's word about its load from others counts. */
export const LOAD_REPORT_TTL_MS = 1000;
/** A back-end that hangs is left alone for 1, 2, 4 … s, then tried with one request. */
export const FIRST_EJECTION_MS = 1000;
export const MAX_EJECTION_MS = 64_000;
/** How much longer a trial waits for a request that nothing is lost with. */
export const RETRYABLE_TRIAL_WAIT_MS = 5000;
export const EJECT_AFTER_CONSECUTIVE_ERRORS = 5;
/** How long a back-end that has recovered gets less than its share. */
export const SLOW_START_MS = 5000;
/** How long work that nobody waits for any more counts, unless the back-end says otherwise. */
export const ABANDONED_REQUEST_TTL_MS = 30_000;
/** Requests sent again, as a share of all and at once. */
export const RETRY_BUDGET_RATIO = 0.1;
export const RETRY_BUDGET_BURST = 20;
export const MAX_RETRYABLE_PLUGINS = 1000;
/** How long requests for one place may overtake one that waits for all partitions. */
export const MAX_QUEUE_BYPASS_MS = 1000;
/** How often late answers are looked for. */
export const HEDGE_SWEEP_MS = 5;
/** Longest time to connect to a back-end: then another one is asked. */
export const CONNECT_TIMEOUT_MS = 2000;
export const PROBE_INTERVAL_MS = 830;
/** Back-ends that stay down are asked less and less often, down to this. */
export const MAX_PROBE_INTERVAL_MS = 5000;
/** Of a whole matrix, once it has started. */
export const PROBES_PER_SECOND = 100;
export const MAX_CONCURRENT_PROBES = 128;
/** How long a start waits for back-ends to answer. */
export const STARTUP_PROBE_MS = 1000;
export const PROBE_TIMEOUT_MS = 4000;
/** How often channels are looked at for answers that are overdue. */
export const RESPONSE_TIMEOUT_SWEEP_MS = 20;

/** 256 MiB: so much of a log is read in seconds, and lets graphs be saved. */
export const CHECKPOINT_LOG_BYTES = 2 ** 28;

/** Answers that come piece by piece at one time; each holds a connection. */
export const MAX_STREAMS = 1000;
/** After so long without a piece one that says nothing is sent: `uws` gives up after 10 s. */
export const STREAM_HEARTBEAT_MS = 5000;
