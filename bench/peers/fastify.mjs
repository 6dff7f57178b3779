// Fastify, with a schema for its parameter.

import fastify from "fastify";
import { announce, answer, PATH, TYPE } from "./answer.mjs";

const app = fastify();
const querystring = {
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
};
app.get(PATH, { schema: { querystring } }, (request, reply) => {
  const startedMs = performance.now();
  reply.header("Content-Type", TYPE).send(answer(request.query.n, startedMs));
});
await app.listen({ port: 0, host: "127.0.0.1" });
announce(app.server.address().port);
