// Accounts: the cookie of a session identifies the caller of other plugins.

import { type Graph, HttpError, HttpResponse, type PluginRequest, type str } from "svc-server";
import { closeSession, hashPassword, isPassword, openSession } from "../src/session.js";
import type { Shop } from "../src/shop.js";

interface Credentials {
  /** @pattern ^[a-z][a-z0-9]{1,19}$ */
  name: str;
  /** @minLength 8 @maxLength 200 */
  password: str;
}

/** Stands in for the hash of an unknown user. No password is as short. */
const noUser = hashPassword("");

/** Creates an account and signs in. @plugin @graph shop @before src/session.ts#attempts */
export async function register(
  _request: PluginRequest,
  graph: Graph<Shop>,
  content: Credentials,
): Promise<HttpResponse<"application/json">> {
  const user = `@${content.name}`;
  const password = await hashPassword(content.password);
  graph.batch(() => {
    if (graph.hasVertex(user)) throw new HttpError(409, `${content.name} exists already`);
    graph.createVertex(user, { type: "user", properties: { password } });
  });
  return welcome(graph, user);
}

/** Signs in. @plugin @graph shop @before src/session.ts#attempts */
export async function signIn(
  _request: PluginRequest,
  graph: Graph<Shop>,
  content: Credentials,
): Promise<HttpResponse<"application/json">> {
  const user = `@${content.name}`;
  const stored = graph.hasVertex(user) && graph.getVertex<"user">(user).getProperty("password");
  // An unknown name takes as long as a wrong password.
  const isRight = await isPassword(content.password, stored || (await noUser));
  if (!isRight) throw new HttpError(401, "unknown name or wrong password");
  return welcome(graph, user);
}

/** Signs out. @plugin @graph shop */
export function signOut(request: PluginRequest, graph: Graph<Shop>): void {
  closeSession(request, graph);
}

function welcome(graph: Graph<Shop>, user: str): HttpResponse<"application/json"> {
  const headers = { "Set-Cookie": openSession(graph, user) };
  const body = JSON.stringify({ name: user.slice(1) });
  return new HttpResponse(body, { type: "application/json", headers });
}
