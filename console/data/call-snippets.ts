// A request as a runnable snippet: in a shell, in TypeScript, in Python. Every value is quoted by
// the rules of the target language, since it may be untrusted.

import type { PluginRequest } from "./form.js";

export const LANGUAGES = ["curl", "TypeScript", "Python"] as const;
export type Language = (typeof LANGUAGES)[number];

/** @param origin `http://host:port`, and the prefix if there is one */
export function callText(language: Language, origin: string, request: PluginRequest): string {
  const url = `${origin}/${request.path}`;
  const { body } = request;
  switch (language) {
    case "curl": {
      const sent = body === null ? "" : ` -H 'Content-Type: text/plain' --data-raw ${shell(body)}`;
      return `curl ${shell(url)}${sent}`;
    }
    case "TypeScript": {
      const sent = body === null ? "" : `, { method: "POST", body: ${quoted(body)} }`;
      return [
        `const answer = await fetch(${quoted(url)}${sent});`,
        "console.log((await answer.json()).response);",
      ].join("\n");
    }
    case "Python": {
      const sent = body === null ? "" : `, data=${quoted(body)}.encode()`;
      return [
        "import json, urllib.request\n",
        `with urllib.request.urlopen(${quoted(url)}${sent}) as answer:`,
        '    print(json.load(answer)["response"])',
      ].join("\n");
    }
  }
}

function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A JSON string is one of JavaScript and of Python. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
