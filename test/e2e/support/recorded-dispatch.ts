// Bytes that a dispatcher and a back-end of a release have sent to each other, kept in
// test/fixtures/dispatch: a health check, and a query on a trunk.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { FRAME, FrameReader, TRUNK_LINE } from "../../../runtime/trunk/frames.js";

const FOLDER = fileURLToPath(new URL("../../fixtures/dispatch/", import.meta.url));

/** Bytes that each end of a connection has sent, in base64. */
interface Recorded {
  readonly dispatcher: string;
  readonly backEnd: string;
}

export interface RecordedDispatch {
  /** File name of the release. */
  readonly name: string;
  readonly probe: Recorded;
  readonly query: Recorded;
}

export function recordedDispatches(): RecordedDispatch[] {
  return readdirSync(FOLDER).map((name) => {
    const content = gunzipSync(readFileSync(`${FOLDER}${name}`)).toString();
    return { ...JSON.parse(content), name };
  });
}

/**
 * Records what passes between a back-end and the dispatcher that `run` starts.
 * @param port of the back-end
 */
export async function recordDispatch(
  release: string,
  port: number,
  run: (port: number) => Promise<void>,
): Promise<void> {
  const connections: { dispatcher: Buffer[]; backEnd: Buffer[] }[] = [];
  const server = createServer((nearSocket) => {
    const farSocket = connect(port, "127.0.0.1");
    const sent = { dispatcher: [] as Buffer[], backEnd: [] as Buffer[] };
    connections.push(sent);
    nearSocket.on("data", (bytes: Buffer) => sent.dispatcher.push(bytes)).pipe(farSocket);
    farSocket.on("data", (bytes: Buffer) => sent.backEnd.push(bytes)).pipe(nearSocket);
    for (const socket of [nearSocket, farSocket]) socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await run((server.address() as AddressInfo).port);
  server.close();
  const recordedAt = (begin: string): Recorded => {
    const { dispatcher, backEnd } = connections.find((connection) =>
      connection.dispatcher.join("").startsWith(begin),
    )!;
    const text = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString("base64");
    return { dispatcher: text(dispatcher), backEnd: text(backEnd) };
  };
  const content = { probe: recordedAt("GET /svc/hc "), query: recordedAt(TRUNK_LINE) };
  mkdirSync(FOLDER, { recursive: true });
  const bytes = gzipSync(JSON.stringify(content), { level: 9 });
  writeFileSync(`${FOLDER}${release}.json.gz`, bytes);
}

/** Returns the body of the response in a trunk; null until it is complete. */
export function bodyInTrunk(bytes: Buffer): Buffer | null {
  const pieces: Buffer[] = [];
  const data = (_: number, content: Buffer): boolean => pieces.push(Buffer.from(content)) > 0;
  const reader = new FrameReader({ data, onEnd: (_, type) => type !== FRAME.refuse });
  if (!reader.feed(bytes.subarray(TRUNK_LINE.length))) throw new Error("invalid frames");
  const content = Buffer.concat(pieces);
  const start = content.indexOf("\r\n\r\n") + 4;
  const length = Number(/^content-length: (\d+)\r$/im.exec(content.toString("latin1"))?.[1]);
  const isWhole = start >= 4 && content.length >= start + length;
  return isWhole ? content.subarray(start, start + length) : null;
}
