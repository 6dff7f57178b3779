// Joins the parts of client/python/ into the single runtime of generated Python clients. Comments
// and imports at the start of a part are dropped, except imports of the standard library, which are
// merged.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Each needs only earlier ones. */
const PARTS = [
  "answers.py",
  "typed_values.py",
  "tokens.py",
  "requests.py",
  "server.py",
  "http_response.py",
  "calls.py",
];
/** Names that generated code needs. */
const NEEDED =
  "from typing import Any, Dict, Generator, List, Literal, Optional, Set, Tuple, TypedDict, Union";
const FUTURE = "from __future__ import annotations";

/** @param root folder of the package */
export function pythonRuntime(root) {
  const texts = PARTS.map((name) => readFileSync(join(root, "client/python", name), "utf8"));
  const lines = texts.flatMap((text) => text.split("\n"));
  const isImport = (line) => /^(import|from) /.test(line);
  const modules = lines.filter((line) => line.startsWith("import ")).sort();
  const bodies = texts.map((text) => {
    const [, body] = text.split(`\n${FUTURE}\n`);
    return body
      .split("\n")
      .filter((line) => !isImport(line))
      .join("\n")
      .trim();
  });
  return [
    FUTURE,
    "",
    ...new Set(modules),
    ...namesByModule(lines),
    "",
    `${bodies.join("\n\n\n")}\n`,
  ].join("\n");
}

/** Returns one import line per module. */
function namesByModule(lines) {
  const names = new Map();
  for (const line of [NEEDED, ...lines]) {
    const [, module, list] = /^from ([a-z][\w.]*) import (.*)$/.exec(line) ?? [];
    if (module === undefined || line === FUTURE) continue;
    names.set(module, [...(names.get(module) ?? []), ...list.split(", ")]);
  }
  return [...names].sort().flatMap(([module, list]) => {
    const unique = [...new Set(list)].sort();
    const oneLine = `from ${module} import ${unique.join(", ")}`;
    if (oneLine.length <= 100) return [oneLine];
    return [`from ${module} import (`, ...unique.map((name) => `    ${name},`), ")"];
  });
}
