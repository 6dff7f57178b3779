// A process that runs simulations: chunks of seeds that its parent sends, until it disconnects.

import { type Chunk, runChunk } from "./seed-chunk.js";

process.on("message", (chunk: Chunk) => {
  void runChunk(chunk).then((sums) => process.send!(sums));
});
