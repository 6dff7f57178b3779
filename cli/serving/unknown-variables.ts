// Reports environment variables that resemble settings of svc: a misspelled one would silently
// leave the default in effect. Only a warning, because platforms set variables of their own.

import { didYouMean } from "../../runtime/base/did-you-mean.js";
import { environmentVariableFor } from "../framework/command.js";
import { SERVE_OPTIONS } from "./options.js";

/** Options of `svc serve` and `svc dev` that are not settings of a server. */
const COMMAND_OPTIONS = ["check-first", "open", "supervise", "tsconfig"];
/** Secrets have no options, because all users can see the arguments of a process. */
const SECRETS = ["SVC_ADMIN_KEY", "SVC_NATS_TOKEN", "SVC_TX_KEY"];
/** Variables of Kubernetes for a service called `svc`, and of Docker for a linked container. */
const OF_PLATFORMS = /^SVC_(?:SERVICE_(?:HOST|PORT)|PORT_\d+_|ENV_)/;

const OPTIONS = [...Object.keys(SERVE_OPTIONS), ...COMMAND_OPTIONS];
const KNOWN: readonly string[] = [...OPTIONS.map(environmentVariableFor), ...SECRETS];

/** Returns a warning for each unknown variable, by name. */
export function unknownVariableWarnings(environment: object): string[] {
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith("SVC_") && !OF_PLATFORMS.test(name) && !KNOWN.includes(name),
  );
  return unknown.sort().map((name) => `unknown variable \`${name}\`${didYouMean(name, KNOWN)}`);
}
