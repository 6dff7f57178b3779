// What queries of a thread may cost, for threads that run queries of strangers.

export { limitQueries } from "../query/walk/deadline.js";
