// A bare uWebSockets handler: reads no header fields.

import uws from "uWebSockets.js";
import { announce, answer, PATH, TYPE } from "./answer.mjs";

uws
  .App()
  .get(PATH, (response, request) => {
    const startedMs = performance.now();
    const body = answer(request.getQuery("n"), startedMs);
    response.cork(() => response.writeHeader("Content-Type", TYPE).end(body));
  })
  .listen("127.0.0.1", 0, (socket) => announce(uws.us_socket_local_port(socket)));
