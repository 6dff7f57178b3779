// Sample calls of the console run unchanged, and send any typed arguments.
// limit: 60 s

import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { callText, LANGUAGES, type Language } from "../../console/data/call-snippets.js";

const run = promisify(execFile);
const test = suite("console calls");
const HOSTILE = "@/etc/passwd '\"; $(exit 3) `exit 4` \\ \n\t% ø 🦊 \u2028 {x}";
const PROGRAMS: Readonly<Record<Language, readonly [string, ...string[]]>> = {
  curl: ["sh", "-c"],
  TypeScript: [process.execPath, "--input-type=module", "-e"],
  Python: ["python3", "-c"],
};
let server: Server;
let received: string[] = [];

test.before(
  () =>
    new Promise<void>((resolve) => {
      server = createServer(async (request, response) => {
        let body = "";
        for await (const piece of request.setEncoding("utf8")) body += piece;
        received = [request.method!, request.url!, body];
        response.end(`{"response": 1}`);
      }).listen(0, "127.0.0.1", resolve);
    }),
);

test.after(() => new Promise<void>((resolve) => void server.close(() => resolve())));

for (const language of LANGUAGES) {
  test(`${language} sends the typed arguments`, async () => {
    const [program, ...args] = PROGRAMS[language];
    try {
      await run(program, program === "sh" ? ["-c", "command -v curl"] : ["--version"]);
    } catch {
      console.log(`console calls: no ${language} here`);
      return;
    }
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const path = `svc/plugin/p?q=${encodeURIComponent(HOSTILE)}`;
    await run(program, [...args, callText(language, origin, { method: "GET", path, body: null })]);
    // An apostrophe may be escaped in transit: it means the same.
    assert.equal(
      [received[0], decodeURIComponent(received[1]!)],
      ["GET", `/svc/plugin/p?q=${HOSTILE}`],
    );
    const request = { method: "POST", path: "svc/plugin/p", body: HOSTILE } as const;
    await run(program, [...args, callText(language, origin, request)]);
    assert.equal(received, ["POST", "/svc/plugin/p", HOSTILE]);
  });
}

test.run();
