// Built-in plugins that change something. Only trusted clients may call them; see
// http/trusted-clients.ts.

export const CHANGING_PLUGINS: ReadonlySet<string> = new Set([
  "connect",
  "createvertex",
  "define",
  "deletevertex",
  "disconnect",
]);
