// Authentication in an OpenAPI document: the security schemes of the service, and what each
// operation requires.

import type { SecurityScheme } from "../../runtime/base/security-scheme.js";
import type { AccessSpec, ArgspecService } from "../argspec.js";
import type { Operation } from "../operations.js";

/** Security scheme of authentication handlers, unless the project declares its own. */
const BEARER: Readonly<Record<string, SecurityScheme>> = {
  bearer: { type: "http", scheme: "bearer" },
};

export type Schemes = Readonly<Record<string, SecurityScheme>>;

/** Statuses of unauthenticated or unauthorized requests for an operation. */
export interface AccessStatuses {
  readonly isAuthenticated: boolean;
  /** Empty unless scopes are required. */
  readonly scopes: readonly string[];
}

/** Any one of the schemes suffices; without a scheme, all clients may call. */
export function securitySchemes({ security, authenticated }: ArgspecService): Schemes {
  return security ?? (authenticated === true ? BEARER : {});
}

/** Returns the requirement of all operations without their own. */
export function securityRequirement(schemes: Schemes, scopes: readonly string[] = []): object[] {
  return Object.keys(schemes).map((name) => ({ [name]: scopes }));
}

/** Returns the member `security` of an operation, or nothing. */
export function operationSecurity({ access }: Operation, service: ArgspecService): object {
  if (service.authenticated !== true || access === undefined) return {};
  if (isPublic(access)) return { security: [] };
  return { security: securityRequirement(securitySchemes(service), access.scopes) };
}

export function accessStatuses({ access }: Operation, service: ArgspecService): AccessStatuses {
  if (service.authenticated !== true) return { isAuthenticated: false, scopes: [] };
  if (access === undefined) return { isAuthenticated: true, scopes: [] };
  if (isPublic(access)) return { isAuthenticated: false, scopes: [] };
  return { isAuthenticated: true, scopes: access.scopes };
}

function isPublic(access: AccessSpec): access is { readonly public: true } {
  return "public" in access;
}
