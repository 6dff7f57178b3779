// The head of a part of a form: its name, and the name and type that a client states for a file.

export interface PartHead {
  readonly field: string;
  /** Name of a file without folders; null: the part is a text field. */
  readonly fileName: string | null;
  /** Media type in lower case without parameters. */
  readonly type: string;
}

const DISPOSITION = /^content-disposition:[ \t]*form-data[ \t]*(;.*)$/i;
const CONTENT_TYPE = /^content-type:[ \t]*([^;]*)/i;
/** A parameter with a quoted value or a token. */
const PARAMETER = /;[ \t]*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^;"\s]*))/g;
/** `filename*=utf-8''name` (RFC 5987). */
const EXTENDED = /^utf-8'[^']*'(.*)$/i;
/** Characters that browsers escape. */
const ESCAPES = /%(0a|0d|22)/gi;

// biome-ignore lint/suspicious/noControlCharactersInRegex: names of files must not contain them
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Returns null for a part without a name. */
export function parsePartHead(text: string): PartHead | null {
  let parameters: ReadonlyMap<string, string> = new Map();
  let type = "text/plain";
  for (const line of text.split("\r\n")) {
    const disposition = DISPOSITION.exec(line)?.[1];
    if (disposition !== undefined) parameters = parseParameters(disposition);
    const stated = CONTENT_TYPE.exec(line)?.[1]?.trim().toLowerCase();
    if (stated) type = stated;
  }
  const field = parameters.get("name");
  if (field === undefined || field === "") return null;
  const name = decodeExtended(parameters.get("filename*")) ?? parameters.get("filename");
  return { field, fileName: name === undefined ? null : plainName(name), type };
}

function parseParameters(text: string): Map<string, string> {
  const parameters = [...text.matchAll(PARAMETER)].map(
    ([, name = "", quoted, token = ""]): [string, string] => [
      name.toLowerCase(),
      quoted === undefined ? token : unescapeQuoted(quoted),
    ],
  );
  return new Map(parameters);
}

function unescapeQuoted(text: string): string {
  const decode = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
  return text.replace(/\\(["\\])/g, "$1").replace(ESCAPES, decode);
}

function decodeExtended(value: string | undefined): string | undefined {
  const escaped = value === undefined ? undefined : EXTENDED.exec(value)?.[1];
  if (escaped === undefined) return undefined;
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}

/** Removes parts with a meaning for file systems: folders, control characters, `.` and `..`. */
function plainName(name: string): string {
  const plain = name.replace(CONTROLS, "");
  const file = plain.slice(Math.max(plain.lastIndexOf("/"), plain.lastIndexOf("\\")) + 1);
  return file === "." || file === ".." ? "" : file;
}
