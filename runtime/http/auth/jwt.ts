// Authentication by JSON Web Tokens of an identity provider. A signature is verified once: the
// principal stays valid for the token until it expires, so most requests verify nothing. Every
// token that fails verification is a 401; only missing keys are a 503.

import { SvcError } from "../../base/errors.js";
import { log } from "../../base/log.js";
import type { Principal } from "../../plugin/request/principal.js";
import { isHttpError } from "../../plugin/response/http-error.js";
import type { AuthHandler } from "./auth-handler.js";
import { KeySet } from "./key-set.js";
import { type Jose, loadJose } from "./load-jose.js";
import type { RequestHead } from "./request-head.js";
import { TokenCache } from "./token-cache.js";

/** Asymmetric algorithms. All others use shared secrets, which a key set must not contain. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
const DEFAULT_CLOCK_SKEW_SECONDS = 30;
const MAX_CLOCK_SKEW_SECONDS = 300;
/** Bounds how long tokens of a key that the issuer removed stay valid. */
const MAX_CACHED_MS = 10 * 60_000;
/** Header, payload and signature; other credentials are left to other handlers. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The verified claims of a token. */
export type JwtClaims = Readonly<Record<string, unknown>>;

export interface JwtOptions {
  /** Accepted values of the claim `iss`. */
  readonly issuer: string | readonly string[];
  /** Accepted values of the claim `aud`. */
  readonly audience: string | readonly string[];
  /** URL of the issuer's JSON Web Key Set. */
  readonly jwks: string;
  /** Accepted signatures. Default: RS, PS and ES with SHA-2, and EdDSA. */
  readonly algorithms?: readonly string[];
  /** Tolerance for `exp` and `nbf`, 0 to 300. Default: 30. */
  readonly clockSkewSeconds?: number;
  /**
   * Returns the principal for verified claims, or null to reject the token. Default: the claims,
   * with the permissions of `scope` or `scp` as `scopes`.
   */
  readonly principal?: (claims: JwtClaims) => Principal | null;
}

/**
 * Returns a handler that verifies bearer tokens with the keys of an issuer. Requires the package
 * `jose`.
 * @throws SvcError SVC2210 for invalid options
 */
export function jwt(options: JwtOptions): AuthHandler {
  checkOptions(options);
  const { principal = toPrincipal } = options;
  const tokens = new TokenCache();
  let verify: Verify | null = null;
  const open = async (projectDir: string): Promise<void> => {
    const jose = await loadJose(projectDir);
    const keys = new KeySet(options.jwks, jose.createLocalJWKSet);
    // Not awaited, so that a server can start while its issuer is down.
    void keys.fetch();
    verify = createVerifier(jose, keys, options);
  };
  const admit = async (token: string): Promise<Principal | null> => {
    if (verify === null) throw new Error("`open` of this handler was not called");
    const claims = await verify(token);
    const admitted = claims && principal(claims);
    if (claims === null || admitted === null) return null;
    tokens.add(token, Object.freeze(admitted), cacheLimit(claims, options));
    return admitted;
  };
  const authenticate = (head: RequestHead): Principal | null | Promise<Principal | null> => {
    const cached = tokens.find(head);
    if (cached !== null) return cached;
    const { token } = head;
    return token === null || !COMPACT.test(token) ? null : admit(token);
  };
  return Object.assign(authenticate, { open });
}

type Verify = (token: string) => Promise<JwtClaims | null>;

/** Returns a function that returns the claims of a valid token, null for any other. */
function createVerifier({ jwtVerify }: Jose, keys: KeySet, options: JwtOptions): Verify {
  const { issuer, audience, algorithms = ALGORITHMS } = options;
  const rules = {
    issuer: toList(issuer),
    audience: toList(audience),
    algorithms: [...algorithms],
    clockTolerance: clockSkew(options),
    requiredClaims: ["exp"],
  };
  return async (token) => {
    try {
      return (await jwtVerify(token, keys.find, rules)).payload;
    } catch (error) {
      if (isHttpError(error)) throw error;
      log(`authentication: token refused: ${describeRefusal(error)}`, "debug");
      return null;
    }
  };
}

/** Returns a code of `jose`, and the name of the claim at fault; messages may quote a token. */
function describeRefusal(error: unknown): string {
  const { name, code = name, claim } = error as Error & { code?: string; claim?: string };
  return claim === undefined ? `${code}` : `${code} (${claim})`;
}

function clockSkew({ clockSkewSeconds = DEFAULT_CLOCK_SKEW_SECONDS }: JwtOptions): number {
  return clockSkewSeconds;
}

/** Returns when a token must be verified again, in milliseconds since 1970. */
function cacheLimit({ exp }: JwtClaims, options: JwtOptions): number {
  const expiresMs = ((exp as number) + clockSkew(options)) * 1000;
  return Math.min(expiresMs, Date.now() + MAX_CACHED_MS);
}

function toPrincipal(claims: JwtClaims): Principal {
  const { scope, scp } = claims;
  return { ...claims, scopes: toScopes(scope ?? scp) };
}

/** Issuers write permissions as a list, or separated by spaces. */
function toScopes(value: unknown): string[] {
  const scopes: unknown[] = typeof value === "string" ? value.split(" ") : toList(value ?? []);
  return scopes.filter((scope): scope is string => typeof scope === "string" && scope !== "");
}

function toList<T>(value: T | readonly T[]): T[] {
  return Array.isArray(value) ? [...value] : [value as T];
}

/** An environment variable may be missing, and without an issuer every token would pass. */
function checkOptions(options: JwtOptions): void {
  const { issuer, audience, jwks, algorithms = ALGORITHMS } = options;
  for (const [name, value] of Object.entries({ issuer, audience })) {
    const texts: unknown[] = toList(value);
    if (texts.length === 0 || texts.some((text) => typeof text !== "string" || text === "")) {
      throw invalid(name, "a non-empty string, or a list of them");
    }
  }
  if (!URL.canParse(jwks) || !/^https?:$/.test(new URL(jwks).protocol)) {
    throw invalid("jwks", "a URL with https or http");
  }
  if (algorithms.length === 0 || algorithms.some((name) => !ALGORITHMS.includes(name))) {
    throw invalid("algorithms", `a list of ${ALGORITHMS.join(", ")}`);
  }
  const skew = clockSkew(options);
  if (!(skew >= 0 && skew <= MAX_CLOCK_SKEW_SECONDS)) {
    throw invalid("clockSkewSeconds", `a number from 0 to ${MAX_CLOCK_SKEW_SECONDS}`);
  }
}

function invalid(option: string, expected: string): SvcError {
  return new SvcError("SVC2210", `jwt: option \`${option}\`: expected ${expected}`);
}
