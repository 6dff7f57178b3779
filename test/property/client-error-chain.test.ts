// Any error that passes through dispatchers arrives unchanged at the client, except for characters
// that dispatchers cannot transmit. Repeat a failed run with SEED=n; ROUNDS=n makes it longer.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { responseError } from "../../client/typescript/response-error.js";
import type { SvcError } from "../../client/typescript/svc-error.js";
import { backEndError, partialError } from "../../runtime/dispatch/error-chain.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const ROUNDS = rounds(5000);
const PIECES = [
  ...["'", "\\", "\n", "\\n", "\\'", "'}", "', '", "{'plugin': {'value': 'x'}}", "é", "\u{1f600}"],
  ...["<partial: 0 width: 1> | 500 | ", "]", ", ", ": ", "a", " ", "undefined plugin: find"],
];
const SOURCES = ["svc", "plugin", "system"] as const;

const test = suite("client error chains");

test("are restored from any number of levels", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const key = random.of(SOURCES);
    const [exception, value] = [randomText(random), randomText(random)];
    const traceback = random.below(2) === 0 ? random.list(4, () => randomText(random)) : null;
    const detail = { exception, value, ...(traceback !== null && { traceback }) };
    // The outermost level is written last.
    const levels = Array.from({ length: 1 + random.below(16) }, () => {
      const width = 1 + random.below(127);
      return { partition: random.below(width), width, status: 400 + random.below(200) };
    });
    let message: unknown = { [key]: detail };
    for (const { partition, width, status } of [...levels].reverse()) {
      const body = JSON.stringify({ status: "ERROR", message });
      message = partialError(partition, width, status, backEndError(Buffer.from(body)).text);
    }
    const error = responseError({ path: "p" }, 500, { status: "ERROR", message });
    const label = `seed ${SEED}, round ${round}: ${JSON.stringify(detail)}`;
    assert.is(error.kind, "backend", label);
    assert.equal(error.chain, levels, label);
    assert.is(error.message, `p: ${value}`, label);
    assert.is(error.exception, exception, label);
    assert.equal(error.traceback, traceback, label);
    const { status } = levels.at(-1)!;
    const ofSvc = status < 500 ? "parameter" : "result";
    assert.is((error.cause as SvcError).kind, key === "svc" ? ofSvc : key, label);
    assert.is((error.cause as SvcError).status, status, label);
  }
});

function randomText(random: Random): string {
  return random.list(6, () => random.of(PIECES)).join("");
}

test.run();
