// A request as a runnable snippet: in a shell, in TypeScript, in Python. Every value is quoted by
// the rules of the target language, since it may be untrusted. Values of header fields come from
// environment variables, so that a snippet can be shared.

import type { SnippetHeader } from "./credentials.js";
import type { PluginRequest, RequestBody } from "./form.js";

interface SnippetCall extends Omit<PluginRequest, "path"> {
  readonly url: string;
  readonly headers: readonly SnippetHeader[];
}

const SNIPPETS = { curl: curlText, TypeScript: typeScriptText, Python: pythonText } as const;

export type Language = keyof typeof SNIPPETS;
export const LANGUAGES = Object.keys(SNIPPETS) as readonly Language[];

/** @param origin `http://host:port`, and the prefix if there is one */
export function callText(
  language: Language,
  origin: string,
  { path, ...request }: PluginRequest,
  headers: readonly SnippetHeader[] = [],
): string {
  return SNIPPETS[language]({ ...request, url: `${origin}/${path}`, headers });
}

function curlText({ url, body, headers, isEnveloped }: SnippetCall): string {
  const fields = headers.map(({ name, prefix, variable }) => {
    return `-H ${shell(`${name}: ${prefix}`)}"$${variable}"`;
  });
  // Without -N, the lines of a stream arrive late.
  const start = isEnveloped ? "curl" : "curl -N";
  return [`${start} ${shell(url)}`, ...fields, ...curlBody(body)].join(" \\\n  ");
}

function curlBody(body: RequestBody | null): readonly string[] {
  if (body === null) return [];
  if (body.kind === "text") {
    return [`-H 'Content-Type: text/plain' --data-raw ${shell(body.text)}`];
  }
  if (body.kind === "file") {
    const type = `Content-Type: ${mediaType(body.file)}`;
    return [`-H ${shell(type)} --data-binary ${shell(`@${body.file.name}`)}`];
  }
  return body.files.map(([field, { name }]) => {
    // Curl's own quoting within its argument.
    const path = name.replace(/[\\"]/g, "\\$&");
    return `-F ${shell(`${field}=@"${path}"`)}`;
  });
}

function typeScriptText({ url, body, headers, isEnveloped }: SnippetCall): string {
  const lines: string[] = [];
  const options: string[] = [];
  if (body !== null) options.push('method: "POST"');
  if (headers.length > 0) {
    const pairs = headers.map(
      ({ name, prefix, variable }) =>
        `${quoted(name)}: ${prefix === "" ? "" : `${quoted(prefix)} + `}process.env.${variable}`,
    );
    options.push(`headers: { ${pairs.join(", ")} }`);
  }
  if (body !== null && body.kind !== "text") {
    lines.push('import { readFile } from "node:fs/promises";\n');
  }
  if (body?.kind === "form") {
    lines.push("const form = new FormData();");
    for (const [field, { name }] of body.files) {
      const file = `new Blob([await readFile(${quoted(name)})])`;
      lines.push(`form.set(${quoted(field)}, ${file}, ${quoted(name)});`);
    }
    options.push("body: form");
  } else if (body?.kind === "file") {
    options.push(`body: await readFile(${quoted(body.file.name)})`);
  } else if (body?.kind === "text") {
    options.push(`body: ${quoted(body.text)}`);
  }
  const optionText = options.length === 0 ? "" : `, { ${options.join(", ")} }`;
  lines.push(`const answer = await fetch(${quoted(url)}${optionText});`);
  lines.push(
    isEnveloped
      ? "console.log((await answer.json()).response);"
      : "for await (const chunk of answer.body) process.stdout.write(chunk);",
  );
  return lines.join("\n");
}

function pythonText({ url, body, headers, isEnveloped }: SnippetCall): string {
  const modules = ["json", ...(headers.length > 0 ? ["os"] : []), "urllib.request"];
  const isForm = body?.kind === "form";
  const lines = [`import ${[...modules, ...(isForm ? ["uuid"] : [])].join(", ")}\n`];
  const pairs = headers.map(({ name, prefix, variable }) => {
    const start = prefix === "" ? "" : `${quoted(prefix)} + `;
    return `${quoted(name)}: ${start}os.environ["${variable}"]`;
  });
  if (isForm) {
    lines.push(...pythonForm(body.files));
    pairs.push('"Content-Type": f"multipart/form-data; boundary={boundary}"');
  }
  const options: string[] = [];
  if (isForm) options.push("data=data");
  if (body?.kind === "text") options.push(`data=${quoted(body.text)}.encode()`);
  if (body?.kind === "file") options.push(`data=open(${quoted(body.file.name)}, "rb").read()`);
  if (pairs.length > 0) options.push(`headers={${pairs.join(", ")}}`);
  const target =
    options.length === 0
      ? quoted(url)
      : `urllib.request.Request(${[quoted(url), ...options].join(", ")})`;
  lines.push(`with urllib.request.urlopen(${target}) as answer:`);
  lines.push(
    isEnveloped
      ? '    print(json.load(answer)["response"])'
      : "    for line in answer: print(line)",
  );
  return lines.join("\n");
}

function pythonForm(files: readonly (readonly [field: string, file: File])[]): readonly string[] {
  const named = files.map(([field, { name }]) => `    ${quoted(field)}: ${quoted(name)},`);
  return [
    "boundary = uuid.uuid4().hex",
    "files = {",
    ...named,
    "}",
    'data = b""',
    "for field, path in files.items():",
    '    name = path.translate({34: "%22", 10: "%0A", 13: "%0D"})',
    "    head = f'--{boundary}\\r\\nContent-Disposition: form-data; name=\"{field}\"; '",
    "    head += f'filename=\"{name}\"\\r\\n\\r\\n'",
    '    data += head.encode() + open(path, "rb").read() + b"\\r\\n"',
    'data += f"--{boundary}--\\r\\n".encode()',
  ];
}

function mediaType({ type }: File): string {
  return type === "" ? "application/octet-stream" : type;
}

function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A JSON string is one of JavaScript and of Python. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
