// Isolates user content on the admin port. Plugins and files of WEB-ROOT respond there too, on the
// origin of the console and of all admin operations: a page among them could call those with the
// rights of the operator who opened it. A sandbox gives it an opaque origin and disables scripts;
// `nosniff` prevents browsers from interpreting other content as a page.

const SANDBOX = "Content-Security-Policy: sandbox\r\nX-Content-Type-Options: nosniff\r\n";

/** Returns the header lines that isolate user content on a port: 0 is the main port, 1 admin. */
export function isolationFields(port: 0 | 1): string {
  return port === 1 ? SANDBOX : "";
}
