// SVC3xxx: the command line. Part of the one table in error-codes.ts.

import type { ErrorCode } from "./error-code.js";

export const COMMAND_CODES = {
  SVC3001: {
    title: "unknown command",
    fix: "run `svc --help` for the commands",
  },
  SVC3002: {
    title: "unknown option",
    fix: "run the command with `--help` for its options",
  },
  SVC3003: {
    title: "invalid option value",
    fix: "run the command with `--help` for the values of its options",
  },
  SVC3004: {
    title: "wrong number of arguments",
    fix: "run the command with `--help` for its usage",
  },
  SVC3005: {
    title: "not a project folder",
    fix: "name an existing folder, or write a project with `svc init <folder>`",
  },
  SVC3006: {
    title: "project not built",
    fix: "build the project first",
  },
  SVC3007: {
    title: "build not current",
    fix: "run `svc build` without `--check`",
  },
  SVC3008: {
    title: "root not usable",
    fix: "choose another with `--root <folder>`, or mend its permissions",
  },
  SVC3009: {
    title: "folder not usable for a new project",
    fix: "name a new or an empty folder",
  },
  SVC3010: {
    title: "Node too old",
    fix: "use a newer Node",
  },
  SVC3011: {
    title: "package not built",
    fix: "run `npm run build` in the package",
  },
  SVC3012: {
    title: "no size of a matrix",
    fix: "name replicas and partitions, such as `svc matrix 2x3`",
  },
  SVC3013: {
    title: "instance of a matrix that cannot be started",
    fix: "mend what it says above",
  },
  SVC3014: {
    title: "argspec not found",
    fix: "name the URL of a server, an argspec file, or a folder that was built",
  },
  SVC3015: {
    title: "not an argspec",
    fix: "let `svc build` or `svc argspec` of the same version write it",
  },
  SVC3016: {
    title: "server that does not answer",
    fix: "start it, or correct the URL",
  },
  SVC3017: {
    title: "server that tells no argspec",
    fix: "let it run this version of svc, or name the folder of its project",
  },
  SVC3018: {
    title: "no such plugin",
    fix: "run `svc argspec` without `--plugin` for all of them",
  },
  SVC3019: {
    title: "file that cannot be written",
    fix: "name another, or mend the permissions of its folder",
  },
  SVC3020: {
    title: "folder not usable for a client",
    fix: "name a new folder with `--out`, or one that `svc client` has written",
  },
  SVC3021: {
    title: "service that cannot be started for its tools",
    fix: "mend what it says above; one that is running already is reached with `--from <url>`",
  },
  SVC3050: {
    title: "log of changes that cannot be checked or repaired",
    fix: "name a data folder that has one and, to repair it, a new folder outside of it",
  },
  SVC3345: {
    title: "data folder that cannot be copied",
    fix: "make room, or mend what the message says, and repair again into a new folder",
  },
  SVC3060: {
    title: "graph data that cannot be read",
    fix: "mend what the message names, then import again: it goes on where it was saved last",
  },
  SVC3061: {
    title: "graph that cannot be exported",
    fix: "name a file that can be written, with room for all of the graph",
  },
  SVC3110: {
    title: "system descriptor that cannot be read",
    fix: "write svc.system.ts and run `svc build`, or name a JSON file with `--descriptor <file>`",
  },
  SVC3111: {
    title: "no such instance",
    fix: 'name an instance of the descriptor, a list, or a pattern such as "S*"',
  },
  SVC3112: {
    title: "no instance of this machine",
    fix: "start it on the machine that the descriptor names, or mend its `host`",
  },
  SVC3113: {
    title: "system that runs already",
    fix: "end it with `svc down`, or give this one another `--root`",
  },
  SVC3114: {
    title: "system that does not run",
    fix: "start it with `svc up`, or name the `--root` of the one that runs",
  },
  SVC3115: {
    title: "operation that has failed",
    fix: "mend what the message names, then do it again",
  },
  SVC3116: {
    title: "operation not confirmed",
    fix: "see whether these instances are meant, then add `--yes`",
  },
  SVC3117: {
    title: "instances without a stream between them",
    fix: "name subscribers with a `tport` in `topology.transaction` of the descriptor",
  },
  SVC3119: {
    title: "rolling update stopped",
    fix: "mend what the message names, then run it again: it goes on where it was",
  },
  SVC2810: {
    title: "manifest that cannot be made",
    fix: "mend what the message names: ids, or the folder of --out",
  },
  SVC3118: {
    title: "instance that is busy",
    fix: "wait until whoever feeds it has done, then do it again",
  },
  SVC3302: {
    title: "answer of an instance that makes no sense",
    fix: "see with `svc admin status` whether it is one of this system, and of this version",
  },
  SVC3330: {
    title: "another procedure at work",
    fix: "wait until it ends; `--force` takes over from one that hangs, or was killed",
  },
  SVC3331: {
    title: "procedure taken over by another",
    fix: "see what the other one does; run this one again afterwards",
  },
  SVC3332: {
    title: "copy that is not equal",
    fix: "see the logs of both; one with changes of its own starts with an empty root instead",
  },
  SVC3341: {
    title: "dump that is not complete",
    fix: "mend what the log of the instance says, such as a full disk, and dump again",
  },
  SVC3170: {
    title: "configuration not usable at start",
    fix: "mend svc.config.ts or the variables that it reads",
  },
  SVC3171: {
    title: "standalone folder not usable",
    fix: "name a new folder, an empty one, or one that `svc build --standalone` wrote",
  },
  SVC3172: {
    title: "file of variables not readable",
    fix: "mend its permissions, or remove it",
  },
  SVC3070: {
    title: "server that cannot be started under supervision",
    fix: "mend what it says above; only what has served once is started again",
  },
  SVC3090: {
    title: "no completion for that shell",
    fix: "name bash, zsh or fish",
  },
  SVC3091: {
    title: "name that no package can have",
    fix: "give one that its package manager takes, such as `--name shop-client`",
  },
  SVC3092: {
    title: "version that no package can have",
    fix: "give one such as `--version 1.2.0`",
  },
  SVC3093: {
    title: "too many open files",
    fix: "raise the limit of this process, such as with `ulimit -n 1024`",
  },
  SVC3320: {
    title: "record of requests not readable",
    fix: "name a file that `svc serve --record <file>` wrote",
  },
  SVC3321: {
    title: "server for a replay not there",
    fix: "name one that runs, such as `--against http://127.0.0.1:9000`",
  },
  SVC3322: {
    title: "header lines not readable",
    fix: "name a file with lines such as `Authorization: Bearer ...`",
  },
} as const satisfies Record<string, ErrorCode>;
