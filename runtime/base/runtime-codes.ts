// SVC2xxx: runtime and library. Part of the one table in error-codes.ts.

import type { ErrorCode } from "./error-code.js";

export const RUNTIME_CODES = {
  SVC2001: {
    title: "invalid query parameter",
    fix: "send a value of the declared type",
  },
  SVC2101: {
    title: "invalid argument of a library call",
    fix: "pass a value of the documented type",
  },
  SVC2102: {
    title: "invalid plugin request",
    fix: "give a plugin name, and parameters and header fields that HTTP can carry",
  },
  SVC2103: {
    title: "invalid plugin response",
    fix: "append sort keys of one type, in the order of sortby, and no more than maxhits",
  },
  SVC2104: {
    title: "plugin cannot be registered",
    fix: "start the system first; give `parameters` or a function that loadPlugins returned",
  },
  SVC2105: {
    title: "damaged partial response",
    fix: "let every instance of a matrix run the same version",
  },
  SVC2120: {
    title: "plugins that do not finish loading",
    fix: "let modules do their work in functions, or allow more with `--plugin-load-timeout`",
  },
  SVC2201: {
    title: "plugins cannot be loaded",
    fix: "mend the module that the message names, then `svc build` again",
  },
  SVC2202: {
    title: "port cannot be bound",
    fix: "choose another with `--port`, or 0 for any free pair of ports",
  },
  SVC2203: {
    title: "server already running",
    fix: "call `stopHTTP` first",
  },
  SVC2204: {
    title: "server not running",
    fix: "call `startHTTP` first",
  },
  SVC2205: {
    title: "invalid server argument",
    fix: "pass a value of the type that the message names",
  },
  SVC2206: {
    title: "too few addresses for threads",
    fix: "let the process have more with `ulimit -v unlimited`, or start fewer `--executors`",
  },
  SVC2207: {
    title: "invalid dispatcher configuration",
    fix: "correct what the path names; docs/reference/http-interface.md lists its keys",
  },
  SVC2301: {
    title: "transport cannot be loaded",
    fix: "install hyper-express in the project, or choose `auto` or `net` as transport",
  },
  SVC2401: {
    title: "graph not accessible",
    fix: "release the lock that the message names, or wait for it with `timeout`",
  },
  SVC2402: {
    title: "graph full",
    fix: "spread the data over several graphs, or over the partitions of a matrix",
  },
  SVC2403: {
    title: "invalid arc",
    fix: "give relationship, modifier and a value that the modifier can hold",
  },
  SVC2404: {
    title: "enumeration failed",
    fix: "use fewer names, or one that is defined",
  },
  SVC2405: {
    title: "invalid vertex",
    fix: "give an id of 1 to 131,000 bytes without control characters, and its own type",
  },
  SVC2406: {
    title: "invalid query",
    fix: "correct the part that the message names",
  },
  SVC2407: {
    title: "query failed",
    fix: "allow it more time with `timeout`, or ask for less",
  },
  SVC2408: {
    title: "graph operation not possible in time",
    fix: "close the vertices that the message names, or allow it more time",
  },
  SVC2409: {
    title: "graph data not usable",
    fix: "mend the path or the file that the message names",
  },
  SVC2410: {
    title: "no such object",
    fix: "create it first, or name one that exists",
  },
  SVC2411: {
    title: "invalid value",
    fix: "pass a value of the range that the message names",
  },
  SVC2412: {
    title: "not supported yet",
    fix: "leave out what the message names",
  },
  SVC2413: {
    title: "defect of the graph engine",
    fix: "report it with the message",
  },
  SVC2414: {
    title: "snapshot not readable after it was written",
    fix: "look for faults of the disk, or save to another one; the previous snapshots are kept",
  },
  SVC2500: {
    title: "log of changes damaged",
    fix: "`svc log check` says what can be saved, `svc log repair` saves it; or restore a backup",
  },
  SVC2501: {
    title: "log of changes cannot be written",
    fix: "make room on the disk, or mend it, then start again",
  },
  SVC2502: {
    title: "change not durable",
    fix: "see the server's log for why its log failed; ask later what became of the change",
  },
  SVC2503: {
    title: "graph cannot be recovered",
    fix: "restore the snapshot that the message names, or save what there is with `svc log repair`",
  },
  SVC2504: {
    title: "log of changes cannot be opened",
    fix: "let the user of this process read and write what the message names; it is not damaged",
  },
  SVC2530: {
    title: "replication cannot start",
    fix: "mend the setting that the message names",
  },
  SVC2531: {
    title: "connection for replication lost",
    fix: "nothing, if the other instance comes back; else see whether both can reach each other",
  },
  SVC2532: {
    title: "replication refused",
    fix: "see docs/guides/replicating-graphs.md for replicas that have diverged",
  },
  SVC3360: {
    title: "stream that cannot be used like that",
    fix: "write nats://host:port/NAME?replicas=3, see docs/guides/replicating-graphs.md",
  },
  SVC3361: {
    title: "packages for a broker missing",
    fix: "npm install @nats-io/jetstream@3.3.1 @nats-io/transport-node@3.3.1",
  },
  SVC3362: {
    title: "stream is not durable",
    fix: "configure the broker as the message says, or leave `durable` out",
  },
  SVC3363: {
    title: "stream of somebody else",
    fix: "use another name of a stream, or remove that one once it is not needed",
  },
  SVC3364: {
    title: "stream and log have diverged",
    fix: "start empty with `followStream`, or remove the stream to resend everything",
  },
  SVC3365: {
    title: "broker not available",
    fix: "nothing, if it comes back; else see whether nats-server runs with JetStream",
  },
  SVC3340: {
    title: "dump that cannot be written",
    fix: "give file:opdump_NAME.tx, a new name in the root of the instance, on a disk with room",
  },
  SVC2533: {
    title: "another replication key",
    fix: "give both instances the same key",
  },
  SVC2534: {
    title: "root is no replica's",
    fix: "start the subscriber with an empty root",
  },
  SVC2535: {
    title: "provider was replaced",
    fix: "save its unreplicated changes; see docs/guides/recovering-a-provider.md",
  },
  SVC2536: {
    title: "replication cannot be changed like that",
    fix: "mend the argument that the message names",
  },
  SVC2537: {
    title: "subscribers have not confirmed in time",
    fix: "see /svc/peerstat for the one that lags behind, or allow more time",
  },
  SVC3200: {
    title: "replica differs from its provider",
    fix: "run `svc admin sync` on the provider; see docs/guides/replicating-graphs.md",
  },
  SVC2700: {
    title: "system descriptor not valid",
    fix: "mend what each line names",
  },
  SVC2702: {
    title: "admin key not usable",
    fix: "write a longer one, such as `openssl rand -hex 32` makes",
  },
  SVC2701: {
    title: "instance that does not answer",
    fix: "start it, or see its log",
  },
  SVC2800: {
    title: "matrix without back-ends that answer",
    fix: "start them first; RestartHTTP takes the matrix all the same",
  },
  SVC2830: {
    title: "synchronization cancelled",
    fix: "run `svc admin sync` on the provider again when replicas are to be repaired",
  },
  SVC2940: {
    title: "file of TLS cannot be read",
    fix: "give the path of a file that the server may read",
  },
  SVC2941: {
    title: "file of TLS is not what it should be",
    fix: "give PEM files: `-----BEGIN CERTIFICATE-----`, and the key without a passphrase",
  },
  SVC2942: {
    title: "certificate and key do not belong together",
    fix: "give the key with which the certificate was made",
  },
  SVC2943: {
    title: "transport without TLS or PROXY protocol",
    fix: "choose the transport `net`",
  },
  SVC2900: {
    title: "collector of traces that takes no spans",
    fix: "start it, or mend `tracing.collector`; requests are answered without it",
  },
  SVC2890: {
    title: "record of requests not writable",
    fix: "choose another file with `--record <file>`, or mend the permissions of its folder",
  },
  SVC2944: {
    title: "project that cannot be tested",
    fix: "mend what the message names; `svc check` shows it, too",
  },
  SVC3300: {
    title: "argument of a test that cannot be",
    fix: "give what the message names; docs/guides/testing-plugins.md shows examples",
  },
  SVC3301: {
    title: "service of a test that does not run",
    fix: "ask it before it ends, or start it anew",
  },
  SVC3290: {
    title: "schema that says neither yes nor no",
    fix: "let its `~standard.validate` give `{ value }` or `{ issues: […] }`",
  },
} as const satisfies Record<string, ErrorCode>;
