// Content that users wrote, on the port of the operators. Plugins and files of WEB-ROOT respond on
// the admin port too, which is the origin of the console and of all admin operations: a page among
// them could call those with the rights of the operator who opened it. In a sandbox it has
// an origin of its own and runs no script; `nosniff` keeps other content from becoming a page.

const SANDBOX = "Content-Security-Policy: sandbox\r\nX-Content-Type-Options: nosniff\r\n";

/** Returns the header lines that isolate user content on a port: 0 is the main port, 1 admin. */
export function isolationFields(port: 0 | 1): string {
  return port === 1 ? SANDBOX : "";
}
