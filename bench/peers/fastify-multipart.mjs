// Fastify with its plugin for forms, which saves files in the folder for temporary files.

import multipart from "@fastify/multipart";
import Fastify from "fastify";

const app = Fastify();
app.register(multipart, { limits: { fileSize: 1e9 } });
app.post("/svc/plugin/upload", async (request) => {
  const files = await request.saveRequestFiles();
  return { response: files.length };
});
await app.listen({ port: 0, host: "127.0.0.1" });
console.log(`http://127.0.0.1:${app.server.address().port}/`);
