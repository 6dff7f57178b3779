// A float with an integral value: 7.0, where JavaScript has only 7. Plugins create one with
// `float(7)`; properties of graphs preserve the type.

export class Float {
  constructor(readonly value: number) {
    if (typeof value !== "number") throw new TypeError("a number is required");
  }
}
