// Files of the package that servers offer: each has the media type of its suffix.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mediaTypeFor } from "../../runtime/http/media-types.js";
import { PackagedFiles } from "../../runtime/http/packaged-files.js";
import type { Exchange } from "../../runtime/http/transport.js";
import { ROOT } from "../support/source-files.js";

const test = suite("packaged files");

for (const [folder, files, path] of [
  ["console", PackagedFiles.console(), "/svc/console/"],
  ["jquery", PackagedFiles.jquery(), "/"],
] as const) {
  test(`all files of ${folder} have their media types`, () => {
    const names = readdirSync(join(ROOT, "dist", folder)).map((name) =>
      name.replace(/\.(br|gz)$/, ""),
    );
    assert.ok(names.length > 0);
    for (const name of names) {
      const responses: unknown[] = [];
      const exchange = {
        headers: new Map<string, string>(),
        respond: (status: number, mediaType: string) => void responses.push([status, mediaType]),
      } as unknown as Exchange;
      assert.ok(files.serve(exchange, path + name), name);
      assert.equal(responses, [[200, mediaTypeFor(name)]]);
    }
  });
}

test.run();
