// Eight instances: two builders, each with a partition of the data, two rows of search instances
// that replicate them, a dispatcher, and an instance for administration.

import { defineSystem } from "svc-server/system";

export default defineSystem({
  name: "Cities",
  graphs: ["cities"],
  slots: { graphs: ["cities"], everywhere: ["world", "country"] },
  common: { graph: "cities" },
  instances: {
    A1: { type: "admin", hport: 9000 },
    TD: { type: "dispatch", hport: 9990 },
    "B0.1": { type: "builder", hport: 9100 },
    "B0.2": { type: "builder", hport: 9200 },
    "S1.1": { type: "search", hport: 9110, tport: 10110 },
    "S1.2": { type: "search", hport: 9210, tport: 10210 },
    "S2.1": { type: "search", hport: 9120, tport: 10120 },
    "S2.2": { type: "search", hport: 9220, tport: 10220 },
  },
  topology: {
    transaction: { "B0.1": ["S1.1", "S2.1"], "B0.2": ["S1.2", "S2.2"] },
    dispatch: {
      TD: [
        { channels: 32, priority: 1, partitions: ["S1.1", "S1.2"] },
        { channels: 32, priority: 1, partitions: ["S2.1", "S2.2"] },
        // Receives changes, and queries that no other row can serve.
        { channels: 2, priority: 20, primary: true, partitions: ["B0.1", "B0.2"] },
      ],
    },
  },
});
