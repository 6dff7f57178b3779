// Responses required of every topology: one table of requests to the plugins in
// `test/fixtures/engine`, run against a single engine and behind dispatchers.

export interface RequestCase {
  readonly name: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  /** `response` of the envelope. */
  readonly response?: unknown;
  /** `message` of the envelope, or a test of its JSON text. */
  readonly message?: unknown;
  readonly messageLike?: RegExp;
  /** Whole body, for text/plain. */
  readonly text?: string | RegExp;
}

const TEXT = { accept: "text/plain" };

function parameterError(exception: string, value: string): unknown {
  return { svc: { exception: `<class '${exception}'>`, value } };
}

const conversions: RequestCase[] = [
  { name: "ints", path: "/svc/plugin/add?a=1&b=2", status: 200, response: 3 },
  { name: "default", path: "/svc/plugin/add?a=41", status: 200, response: 42 },
  { name: "negative", path: "/svc/plugin/add?a=-5&b=2", status: 200, response: -3 },
  { name: "int cast", path: "/svc/plugin/add?a=(int)7&b=(q)1", status: 200, response: 8 },
  { name: "last one wins", path: "/svc/plugin/add?a=1&a=10&b=0", status: 200, response: 10 },
  {
    name: "errors show text as UTF-8",
    path: "/svc/plugin/add?a=caf%C3%A9",
    status: 400,
    message: parameterError("TypeError", "a=café (an integer is required)"),
  },
  {
    name: "not an int",
    path: "/svc/plugin/add?a=abc",
    status: 400,
    message: parameterError("TypeError", "a=abc (an integer is required)"),
  },
  {
    name: "fraction for an int",
    path: "/svc/plugin/add?a=1.5",
    status: 400,
    messageLike: /a=1\.5/,
  },
  { name: "empty int", path: "/svc/plugin/add?a=", status: 400, messageLike: /a=/ },
  { name: "hex is no decimal", path: "/svc/plugin/add?a=0x10", status: 400, messageLike: /a=0x10/ },
  {
    name: "beyond the safe integers",
    path: "/svc/plugin/add?a=9007199254740993",
    status: 400,
    messageLike: /a=/,
  },
  { name: "broken cast", path: "/svc/plugin/add?a=(int)x", status: 400, messageLike: /"svc".*a/ },
  { name: "missing", path: "/svc/plugin/add", status: 400, messageLike: /"svc".*'?a'?/ },
  { name: "bad escape", path: "/svc/plugin/add?a=%zz", status: 400, messageLike: /"svc"/ },
  {
    name: "all types",
    path: "/svc/plugin/typed?i=1&f=2.5&s=caf%C3%A9+au+lait&j=%7B%22k%22%3A%5B1%2Cnull%5D%7D",
    status: 200,
    response: { i: 1, f: 2.5, s: "café au lait", j: { k: [1, null] } },
  },
  {
    name: "not a number",
    path: "/svc/plugin/typed?i=1&f=x&s=s&j=1",
    status: 400,
    message: parameterError("TypeError", "f=x (a number is required)"),
  },
  {
    name: "invalid JSON",
    path: "/svc/plugin/typed?i=1&f=1&s=s&j=%7B",
    status: 400,
    message: parameterError("ValueError", "j={ (invalid JSON)"),
  },
  {
    name: "bytes",
    path: "/svc/plugin/raw?b=caf%C3%A9",
    status: 200,
    response: { length: 5, bytes: "Y2Fmw6k=" },
  },
  {
    name: "literal",
    path: "/svc/plugin/choose?mode=exact&n=2",
    status: 200,
    response: { mode: "exact", n: 2 },
  },
  {
    name: "not one of the literals",
    path: "/svc/plugin/choose?mode=slow",
    status: 400,
    messageLike: /mode/,
  },
  {
    name: "number not of the literals",
    path: "/svc/plugin/choose?n=9",
    status: 400,
    messageLike: /n/,
  },
  {
    name: "object",
    path: `/svc/plugin/near?at=${encodeURIComponent('{"x":1,"y":2.5}')}&tags=["a"]`,
    status: 200,
    response: { at: { x: 1, y: 2.5 }, tags: ["a"] },
  },
  {
    name: "object with a wrong property",
    path: `/svc/plugin/near?at=${encodeURIComponent('{"x":"1","y":2}')}`,
    status: 400,
    messageLike: /at\.x/,
  },
  {
    name: "prototype keys are harmless",
    path: `/svc/plugin/params?__proto__=1&constructor=2&n=3`,
    status: 200,
    response: { params: JSON.parse('{"__proto__":"1","constructor":"2","n":3}'), n: 3 },
  },
  {
    name: "params holds what the signature lacks",
    path: "/svc/plugin/params?n=5&x=(float)1.5&y=z&flag",
    status: 200,
    response: { params: { n: 5, x: 1.5, y: "z", flag: null }, n: 5 },
  },
];

