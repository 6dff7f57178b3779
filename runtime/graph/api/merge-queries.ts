// Merging of the results of partitions, for dispatchers, which query no graph.

export { mergeHeads, selectEntries, showMerged } from "../query/merge/merge-results.js";
export type { PartialEntry, PartialHead, PartialResult } from "../query/render/partial-result.js";
export { addTextStatistics, type TextStatisticsShare } from "../texts/text-statistics.js";
