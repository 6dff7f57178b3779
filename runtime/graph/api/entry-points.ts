// Entry points of the query engine for the runtime: option names for completion, limits and time
// slices of a thread's queries, for threads that run untrusted ones, and algorithms over whole
// graphs.

export type { ConstrainedProperty, Constraint } from "../changes/constraints.js";
export type { TextIndexOptions } from "../changes/index-texts.js";
export { runWholeGraph } from "../query/calls/whole-graph.js";
export { limitQueries } from "../query/match/deadline.js";
export { endTimeSlice, installTimeSlice, TimeSlice } from "../query/match/time-slice.js";
export { optionNames } from "../query/parse/query-arguments.js";
export type { StepOptions } from "../query/walk/steps.js";
