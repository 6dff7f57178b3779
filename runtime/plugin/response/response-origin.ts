// The request-related properties of a response. A dispatcher binds both before it calls a
// post-processor; in a response made by a plugin, all have the values of a request without origin.

import { RequestError } from "../../base/errors.js";
import {
  createResubmission,
  getSignature,
  type PluginRequest,
  requestFrom,
} from "../request/plugin-request.js";
import type { MatrixIdentity } from "../request/received-request.js";

/** How a dispatcher obtained a merged response. */
export interface Origin {
  readonly request: PluginRequest;
  /** The request sent to the back-ends, which may be one created by the pre-processor. */
  readonly sent: PluginRequest;
  /** Seconds from the start of the request to the last response of a back-end. */
  readonly texec: number;
  readonly resubmits: number;
}

const NO_REQUEST = requestFrom(
  {
    method: "GET",
    target: "",
    query: "",
    headerBlock: "",
    body: null,
    client: "",
    executor: 0,
    serial: 0,
    t0Ms: 0,
    basePort: 0,
    portOffset: 0,
    accept: "json",
    ident: null,
    hasMatrix: false,
  },
  {},
);

/** Binds a merged response to the request that it answers. */
export let bindOrigin: (response: ResponseOrigin, origin: Origin) => void;
/** Sets the height of the hierarchy below, and its width at the next level. */
export let setLevels: (response: ResponseOrigin, level: number, levelparts: number) => void;

/** The read-only part of a PluginResponse. */
export class ResponseOrigin {
  #request = NO_REQUEST;
  #sent = NO_REQUEST;
  #texec = 0;
  #resubmits = 0;
  #level = 0;
  #levelparts = 1;
  #local: unknown = null;

  static {
    bindOrigin = (response, origin) => {
      response.#request = origin.request;
      response.#sent = origin.sent;
      response.#texec = origin.texec;
      response.#resubmits = origin.resubmits;
      response.#local = origin.request.local;
    };
    setLevels = (response, level, levelparts) => {
      response.#level = level;
      response.#levelparts = levelparts;
    };
  }

  /** Dispatcher levels above the lowest instance that responded. */
  get level(): number {
    return this.#level;
  }

  /** Instances at the level below. */
  get levelparts(): number {
    return this.#levelparts;
  }

  /** `request.flag`, as the pre-processor set it. */
  get flag(): string | null {
    return this.#request.flag;
  }

  /** `request.local`, as the pre-processor set it. */
  get local(): unknown {
    return this.#local;
  }

  set local(local: unknown) {
    this.#local = local ?? null;
  }

  /** `request.signature` at the end of the pre-processor, null if it was not read there. */
  get signature(): string | null {
    return getSignature(this.#request);
  }

  /** Seconds until the last back-end had responded. */
  get texec(): number {
    return this.#texec;
  }

  /** How often the request was resubmitted to the back-end matrix. */
  get resubmits(): number {
    return this.#resubmits;
  }

  /** As on the request. */
  get toplevel(): boolean {
    return this.#request.toplevel;
  }

  /** As on the request. */
  get baseport(): number {
    return this.#request.baseport;
  }

  /** As on the request. */
  get port(): number {
    return this.#request.port;
  }

  /** As on the request. */
  get executor(): number {
    return this.#request.executor;
  }

  /** `GET` or `POST`. */
  get requestmethod(): "GET" | "POST" {
    return this.#request.method;
  }

  /** Path and query of the request. */
  get requestpath(): string {
    return this.#request.path;
  }

  /** As on the request. */
  get hasmatrix(): boolean {
    return this.#request.hasmatrix;
  }

  /** As on the request. */
  get ident(): MatrixIdentity {
    return this.#request.ident;
  }

  /** As on the request. */
  get width(): number {
    return this.#request.width;
  }

  /** As on the request. */
  get height(): number {
    return this.#request.height;
  }

  /** As on the request. */
  get depth(): number {
    return this.#request.depth;
  }

  /** As on the request. */
  get partition(): number {
    return this.#request.partition;
  }

  /** As on the request. */
  get replica(): number {
    return this.#request.replica;
  }

  /** As on the request. */
  get channel(): number {
    return this.#request.channel;
  }

  /** As on the request. */
  get sn(): number {
    return this.#request.sn;
  }

  /** As on the request. */
  get t0(): bigint {
    return this.#request.t0;
  }

  /**
   * Returns a copy of the request sent to the back-ends. A post-processor can change its parameters
   * and return it, to send it again.
   * @throws RequestError for a POST, and outside of a post-processor
   */
  resubmittable(): PluginRequest {
    if (this.#sent === NO_REQUEST) throw new RequestError("invalid context (no request)");
    if (this.#sent.method !== "GET") {
      throw new RequestError("resubmit not possible for POST (must be GET)");
    }
    return createResubmission(this.#sent);
  }
}
