// Work limits of a thread's queries, for threads that run untrusted ones.

export { limitQueries } from "../query/walk/deadline.js";