const bodies: RequestCase[] = [
  {
    name: "POST to a plugin",
    path: "/svc/plugin/method",
    method: "POST",
    headers: { "X-Custom": "yes", "content-type": "text/plain" },
    body: "12345",
    status: 200,
    response: { method: "POST", same: true, length: 5, custom: "yes", client: "CLIENT" },
  },
  {
    name: "text content",
    path: "/svc/plugin/text",
    method: "POST",
    body: "grüße",
    status: 200,
    response: "grüße",
  },
  {
    name: "JSON content",
    path: "/svc/plugin/decoded",
    method: "POST",
    body: '{"a":[1]}',
    status: 200,
    response: { a: [1] },
  },
  { name: "no JSON content", path: "/svc/plugin/decoded", status: 200, response: null },
  {
    name: "bad JSON content",
    path: "/svc/plugin/decoded",
    method: "POST",
    body: "{",
    status: 400,
    messageLike: /content/,
  },
  {
    name: "parameters of a POST",
    path: "/svc/plugin/add?a=4&b=5",
    method: "POST",
    body: "x",
    status: 200,
    response: 9,
  },
];

const results: RequestCase[] = [
  { name: "async", path: "/svc/plugin/later?value=x", status: 200, response: "x" },
  { name: "plain text", path: "/svc/plugin/later?value=x", headers: TEXT, status: 200, text: "x" },
  { name: "plain number", path: "/svc/plugin/add?a=1", headers: TEXT, status: 200, text: "2" },
  {
    name: "plain object",
    path: "/svc/plugin/choose",
    headers: TEXT,
    status: 200,
    text: "{ mode: 'fast', n: null }",
  },
  {
    name: "PluginResponse",
    path: "/svc/plugin/hits",
    status: 200,
    response: {
      level: 0,
      levelparts: 1,
      partials: 1,
      hitcount: 2,
      aggregator: [0, 0, 0, 0],
      meta: { made: true },
      entries: [
        [1, { key: 1 }],
        [2, { key: 2 }],
      ],
    },
  },
  {
    name: "unknown plugin",
    path: "/svc/plugin/nothere",
    status: 404,
    message: parameterError("LookupError", "undefined plugin: nothere"),
  },
  {
    name: "path below a plugin",
    path: "/svc/plugin/add/a",
    status: 404,
    message: parameterError("LookupError", "undefined plugin: add/a"),
  },
  {
    name: "unknown plugin as text",
    path: "/svc/plugin/nothere",
    headers: TEXT,
    status: 404,
    text: "ERROR: undefined plugin: nothere",
  },
  { name: "escaped name", path: "/svc/plugin/%61dd?a=1", status: 200, response: 2 },
];

const failures: RequestCase[] = [
  {
    name: "exception",
    path: "/svc/plugin/fails?text=gone",
    status: 500,
    messageLike: /^\{"plugin":\{"exception":"<class 'ShopError'>","value":"gone","traceback":\[/,
  },
  {
    name: "traceback in TypeScript",
    path: "/svc/plugin/fails",
    status: 500,
    messageLike: /plugins\/faults\.ts:10:9/,
  },
  {
    name: "rejection",
    path: "/svc/plugin/rejects",
    status: 500,
    messageLike: /<class 'RangeError'>.*too far/,
  },
  {
    name: "thrown text",
    path: "/svc/plugin/throwsText",
    status: 500,
    messageLike: /"plugin".*just text/,
  },
  {
    name: "exception as text",
    path: "/svc/plugin/fails?text=gone",
    headers: TEXT,
    status: 500,
    text: /^ERROR: .*gone/,
  },
  { name: "cannot be rendered", path: "/svc/plugin/cyclic", status: 500, messageLike: /^\{"svc":/ },
  {
    name: "PluginRequest from an engine",
    path: "/svc/plugin/forwards",
    status: 500,
    message: "Preprocessor plugin only allowed in dispatcher context (PluginRequest was returned)",
  },
];

const methods: RequestCase[] = ["PUT", "PATCH", "DELETE", "HEAD"].map((method) => ({
  name: `${method} on a plugin`,
  path: "/svc/plugin/add?a=1",
  method,
  status: 405,
  ...(method !== "HEAD" && { message: "405 Method Not Allowed" }),
}));

export const requestTable: readonly RequestCase[] = [
  ...conversions,
  ...bodies,
  ...results,
  ...failures,
  ...methods,
];
