// The client of a request for a built-in plugin, taken from a header field that the server adds.

/** Returns the address without the port, which differs between connections of one client. */
export function readClientAddress(headers: Readonly<Record<string, string>>): string {
  const uri = headers["X-Svc-Builtin-Client"] ?? "";
  return URL.canParse(uri) ? new URL(uri).hostname : "";
}
