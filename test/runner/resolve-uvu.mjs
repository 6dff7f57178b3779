// Module hook, see register.mjs.

export async function resolve(specifier, context, next) {
  if (specifier === "uvu" && context.parentURL?.includes(".test.ts")) {
    return { url: new URL("./limited-uvu.mjs", import.meta.url).href, shortCircuit: true };
  }
  return next(specifier, context);
}
