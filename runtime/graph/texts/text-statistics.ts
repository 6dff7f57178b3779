// What scores go by beside a document: numbers of documents, their average lengths, and how many
// have each word. Of one graph, of the first page of a cursor, or added up over partitions.

export interface TextStatistics {
  /** Documents of the index. */
  readonly documents: number;
  /** Sum of the lengths of the texts, by key. */
  readonly lengths: readonly number[];
  /** Documents that have each part of what is sought, in its order. */
  readonly frequencies: readonly number[];
}

/** Average length of the texts of a key. */
export function averageLength({ documents, lengths }: TextStatistics, key: number): number {
  const average = documents === 0 ? 0 : lengths[key]! / documents;
  return average > 0 ? average : 1;
}
