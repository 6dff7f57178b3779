// `svc admin`: operates a running system from any machine that reaches its instances.

import { didYouMean } from "../runtime/base/did-you-mean.js";
import { SvcError } from "../runtime/base/errors.js";
import { VERBS } from "./admin/verbs.js";
import { defineCommand } from "./framework/command.js";
import { flag, integer, stringSetting } from "./framework/option.js";

const VERB_WIDTH = 2 + Math.max(...VERBS.map(({ name, takes }) => `${name} ${takes}`.length));
const VERB_HELP = VERBS.map(({ name, takes, summary }) => {
  return `\n    ${`${name} ${takes}`.padEnd(VERB_WIDTH)}${summary}`;
}).join("");

export const admin = defineCommand({
  name: "admin",
  summary: "Inspects and operates a running system.",
  arguments: [
    { name: "<verb>", required: true, help: `operation${VERB_HELP}`, choices: VERBS },
    {
      name: "[ids]",
      required: false,
      help: "instances: comma-separated ids or patterns such as S*",
    },
    { name: "[more]", required: false, help: "arguments of the verb" },
  ],
  options: {
    descriptor: {
      kind: stringSetting("<file>"),
      help: "system descriptor (JSON file)",
    },
    project: {
      kind: stringSetting("<folder>"),
      help: "project with the descriptor (default: current folder)",
    },
    from: {
      kind: stringSetting("<host:port>"),
      help: "read the descriptor from this running instance",
    },
    tls: {
      kind: stringSetting("<ca[,cert,key]>"),
      help: "CA, client certificate and key; overrides the descriptor's `tls`",
    },
    yes: { kind: flag, help: "skip the confirmation of irreversible operations" },
    build: {
      kind: stringSetting("<folder>"),
      help: "rolling-update: project with the target build",
    },
    image: {
      kind: stringSetting("<image>"),
      help: "rolling-update: image of all pods on Kubernetes",
    },
    force: {
      kind: flag,
      help: "preempt another run; rolling-update: allow breaking changes",
    },
    "accept-loss": {
      kind: flag,
      help: "promote: lead a group although members with more changes are missing",
    },
    "no-wait": { kind: flag, help: "service-in: fail at once if graphs are not caught up" },
    "i-have-split-the-data": {
      kind: flag,
      help: "send-descriptor: change the number of partitions over graphs with data",
    },
    restart: {
      kind: flag,
      help: "rolling-update: stop processes; the platform restarts them",
    },
    pause: {
      kind: integer(0, 3600),
      help: "rolling-update: seconds between instances (default: 5)",
    },
    out: {
      kind: stringSetting("<folder>"),
      help: "manifest: folder to write instead of printing",
    },
    "dry-run": { kind: flag, help: "grow, shrink, rebalance: only show which slots would move" },
    rate: {
      kind: stringSetting("<rate>"),
      help: "grow, shrink, rebalance: maximum bytes per second, such as 50MB/s",
    },
    json: { kind: flag, help: "print JSON" },
  },
  environment: false,
  async run([name = "", ids, more], values) {
    const verb = VERBS.find((verb) => verb.name === name);
    if (verb === undefined) {
      const hint = didYouMean(
        name,
        VERBS.map((verb) => verb.name),
      );
      throw new SvcError("SVC3001", `unknown verb \`admin ${name}\`${hint}`);
    }
    const [{ adminContext }, { run }] = await Promise.all([
      import("./admin/context.js"),
      verb.load(),
    ]);
    return run(await adminContext(values), { ids, more });
  },
});
