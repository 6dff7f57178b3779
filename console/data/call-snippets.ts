// A request as a runnable snippet: in a shell, in TypeScript, in Python. Every value is quoted by
// the rules of the target language, since it may be untrusted.

import type { PluginRequest } from "./form.js";

/** Snippets by language: from a URL and, for POST, a body. */
const SNIPPETS = {
  curl(url: string, body: string | null): string {
    const sent = body === null ? "" : ` -H 'Content-Type: text/plain' --data-raw ${shell(body)}`;
    return `curl ${shell(url)}${sent}`;
  },
  TypeScript(url: string, body: string | null): string {
    const sent = body === null ? "" : `, { method: "POST", body: ${quoted(body)} }`;
    return [
      `const answer = await fetch(${quoted(url)}${sent});`,
      "console.log((await answer.json()).response);",
    ].join("\n");
  },
  Python(url: string, body: string | null): string {
    const sent = body === null ? "" : `, data=${quoted(body)}.encode()`;
    return [
      "import json, urllib.request\n",
      `with urllib.request.urlopen(${quoted(url)}${sent}) as answer:`,
      '    print(json.load(answer)["response"])',
    ].join("\n");
  },
} as const;

export type Language = keyof typeof SNIPPETS;
export const LANGUAGES = Object.keys(SNIPPETS) as readonly Language[];

/** @param origin `http://host:port`, and the prefix if there is one */
export function callText(language: Language, origin: string, request: PluginRequest): string {
  return SNIPPETS[language](`${origin}/${request.path}`, request.body);
}

function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A JSON string is one of JavaScript and of Python. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
