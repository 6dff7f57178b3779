// Creates values of `Temporal` in arguments.

interface TextClass {
  from(text: unknown): unknown;
}

/**
 * Returns the factory of a class of `Temporal`.
 * @throws Error if this runtime has no `Temporal`
 */
export function temporalClass(name: string): { fromJSON(text: unknown): unknown } {
  const { Temporal } = globalThis as { Temporal?: Readonly<Record<string, TextClass>> };
  const temporal = Temporal?.[name];
  if (temporal === undefined) {
    throw new Error(
      `this Node.js has no \`Temporal.${name}\`: use Node.js 26 or later, or import a package ` +
        "that sets `globalThis.Temporal` in a module of the plugins",
    );
  }
  return { fromJSON: (text) => temporal.from(text) };
}
