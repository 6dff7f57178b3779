// `X-SVC-Explain` through two levels: replicas tried, their costs, and durations; and where nothing
// is explained.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MatrixNode, matrix, type TestMatrix } from "./support/matrix.js";
import { type DecodedResponse, get } from "./support/server.js";

const test = suite("dispatch explain");
let lowerMatrix: TestMatrix;
let parentNode: MatrixNode;

test.before(async () => {
  lowerMatrix = await matrix(2, 2, { replicas: [{ channels: 4, priority: 1 }, { channels: 4 }] });
  const partitions = [[{ host: "127.0.0.1", port: lowerMatrix.dispatcher.port }]];
  const dispatcher = { partitions: [...partitions, ...partitions], replicas: [{ channels: 4 }] };
  parentNode = await MatrixNode.start({ dispatcher, processors: false });
});

test.after(async () => {
  await parentNode.kill();
  await lowerMatrix.stop();
});

interface Explained {
  readonly ms: Readonly<Record<string, number>>;
  readonly partitions: readonly {
    readonly partition: number;
    readonly tries: readonly {
      readonly replica: number;
      readonly address: string;
      readonly costs: readonly unknown[];
      readonly outcome: unknown;
      readonly ms: number;
      readonly below?: Explained;
    }[];
  }[];
}

async function request(port: number, path: string, headers = {}): Promise<DecodedResponse> {
  const asking = { "X-SVC-Explain": "1", ...headers };
  return get(port, `/svc/plugin/${path}`, { headers: asking });
}

function readExplanation({ text, json }: DecodedResponse): Explained {
  assert.is(Object.keys(json).at(-1), "explain", text);
  return json.explain as Explained;
}

test("explains a merged response at both levels", async () => {
  const { ms, partitions } = readExplanation(await request(parentNode.port, "find?n=1"));
  assert.equal(Object.keys(ms).sort(), ["backends", "merge", "total", "wait"]);
  assert.equal(
    partitions.map(({ partition }) => partition),
    [0, 1],
  );
  const [lower] = partitions.map(({ tries }) => tries[0]!);
  assert.is(lower!.outcome, 200);
  assert.ok(lower!.ms >= lower!.below!.ms.total!);
  assert.is(lower!.below!.partitions.length, 2);
  const [engine] = lower!.below!.partitions[1]!.tries;
  assert.is(engine!.address, `127.0.0.1:${lowerMatrix.place(1, 0).proxy.port}`);
  assert.is(engine!.costs.length, 2);
  assert.equal(Object.keys(engine!.below!.ms), ["total"]);
});

test("explains requests of pre-processors, post-processors, and failures", async () => {
  const made = readExplanation(await request(lowerMatrix.dispatcher.port, "new"));
  assert.ok("pre" in made.ms);
  assert.ok(made.partitions[0]!.tries[0]!.below);
  const failed = await request(lowerMatrix.dispatcher.port, "fails");
  assert.is(failed.status, 500);
  // The first failure is the outcome: it may be sent before the other partition responds.
  const outcomes = readExplanation(failed).partitions.map(({ tries }) => tries[0]!.outcome);
  assert.ok(outcomes.includes(500), JSON.stringify(outcomes));
  assert.ok(outcomes.every((outcome) => outcome === 500 || outcome === null));
});

test("shows the replicas tried before", async () => {
  const { proxy } = lowerMatrix.place(0, 0);
  await request(lowerMatrix.dispatcher.port, "find");
  proxy.fault = "refuse";
  proxy.cut();
  let tries: Explained["partitions"][number]["tries"] = [];
  while (tries.length === 0 || tries[0]!.replica === 1) {
    const explained = readExplanation(await request(lowerMatrix.dispatcher.port, "find"));
    tries = explained.partitions[0]!.tries;
    if (tries.length === 1 && tries[0]!.costs[0] === "down") break;
  }
  proxy.fault = "none";
  const last = tries.at(-1)!;
  assert.is(last.replica, 1);
  assert.is(last.outcome, 200);
  assert.ok(last.costs[0] === "down" || last.costs[0] === "tried");
});

test("explains only on request, and not in plain text", async () => {
  const { port } = lowerMatrix.dispatcher;
  assert.not("explain" in (await request(port, "find", { "X-SVC-Explain": "0" })).json);
  assert.not("explain" in (await get(port, "/svc/plugin/find")).json);
  assert.not.match((await request(port, "find", { accept: "text/plain" })).text, "costs");
  // For a partial it is a header field.
  const partial = { accept: "application/x-svc-partial" };
  assert.match((await request(port, "find", partial)).headers.get("x-svc-explain")!, '"costs":');
  const { engine } = lowerMatrix.place(0, 0);
  assert.not("explain" in (await request(engine.port, "find")).json);
});

test("explains nothing when disabled, and only to trusted clients with `trusted`", async () => {
  const dispatcher = { partitions: [[{ host: "127.0.0.1", port: 1 }]], replicas: [{}] };
  for (const [explain, isTold] of [
    ["off", false],
    ["trusted", true],
    ["anyone", true],
  ] as const) {
    const node = await MatrixNode.start({ dispatcher, processors: false, explain });
    try {
      const { text } = await request(node.port, "find?n=1");
      assert.is("explain" in JSON.parse(text), isTold, `${explain}: ${text}`);
      const page = await request(node.port, "find?n=1", { Origin: "http://elsewhere.example" });
      assert.is("explain" in JSON.parse(page.text), explain === "anyone", page.text);
    } finally {
      await node.kill();
    }
  }
});

test.run();
