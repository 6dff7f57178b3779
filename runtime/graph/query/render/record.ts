// Objects whose keys are names of users' data.

/** Sets a member, whatever its key. */
export function setMember(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") record[key] = value;
  else
    Object.defineProperty(record, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}

/** Faster replacement of `Object.fromEntries`. */
export function toRecord(items: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [key, value] of items) setMember(record, key, value);
  return record;
}
