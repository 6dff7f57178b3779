// Takes the text of an error below a dispatcher apart, by nothing but its grammar (interface,
// "Error body").

interface Chain {
  /** The outermost first. */
  readonly levels: [partition: number, width: number, status: number][];
  /** Text, or the object that it stands for. */
  readonly cause: unknown;
}

export function parsedChain(text: string): Chain {
  const levels: Chain["levels"] = [];
  let rest = text;
  for (;;) {
    const level = /^<partial: (\d+) width: (\d+)> \| (\d{3}) \| (.*)$/s.exec(rest);
    if (level === null) break;
    levels.push([Number(level[1]), Number(level[2]), Number(level[3])]);
    rest = level[4]!;
  }
  return { levels, cause: rest.startsWith("{'") ? parsedObject(rest) : rest };
}

function parsedObject(text: string): unknown {
  const json = text.replace(/'((?:[^'\\]|\\.)*)'/g, (_, inner: string) =>
    JSON.stringify(inner.replace(/\\(.)/g, (__, char) => (char === "n" ? "\n" : char))),
  );
  return JSON.parse(json);
}
