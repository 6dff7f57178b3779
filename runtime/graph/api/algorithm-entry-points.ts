// Entry points of algorithms in a background thread. They are separate from the other entry points,
// which load the query engine, because most executors never need it.

export {
  type BackgroundCall,
  type BackgroundRunner,
  installBackgroundRunner,
} from "../query/calls/background-runner.js";
