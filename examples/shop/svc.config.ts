// Settings of the shop: what clients may call, and the indexes of its graph.

import { defineConfig } from "svc-server/config";

const TEXTS = {
  type: "product",
  keys: { title: { boost: 3 }, description: {} },
  columns: ["brand", "price"],
};

export default defineConfig({
  name: "shop",
  // Anybody could read the graph, with all sessions, through built-in plugins on the main port.
  http: { builtins: "admin", maxBodyBytes: 1024 * 1024 },
  graphs: {
    shop: {
      constraints: [{ type: "sale", key: "product", required: true }],
      indexes: [{ text: TEXTS }, { property: "price" }, { vectors: { length: 32 } }],
    },
  },
});
