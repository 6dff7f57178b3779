// Simulated back-ends on all addresses of this machine. They answer each path with the recorded
// response of a real engine. They accept trunks, and do not limit connections.
//
//   node back-ends.mjs <port of the engine> <port, 0: any>

import { connect, createServer } from "node:net";

const IDENT = "XSVCIDENT";
const HELLO = "XSVCTRUNK 1\r\n";
const HEAD_END = "\r\n\r\n";
const FRAME_HEAD = 8;
const CONTENT = 1;

const [enginePort, port] = process.argv.slice(2).map(Number);
/** Responses by path. */
const responses = new Map();

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.once("data", (first) => {
    const isTrunk = first.toString("latin1", 0, HELLO.length) === HELLO;
    const feed = isTrunk ? trunkReader(socket) : streamReader((bytes) => socket.write(bytes));
    socket.on("data", feed);
    feed(isTrunk ? first.subarray(HELLO.length) : first);
  });
});
server.listen(port, "0.0.0.0", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
process.on("SIGTERM", () => process.exit());

/** Returns a function that takes the bytes of a trunk. */
function trunkReader(socket) {
  const streams = new Map();
  let rest = Buffer.alloc(0);
  let frames = [Buffer.from(HELLO)];
  const flush = () => {
    socket.write(Buffer.concat(frames));
    frames = [];
  };
  flush();
  const send = (id, bytes) => {
    if (frames.length === 0) setImmediate(flush);
    const head = Buffer.alloc(FRAME_HEAD);
    head.writeUInt32BE(id, 0);
    head.writeUInt32BE(bytes.length, 4);
    head[4] = CONTENT;
    frames.push(head, bytes);
  };
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let at = 0;
    while (rest.length >= at + FRAME_HEAD) {
      const [id, length] = [rest.readUInt32BE(at), rest.readUIntBE(at + 5, 3)];
      const end = at + FRAME_HEAD + length;
      if (rest.length < end) break;
      if (rest[at + 4] === CONTENT) {
        if (!streams.has(id))
          streams.set(
            id,
            streamReader((answer) => send(id, answer)),
          );
        streams.get(id)(rest.subarray(at + FRAME_HEAD, end));
      } else streams.delete(id);
      at = end;
    }
    rest = rest.subarray(at);
  };
}

/** Returns a function that takes the bytes of requests without bodies. */
function streamReader(answer) {
  let text = "";
  let ident = "";
  return (bytes) => {
    text += bytes.toString("latin1");
    for (;;) {
      if (text.startsWith(IDENT) && text.includes("\r\n")) {
        const end = text.indexOf("\r\n") + 2;
        ident = text.slice(0, end);
        text = text.slice(end);
      }
      const end = text.indexOf(HEAD_END);
      if (end < 0) return;
      const head = text.slice(0, end + HEAD_END.length);
      text = text.slice(head.length);
      const path = head.split(" ", 2)[1];
      const known = responses.get(path);
      if (known instanceof Buffer) answer(known);
      else void fetchOnce(path, ident + head).then(answer);
    }
  };
}

function fetchOnce(path, request) {
  const known = responses.get(path) ?? fetchResponse(request);
  responses.set(path, known);
  known.then((bytes) => responses.set(path, bytes));
  return known;
}

function fetchResponse(request) {
  return new Promise((resolve, reject) => {
    const socket = connect(enginePort, "127.0.0.1", () => socket.write(request, "latin1"));
    let bytes = Buffer.alloc(0);
    socket.on("error", reject);
    socket.on("data", (part) => {
      bytes = Buffer.concat([bytes, part]);
      const head = bytes.indexOf(HEAD_END);
      const length = /content-length: (\d+)/i.exec(bytes.toString("latin1", 0, head + 2))?.[1];
      if (head < 0 || bytes.length < head + HEAD_END.length + Number(length)) return;
      socket.destroy();
      resolve(bytes);
    });
  });
}
