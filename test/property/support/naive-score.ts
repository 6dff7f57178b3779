// Scores of vectors by each measure, as simply as possible.

/** Score over the components that both have, padded to multiples of 32. */
export function naiveScore(measure: string, a: readonly number[], b: readonly number[]): number {
  const length = Math.min(...[a, b].map((each) => Math.ceil(each.length / 32) * 32));
  let [product, ownSquares, others, distance] = [0, 0, 0, 0];
  for (let index = 0; index < length; index++) {
    const [left, right] = [a[index] ?? 0, b[index] ?? 0];
    product += left * right;
    ownSquares += left * left;
    others += right * right;
    distance += (left - right) ** 2;
  }
  if (measure === "dot") return product;
  if (measure === "l2") return -Math.sqrt(distance);
  if (measure === "hamming") return -Math.round(distance);
  return ownSquares === 0 || others === 0 ? 0 : product / Math.sqrt(ownSquares * others);
}
