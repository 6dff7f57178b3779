// Recognizes instances of classes across copies of this package. `instanceof` fails for objects of
// another copy, such as that of a project served by a globally installed `svc`. All copies share
// the registry of symbols.

/**
 * Brands the instances of a class and of its subclasses.
 * @returns a type guard, which also accepts proxies whose traps throw
 */
export function brandClass<T extends object>(
  type: abstract new (...args: never[]) => T,
  className: string,
): (value: unknown) => value is T {
  const brand = Symbol.for(`svc-server.${className}`);
  Object.defineProperty(type.prototype, brand, { value: true });
  return (value): value is T => {
    if (typeof value !== "object" || value === null) return false;
    try {
      return (value as Record<symbol, unknown>)[brand] === true;
    } catch {
      return false;
    }
  };
}
