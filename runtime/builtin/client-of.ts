// Who has sent a request for a built-in plugin, as its headers say, which the server has written.

/** The address; connections of one client come from many ports. */
export function clientAddressOf(headers: Readonly<Record<string, string>>): string {
  const uri = headers["X-Svc-Builtin-Client"] ?? "";
  return URL.canParse(uri) ? new URL(uri).hostname : "";
}
