// The system of eight nodes that the interface uses as its example.

export function eightNodes() {
  return {
    name: "Cities",
    graphs: ["cities"],
    common: { graph: "cities", host: "10.0.0.7" },
    instances: {
      A1: { type: "admin", hport: 9000 },
      TD: { type: "dispatch", hport: 9990 },
      "B0.1": { type: "builder", hport: 9100, tport: 10100, durable: true },
      "B0.2": { type: "builder", hport: 9200, tport: 10200 },
      "S1.1": { type: "search", hport: 9110, tport: 10110 },
      "S2.1": { type: "search", hport: 9120, tport: 10120 },
      "S1.2": { type: "search", hport: 9210, tport: 10210 },
      "S2.2": { type: "search", hport: 9220, tport: 10220 },
    },
    topology: {
      transaction: {
        A1: {},
        "B0.1": ["S1.1", "S2.1"],
        "B0.2": [
          ["S1.2", null],
          ["S2.2", {}],
        ],
      },
      dispatch: {
        TD: [
          { channels: 32, priority: 1, partitions: ["S1.1", "S1.2"] },
          { channels: 32, priority: 1, partitions: ["S2.1", "S2.2"] },
          { channels: 2, priority: 20, primary: true, partitions: ["B0.1", "B0.2"] },
          { priority: -1, partitions: [] },
        ],
      },
    },
  };
}
