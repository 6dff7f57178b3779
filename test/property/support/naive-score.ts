// Scores of vectors by each measure, as simply as possible.

/** Score over the components that both have, padded to multiples of 32. */
export function naiveScore(measure: string, a: readonly number[], b: readonly number[]): number {
  const length = Math.min(...[a, b].map((each) => Math.ceil(each.length / 32) * 32));
  let [product, own, others, distance] = [0, 0, 0, 0];
  for (let at = 0; at < length; at++) {
    const [one, other] = [a[at] ?? 0, b[at] ?? 0];
    product += one * other;
    own += one * one;
    others += other * other;
    distance += (one - other) ** 2;
  }
  if (measure === "dot") return product;
  if (measure === "l2") return -Math.sqrt(distance);
  if (measure === "hamming") return -Math.round(distance);
  return own === 0 || others === 0 ? 0 : product / Math.sqrt(own * others);
}
