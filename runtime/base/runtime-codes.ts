// Errors of the runtime and the library, mostly SVC2xxx, in numeric order. See error-codes.ts.

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
    fix: "pass a plugin name, and parameters and header fields that HTTP can encode",
  },
  SVC2103: {
    title: "invalid plugin response",
    fix: "append sort keys of one type in `sortby` order, and at most `maxhits` entries",
  },
  SVC2104: {
    title: "plugin registration failed",
    fix:
      "call `system.initialize` first, then pass `parameters` or a function returned by " +
      "`loadPlugins`",
  },
  SVC2105: {
    title: "corrupt partial response",
    fix: "run the same svc version on every instance of the matrix",
  },
  SVC2120: {
    title: "plugins did not finish loading in time",
    fix: "move top-level work into functions, or raise `--plugin-load-timeout`",
  },
  SVC2201: {
    title: "plugins failed to load",
    fix: "fix the module named in the message, then build again",
  },
  SVC2202: {
    title: "cannot bind port",
    fix: "choose another port with `--port`, or use 0 for any free pair",
  },
  SVC2203: {
    title: "server is already running",
    fix: "call `stopHTTP` first",
  },
  SVC2204: {
    title: "server is not running",
    fix: "call `startHTTP` first",
  },
  SVC2205: {
    title: "invalid server option",
    fix: "pass a value of the type named in the message",
  },
  SVC2206: {
    title: "not enough address space or processes for threads",
    fix: "raise the limit with `ulimit -v unlimited` or `ulimit -u`, or start fewer `--executors`",
  },
  SVC2207: {
    title: "invalid dispatcher configuration",
    fix: "fix the key at the given path; docs/reference/http-interface.md lists the keys",
  },
  SVC2208: {
    title: "authentication handlers cannot be loaded",
    fix: "fix the module named in `auth`, then run `svc build`",
  },
  SVC2209: {
    title: "invalid file of API keys",
    fix: 'write `[{ "sha256": "<64 hexadecimal digits>", "name": "…", "scopes": [] }]`',
  },
  SVC2210: {
    title: "invalid option of an authentication handler",
    fix: "fix the option named in the message",
  },
  SVC2211: {
    title: "package `jose` is missing",
    fix: "run `npm install jose@6` in the project",
  },
  SVC2301: {
    title: "transport failed to load",
    fix: "install hyper-express in the project, or set `http.transport` to `net` or `auto`",
  },
  SVC2401: {
    title: "graph is not accessible",
    fix: "release the lock named in the message, or wait for it with `timeout`",
  },
  SVC2402: {
    title: "graph capacity exceeded",
    fix: "split the data across several graphs, or across the partitions of a matrix",
  },
  SVC2403: {
    title: "invalid arc",
    fix: "pass a relationship, a modifier and a value in the modifier's range",
  },
  SVC2404: {
    title: "name enumeration failed",
    fix: "use fewer distinct names, or one that already exists",
  },
  SVC2405: {
    title: "invalid vertex",
    fix:
      "use an id of 1 to 131,000 bytes without control characters, and the vertex's " +
      "existing type",
  },
  SVC2406: {
    title: "invalid query",
    fix: "fix the argument named in the message",
  },
  SVC2407: {
    title: "query failed",
    fix: "raise `timeout`, or narrow the query",
  },
  SVC2408: {
    title: "graph operation timed out",
    fix: "close the vertices named in the message, or raise `timeout`",
  },
  SVC2409: {
    title: "graph data not usable",
    fix: "fix the path or file named in the message",
  },
  SVC2410: {
    title: "object not found",
    fix: "create it first, or use an existing name",
  },
  SVC2411: {
    title: "invalid value",
    fix: "pass a value that the message allows",
  },
  SVC2412: {
    title: "not supported",
    fix: "remove the option named in the message",
  },
  SVC2413: {
    title: "internal graph engine error",
    fix: "report a bug and include the message",
  },
  SVC2414: {
    title: "snapshot verification failed",
    fix: "check the disk for errors, or save to another disk; earlier snapshots are kept",
  },
  SVC2415: {
    title: "constraint violated",
    fix: "change the vertices named in the message, or drop the constraint with `dropConstraint`",
  },
  SVC2416: {
    title: "changes are not available",
    fix: "set `durability` to `async` or `full`: change feeds read the transaction log",
  },
  SVC2417: {
    title: "invalid position of a change feed",
    fix: "pass a position of the same graph as received, or read the graph again without one",
  },
  SVC2418: {
    title: "position is older than the retained transaction log",
    fix:
      "read the graph again, with its position before the read, and follow from there; " +
      "raise `retainLogBytes` for followers that pause for long",
  },
  SVC2500: {
    title: "transaction log is corrupt",
    fix:
      "run `svc log check` to see what can be recovered and `svc log repair` to recover it, " +
      "or restore a backup",
  },
  SVC2501: {
    title: "cannot write the transaction log",
    fix:
      "check the disk: changes resume within seconds once it can be written; after the third " +
      "failure within an hour, replace it and restart",
  },
  SVC2502: {
    title: "change is not durable",
    fix:
      "check the server log for why the transaction log failed, then verify whether the " +
      "change was applied",
  },
  SVC2503: {
    title: "graph cannot be recovered",
    fix:
      "restore the snapshot named in the message, or recover what is left with `svc log " +
      "repair`",
  },
  SVC2504: {
    title: "cannot open the transaction log",
    fix:
      "give this process's user read and write access to the path in the message; the log " +
      "is intact",
  },
  SVC2505: {
    title: "change refused: disk of the transaction log is full or has failed",
    fix:
      "free disk space, or check the disk after a failure: changes resume within seconds. " +
      "Reads continue",
  },
  SVC2506: {
    title: "data folder of a later release",
    fix: "start the later release again, or return to this one: docs/guides/upgrading.md",
  },
  SVC2530: {
    title: "replication cannot start",
    fix: "fix the setting named in the message",
  },
  SVC2531: {
    title: "replication connection lost",
    fix: "check that both instances run and can reach each other; svc reconnects by itself",
  },
  SVC2532: {
    title: "replication rejected",
    fix: "see docs/guides/replicating-graphs.md for diverged replicas",
  },
  SVC2533: {
    title: "replication keys do not match",
    fix: "configure the same key on both instances",
  },
  SVC2534: {
    title: "root is not a replica",
    fix: "start the subscriber with an empty root",
  },
  SVC2535: {
    title: "provider was superseded",
    fix: "save its unreplicated changes; see docs/guides/recovering-a-provider.md",
  },
  SVC2536: {
    title: "invalid replication change",
    fix: "fix the argument named in the message",
  },
  SVC2537: {
    title: "subscribers did not acknowledge in time",
    fix: "find the lagging subscriber with /svc/peerstat, or raise the timeout",
  },
  SVC2700: {
    title: "invalid system descriptor",
    fix: "fix each line listed in the message",
  },
  SVC2701: {
    title: "instance does not respond",
    fix: "start the instance, or check its log",
  },
  SVC2702: {
    title: "invalid admin key",
    fix: "use a longer key, for example the output of `openssl rand -hex 32`",
  },
  SVC2703: {
    title: "invalid dispatcher key",
    fix: "use a longer key, for example the output of `openssl rand -hex 32`",
  },
  SVC2800: {
    title: "no back-end in the matrix responds",
    fix: "start the back-ends first; RestartHTTP accepts the matrix anyway",
  },
  SVC2830: {
    title: "synchronization cancelled",
    fix: "run `svc admin sync` on the provider again to repair the replicas",
  },
  SVC2890: {
    title: "cannot write the request recording",
    fix: "choose another file with `--record <file>`, or fix the permissions of its folder",
  },
  SVC2891: {
    title: "cannot write the audit log",
    fix: "choose another file with `--audit <file>`, or fix the permissions of its folder",
  },
  SVC2900: {
    title: "trace collector rejects spans",
    fix: "start the collector, or fix `tracing.collector`; requests are served without it",
  },
  SVC2940: {
    title: "cannot read a TLS file",
    fix: "set a path that the server can read",
  },
  SVC2941: {
    title: "invalid TLS file",
    fix: "use PEM files (`-----BEGIN CERTIFICATE-----`) and a private key without a passphrase",
  },
  SVC2942: {
    title: "certificate and private key do not match",
    fix: "set the private key that belongs to the certificate",
  },
  SVC2943: {
    title: "transport does not support TLS or the PROXY protocol",
    fix: "use the `net` transport",
  },
  SVC2944: {
    title: "project cannot be tested",
    fix: "fix what the message names; `svc check` reports it too",
  },
  SVC3200: {
    title: "replica has diverged from its provider",
    fix: "run `svc admin sync` on the provider; see docs/guides/replicating-graphs.md",
  },
  SVC3290: {
    title: "schema validator returned an invalid result",
    fix: "make `~standard.validate` return `{ value }` or `{ issues: […] }`",
  },
  SVC3300: {
    title: "invalid test argument",
    fix: "fix the argument named in the message; docs/guides/testing-plugins.md has examples",
  },
  SVC3301: {
    title: "test service is not running",
    fix: "call it before it closes, or start it again",
  },
  SVC3340: {
    title: "cannot write the dump",
    fix:
      "use file:opdump_NAME.tx, with an unused name, in the instance's root on a disk with " +
      "free space",
  },
  SVC3360: {
    title: "invalid stream configuration",
    fix: "use nats://host:port/NAME?replicas=3; see docs/guides/replicating-graphs.md",
  },
  SVC3361: {
    title: "broker client packages are missing",
    fix: "run `npm install @nats-io/jetstream@3.3.1 @nats-io/transport-node@3.3.1`",
  },
  SVC3362: {
    title: "stream is not durable",
    fix: "configure the broker as the message says, or remove `durable` from the URI",
  },
  SVC3363: {
    title: "stream belongs to another writer",
    fix: "use another stream name, or delete that stream once it is unused",
  },
  SVC3364: {
    title: "stream and transaction log have diverged",
    fix: "start empty with `followStream`, or remove the stream to resend everything",
  },
  SVC3365: {
    title: "broker is unavailable",
    fix: "check that nats-server runs with JetStream enabled; svc reconnects by itself",
  },
  SVC3400: {
    title: "leadership cannot be used",
    fix: 'do what the message says, or set `engine: "none"`',
  },
  SVC3401: {
    title: "graphs are not caught up",
    fix: "wait until the provider has sent everything, or use `svc admin service-in --force`",
  },
  SVC3402: {
    title: "no member of a group may lead",
    fix:
      "start the members that the message names; only if their data or the record is lost, run " +
      "`svc admin promote <id> --accept-loss`",
  },
  SVC3403: {
    title: "handover is not possible",
    fix: "name the leader, and a member that has caught up; `svc admin status` shows both",
  },
  SVC3404: {
    title: "member has changes that the leader lacks",
    fix: "do nothing: it moves them to `.lost` of its root, restarts without them, and follows",
  },
  SVC3405: {
    title: "request with this Idempotency-Key is in progress",
    fix: "repeat the request later: it then gets the response to the first one",
  },
  SVC3406: {
    title: "Idempotency-Key belongs to another request",
    fix: "use a new key for each request, and the same one only to repeat a request",
  },
  SVC3407: {
    title: "answer of the request with this Idempotency-Key is not known",
    fix: "check what the request has changed; to execute it once more, use a new key",
  },
  SVC3408: {
    title: "leadership engine does not respond",
    fix: "start the engine, or check the network: until then no other member can lead",
  },
  SVC3410: {
    title: "vertex belongs to another group",
    fix: "change it in the group named in the message: send the request with `X-SVC-Key`",
  },
  SVC3411: {
    title: "number of partitions or slots changes over graphs with data",
    fix:
      "with `slots`, run `svc admin grow`; without, export, split and import the graphs, then " +
      "send it with `--i-have-split-the-data`",
  },
  SVC3412: {
    title: "slots cannot move now",
    fix: "fix what the message names, then run the command again: nothing has moved",
  },
  SVC3413: {
    title: "unexpected state of slots during a move",
    fix: "run `svc admin rebalance`: it completes or undoes the unfinished move",
  },
} as const satisfies Record<string, ErrorCode>;
