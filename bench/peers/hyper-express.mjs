// hyper-express on uWebSockets.

import HyperExpress from "hyper-express";
import { announce, answer, PATH, TYPE } from "./answer.mjs";

const server = new HyperExpress.Server();
server.get(PATH, (request, response) => {
  const startedMs = performance.now();
  response.header("Content-Type", TYPE).send(answer(request.query_parameters.n, startedMs));
});
await server.listen(0, "127.0.0.1");
announce(server.port);
