// Key of the method that `util.inspect` calls. Spelled out, because the declarations of this
// package must compile in projects without the types of Node.

export const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");
