// The token for servers that authenticate their clients. From the environment only: other users of
// the machine can read the arguments of a command.

const VARIABLE = "SVC_TOKEN";

/** Undefined without one. */
export function accessToken(): string | undefined {
  return process.env[VARIABLE] || undefined;
}
