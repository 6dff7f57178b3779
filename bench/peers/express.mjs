// Express in production mode.

process.env.NODE_ENV = "production";

const { default: express } = await import("express");
const { announce, answer, PATH, TYPE } = await import("./answer.mjs");

const app = express();
app.get(PATH, (request, response) => {
  const startedMs = performance.now();
  response.set("Content-Type", TYPE).send(answer(request.query.n, startedMs));
});
const server = app.listen(0, "127.0.0.1", () => announce(server.address().port));
