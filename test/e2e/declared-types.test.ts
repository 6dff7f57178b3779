// The table of docs/guides/writing-plugins.md, cell by cell: the value that a plugin receives for
// each form of query text, by its declared type. As an argument and in `request.params`, over a
// real socket.
// limit: 60 s

import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

interface Row {
  readonly type: string;
  readonly cells: readonly string[];
}

/** The last row has no type at all. */
const TSCONFIG = JSON.stringify({
  compilerOptions: { module: "nodenext", target: "es2022", strict: true, noImplicitAny: false },
});

const test = suite("declared types");
const { forms, rows } = readTable();
const project = new TemporaryProject({
  "tsconfig.json": TSCONFIG,
  "plugins/types.ts": [
    'import type { bytes, float, int, json, PluginRequest, str } from "svc-server";',
    ...rows.map(({ type }, index) => pluginSource(type, index)),
  ].join("\n"),
});
let server: RunningServer;

test.before(async () => {
  await buildProject(project.folder);
  server = await serve(project.folder);
});

test.after(async () => {
  await server.end();
  project.remove();
});

function readTable(): { forms: readonly string[]; rows: readonly Row[] } {
  const page = new URL("../../docs/guides/writing-plugins.md", import.meta.url);
  const text = readFileSync(page, "utf8");
  const lines = text.slice(text.indexOf("| Type |")).split("\n\n", 1)[0]!.split("\n");
  const [head, , ...body] = lines.map((line) => {
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    return cells.map((cell) => cell.trim().replace(/^`(.*)`$/, "$1"));
  });
  return {
    forms: head!.slice(1),
    rows: body.map(([type, ...cells]) => ({ type: type!.replaceAll("\\|", "|"), cells })),
  };
}

function pluginSource(type: string, index: number): string {
  const param = type === "none" ? "x" : `x: ${type}`;
  return `/** @plugin */ export function p${index}(request: PluginRequest, ${param}): unknown[] {
  return [x, request.params.x];
}`;
}

for (const [index, { type, cells }] of rows.entries()) {
  test(type, async () => {
    assert.is(cells.length, forms.length);
    for (const [column, form] of forms.entries()) {
      for (const query of [form, form.replaceAll("(", "%28").replaceAll(")", "%29")]) {
        const path = `/svc/plugin/p${index}?${query.replaceAll('"', "%22")}`;
        const { status, json } = await get(server.port, path);
        const outcome = status === 200 ? json.response : status;
        const expected = cells[column] === "400" ? 400 : twice(JSON.parse(cells[column]!));
        assert.equal(outcome, expected, `${type} of ${query}: ${JSON.stringify(json)}`);
        if (status === 400) assert.match(JSON.stringify(json.message), /"svc".*"x/);
      }
    }
  });
}

function twice(value: unknown): readonly unknown[] {
  return [value, value];
}

test.run();
