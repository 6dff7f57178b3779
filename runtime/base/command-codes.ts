// Errors of the command line, mostly SVC3xxx, in numeric order. See error-codes.ts.

import type { ErrorCode } from "./error-code.js";

export const COMMAND_CODES = {
  SVC2810: {
    title: "cannot generate the manifest",
    fix: "fix what the message names: an instance id, or the `--out` folder",
  },
  SVC3001: {
    title: "unknown command",
    fix: "run `svc --help` to list the commands",
  },
  SVC3002: {
    title: "unknown option",
    fix: "run the command with `--help` to list its options",
  },
  SVC3003: {
    title: "invalid option value",
    fix: "run the command with `--help` to see valid values",
  },
  SVC3004: {
    title: "wrong number of arguments",
    fix: "run the command with `--help` to see its usage",
  },
  SVC3005: {
    title: "not a project folder",
    fix: "pass an existing folder, or create a project with `svc init <folder>`",
  },
  SVC3006: {
    title: "project is not built",
    fix: "run `svc build` first",
  },
  SVC3007: {
    title: "build is out of date",
    fix: "run `svc build` without `--check`",
  },
  SVC3008: {
    title: "data folder not usable",
    fix: "choose another folder with `--root <folder>`, or fix its permissions",
  },
  SVC3009: {
    title: "folder not usable for a new project",
    fix: "pass a new or empty folder",
  },
  SVC3010: {
    title: "Node.js is too old",
    fix: "install Node.js 20.19 or later",
  },
  SVC3011: {
    title: "package is not built",
    fix: "run `npm run build` in the package",
  },
  SVC3012: {
    title: "invalid matrix size",
    fix: "pass replicas and partitions, for example `svc matrix 2x3`",
  },
  SVC3013: {
    title: "matrix instance failed to start",
    fix: "fix the error reported above",
  },
  SVC3014: {
    title: "argspec not found",
    fix: "pass the URL of a server, an argspec file, or a built project folder",
  },
  SVC3015: {
    title: "invalid argspec",
    fix: "generate it with `svc build` or `svc argspec` of the same version",
  },
  SVC3016: {
    title: "server does not respond",
    fix: "start the server, or fix the URL",
  },
  SVC3017: {
    title: "server does not publish its argspec",
    fix: "upgrade it to this version of svc, or pass its project folder",
  },
  SVC3018: {
    title: "plugin not found",
    fix: "run `svc argspec` without `--plugin` to list all plugins",
  },
  SVC3019: {
    title: "cannot write the file",
    fix: "choose another file, or fix the permissions of its folder",
  },
  SVC3020: {
    title: "folder not usable for a client",
    fix: "pass a new folder with `--out`, or one that `svc client` generated",
  },
  SVC3021: {
    title: "service for MCP tools failed to start",
    fix: "fix the error reported above, or connect to a running server with `--from <url>`",
  },
  SVC3024: {
    title: "server rejects the token",
    fix: "set SVC_TOKEN to a token that the handlers of `auth` accept",
  },
  SVC3025: {
    title: "invalid environment variables",
    fix: "set the variables that the message names, in the environment or in `.env`",
  },
  SVC3050: {
    title: "transaction log cannot be checked or repaired",
    fix: "pass a data folder that has a log and, for a repair, a new folder outside it",
  },
  SVC3060: {
    title: "cannot read the graph data",
    fix:
      "fix the input named in the message, then import again: the import resumes from the " +
      "last save",
  },
  SVC3061: {
    title: "cannot export the graph",
    fix: "choose a writable file on a disk with enough free space",
  },
  SVC3070: {
    title: "supervised server failed to start",
    fix: "fix the error reported above; only a server that has already served is restarted",
  },
  SVC3090: {
    title: "unsupported shell",
    fix: "pass bash, zsh or fish",
  },
  SVC3091: {
    title: "invalid package name",
    fix: "pass a name that the package manager accepts, for example `--name shop-client`",
  },
  SVC3092: {
    title: "invalid package version",
    fix: "pass a semantic version, for example `--version 1.2.0`",
  },
  SVC3093: {
    title: "too many open files",
    fix: "raise the limit of this process, for example with `ulimit -n 65536`",
  },
  SVC3094: {
    title: "installation is corrupt",
    fix: "install svc again, for example with `npm ci`",
  },
  SVC3110: {
    title: "cannot read the system descriptor",
    fix:
      "write svc.system.ts and run `svc build`, or pass a JSON file with `--descriptor " +
      "<file>`",
  },
  SVC3111: {
    title: "instance not found",
    fix:
      "pass an instance id from the descriptor, a comma-separated list, or a pattern such " +
      'as "S*"',
  },
  SVC3112: {
    title: "no instance runs on this machine",
    fix: "run the command on the host in the descriptor, or fix `host`",
  },
  SVC3113: {
    title: "system is already running",
    fix: "stop it with `svc down`, or give this one another `--root`",
  },
  SVC3114: {
    title: "system is not running",
    fix: "start it with `svc up`, or pass the `--root` of the running one",
  },
  SVC3115: {
    title: "operation failed",
    fix: "fix the cause in the message, then retry",
  },
  SVC3116: {
    title: "operation requires confirmation",
    fix: "verify the listed instances, then add `--yes`",
  },
  SVC3117: {
    title: "instances are not connected by replication",
    fix: "declare subscribers with a `tport` in `topology.transaction` of the descriptor",
  },
  SVC3118: {
    title: "instance is busy",
    fix: "wait until its writers are idle, then retry",
  },
  SVC3119: {
    title: "rolling update stopped",
    fix: "fix the cause in the message, then run the command again: it resumes",
  },
  SVC3170: {
    title: "configuration not usable at start",
    fix: "fix svc.config.ts or the environment variables that it reads",
  },
  SVC3171: {
    title: "standalone folder not usable",
    fix: "pass a new or empty folder, or one written by `svc build --standalone`",
  },
  SVC3172: {
    title: "cannot read the environment file",
    fix: "fix its permissions, or remove it",
  },
  SVC3302: {
    title: "unexpected response from an instance",
    fix:
      "run `svc admin status` and verify that the instance belongs to this system and runs " +
      "this version",
  },
  SVC3320: {
    title: "cannot read the recording",
    fix: "pass a file written by `svc serve --record <file>`",
  },
  SVC3321: {
    title: "replay target is not available",
    fix: "pass a running server, for example `--against http://127.0.0.1:9000`",
  },
  SVC3322: {
    title: "invalid header file",
    fix: "pass a file with lines such as `Authorization: Bearer ...`",
  },
  SVC3330: {
    title: "another procedure is running",
    fix: "wait until it ends; `--force` preempts one that hangs or was killed",
  },
  SVC3331: {
    title: "procedure was preempted",
    fix: "check what the other run does, then run this one again",
  },
  SVC3332: {
    title: "copy does not match its source",
    fix:
      "check the logs of both instances; start a destination with its own changes from an " +
      "empty root instead",
  },
  SVC3341: {
    title: "dump is incomplete",
    fix: "fix the cause in the instance's log, for example a full disk, then dump again",
  },
  SVC3345: {
    title: "cannot copy the data folder",
    fix: "free disk space or fix the cause in the message, then run the command again",
  },
  SVC3420: {
    title: "backup cannot be restored",
    fix:
      "restore one of the positions in the message, or into a new folder; if the backup is " +
      "corrupt, back up to a new location",
  },
  SVC3421: {
    title: "restore of a data folder is incomplete",
    fix: "run `svc restore` again with the same folder, or delete the folder",
  },
  SVC3422: {
    title: "backup location is not usable",
    fix: "fix what the message names; each instance needs a location of its own",
  },
  SVC3423: {
    title: "restored backup differs from its original",
    fix: "keep the data folder, and make another backup in a new location",
  },
  SVC3424: {
    title: "continuous backup could not be verified",
    fix:
      "run `svc backup verify` and fix what the message names; keep the data folder until a " +
      "verification succeeds",
  },
} as const satisfies Record<string, ErrorCode>;
