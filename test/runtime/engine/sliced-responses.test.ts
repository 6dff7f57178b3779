// Responses rendered in time slices: complete, in order, with other work between two slices.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_RENDER_SLICE_BYTES } from "../../../runtime/base/limits.js";
import { SlicedResponses } from "../../../runtime/engine/sliced-responses.js";

const test = suite("sliced responses");
const PIECE = "x".repeat(1000);

test("returns a response that fits one slice at once", () => {
  let text = "";
  new SlicedResponses().render(["a", "é"], (rendered) => {
    text = Buffer.concat(rendered).toString();
  });
  assert.is(text, "aé");
});

test("alternates between large responses", async () => {
  const slow = new SlicedResponses();
  let inTurn = 0;
  let longest = 0;
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    longest = Math.max(longest, inTurn);
    inTurn = 0;
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  function* pieces(name: string): Generator<string> {
    for (let number = 0; number < 500; number++) {
      inTurn += PIECE.length;
      yield number === 0 ? name : PIECE;
    }
  }
  const done: string[] = [];
  await new Promise<void>((resolve) => {
    for (const name of ["a", "b", "c"]) {
      slow.render(pieces(name), (rendered) => {
        assert.is(rendered.length, 500);
        done.push(rendered[0]!.toString());
        if (done.length === 3) resolve();
      });
    }
  });
  isOver = true;
  assert.equal(done, ["a", "b", "c"]);
  assert.ok(turns >= (3 * 500 * PIECE.length) / MAX_RENDER_SLICE_BYTES - 3, `${turns} turns`);
  // Another slice of this thread may come before the one that counts.
  assert.ok(longest <= 2 * (MAX_RENDER_SLICE_BYTES + PIECE.length), `${longest} bytes in one turn`);
});

test.run();
