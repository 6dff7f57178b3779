// The token for servers that authenticate their clients. It comes from the environment only,
// because other users of the machine can read command-line arguments.

const VARIABLE = "SVC_TOKEN";

/** Returns undefined without a token. */
export function accessToken(): string | undefined {
  return process.env[VARIABLE] || undefined;
}
