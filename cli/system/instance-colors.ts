// Prefixes log lines with the name of the instance: padded to one width, each in its own color.

const SGR = [36, 33, 35, 32, 34, 31];

export class InstanceColors {
  readonly #ids: readonly string[];
  readonly #width: number;
  readonly #isColoured = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;

  constructor(ids: readonly string[]) {
    this.#ids = ids;
    this.#width = Math.max(0, ...ids.map(({ length }) => length));
  }

  name(id: string): string {
    const text = id.padEnd(this.#width);
    const color = SGR[this.#ids.indexOf(id) % SGR.length];
    return this.#isColoured ? `\u001b[${color}m${text}\u001b[39m |` : `${text} |`;
  }
}
