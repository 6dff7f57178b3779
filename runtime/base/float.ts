// A number that is a float although it is integral: 7.0, where JavaScript knows only 7. Plugins
// make one with `float(7)`; properties of graphs keep the difference.

export class Float {
  constructor(readonly value: number) {
    if (typeof value !== "number") throw new TypeError("a number is required");
    Object.freeze(this);
  }
}
