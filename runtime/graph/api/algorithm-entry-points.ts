// Entry points of algorithms in a thread of their own. Apart from the others, which load the query
// engine: most executors never need it.

export {
  type BackgroundCall,
  type BackgroundRunner,
  installBackgroundRunner,
} from "../query/calls/background-runner.js";
