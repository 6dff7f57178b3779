// Kinds of option values: what the text of an option must look like and what it becomes. A command
// declares its options as one table of these; parsing, help and environment all read that table.

export interface OptionKind<T> {
  /** Stands for the value in the help text; null for a flag, which takes no value. */
  readonly placeholder: string | null;
  /** Named in the error when `parse` refuses. */
  readonly expected: string;
  /** Returns undefined when the text is not such a value. */
  readonly parse: (text: string) => T | undefined;
}

export interface Option<T> {
  readonly kind: OptionKind<T>;
  readonly help: string;
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** The values of a table; an option that was not given is absent. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: Table[Name] extends Option<infer T> ? T : never;
};

export const flag: OptionKind<boolean> = {
  placeholder: null,
  expected: "1, 0, true or false",
  parse: (text) => ({ "1": true, true: true, "0": false, false: false })[text],
};

export function text(placeholder: string): OptionKind<string> {
  return {
    placeholder,
    expected: "a text that is not empty",
    parse: (value) => (value === "" ? undefined : value),
  };
}

export function integer(min: number, max: number): OptionKind<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
  return {
    placeholder: "<n>",
    expected: `an integer ${range}`,
    parse(value) {
      const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

export function choice<T extends string>(...values: readonly T[]): OptionKind<T> {
  return {
    placeholder: `<${values.join("|")}>`,
    expected: values.length === 1 ? values[0]! : `one of ${values.join(", ")}`,
    parse: (value) => values.find((candidate) => candidate === value),
  };
}

/** Accepts what either kind accepts. */
export function either<A, B>(a: OptionKind<A>, b: OptionKind<B>): OptionKind<A | B> {
  return {
    placeholder: `${a.placeholder}|${b.placeholder}`.replace(">|<", "|"),
    expected: `${a.expected}, or ${b.expected}`,
    parse: (value) => a.parse(value) ?? b.parse(value),
  };
}
