// `svc admin`: looks after a running system, from any machine that reaches its instances.

import { didYouMean } from "../runtime/base/did-you-mean.js";
import { SvcError } from "../runtime/base/errors.js";
import { VERBS } from "./admin/verbs.js";
import { defineCommand } from "./framework/command.js";
import { flag, integer, stringSetting } from "./framework/option.js";

const VERB_HELP = VERBS.map(({ name, takes, summary }) => {
  return `\n    ${`${name} ${takes}`.padEnd(30)}${summary}`;
}).join("");

export const admin = defineCommand({
  name: "admin",
  summary: "Shows and operates the instances of a running system.",
  arguments: [
    { name: "<verb>", required: true, help: `what to do${VERB_HELP}`, choices: VERBS },
    { name: "[ids]", required: false, help: "instances: ids with commas, patterns such as S*" },
    { name: "[more]", required: false, help: "what some verbs need beside them" },
  ],
  options: {
    descriptor: {
      kind: stringSetting("<file>"),
      help: "JSON file with the descriptor of the system",
    },
    project: {
      kind: stringSetting("<folder>"),
      help: "project whose descriptor it is, default: this one",
    },
    from: {
      kind: stringSetting("<host:port>"),
      help: "take the descriptor from this running instance",
    },
    tls: {
      kind: stringSetting("<ca[,cert,key]>"),
      help: "files: whom to believe, and what to show, in place of `tls` of the descriptor",
    },
    yes: { kind: flag, help: "do what cannot be undone without asking" },
    build: {
      kind: stringSetting("<folder>"),
      help: "rolling-update: project whose build the instances have to serve in the end",
    },
    force: {
      kind: flag,
      help: "take over from another run; rolling-update: also a build that breaks clients",
    },
    restart: {
      kind: flag,
      help: "rolling-update: end processes, which their platform starts again",
    },
    pause: { kind: integer(0, 3600), help: "rolling-update: seconds between instances, default 5" },
    out: {
      kind: stringSetting("<folder>"),
      help: "manifest: write files there, instead of printing them",
    },
    json: { kind: flag, help: "print JSON, for tools" },
  },
  environment: false,
  async run([name = "", ids, more], values) {
    const verb = VERBS.find((verb) => verb.name === name);
    if (verb === undefined) {
      const hint = didYouMean(
        name,
        VERBS.map((verb) => verb.name),
      );
      throw new SvcError("SVC3001", `there is no command \`admin ${name}\`${hint}`);
    }
    const [{ adminContext }, { run }] = await Promise.all([
      import("./admin/context.js"),
      verb.load(),
    ]);
    return run(await adminContext(values), { ids, more });
  },
});
