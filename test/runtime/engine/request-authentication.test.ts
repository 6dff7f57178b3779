// Requests that need no principal: those of a warm-up, which has none.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type AuthenticationParts,
  RequestAuthentication,
} from "../../../runtime/engine/request-authentication.js";
import { UNAUTHENTICATED } from "../../../runtime/http/rejections.js";
import { fakeExchange } from "../builtin/fake-view.js";

const test = suite("request authentication");
const PATH = "/svc/plugin/x";
const FREE: AuthenticationParts = {
  ...{ handlers: null, signature: null, isEngine: true },
  scopes: undefined as never,
};

function check(parts: object, isWarmUp: boolean): unknown {
  const authentication = new RequestAuthentication({ ...FREE, ...parts });
  return authentication.check({ ...fakeExchange(PATH), isWarmUp }, 0, PATH, undefined);
}

test("skips handlers for warm-up calls", () => {
  let calls = 0;
  const handlers = {
    check: () => {
      calls++;
      return UNAUTHENTICATED;
    },
  };
  assert.is(check({ handlers }, true), null);
  assert.is(calls, 0);
  assert.is(check({ handlers }, false), UNAUTHENTICATED);
});

test("admits warm-up calls where dispatchers sign their requests", () => {
  assert.is(check({ signature: {} }, true), null);
  assert.is(check({ signature: {} }, false), UNAUTHENTICATED);
  assert.is(check({}, false), null);
});

test.run();
