// How fast a back-end responds compared with the other replicas of its partition. Each response is
// divided by the number of requests that ran beside it, and by the mean of its plugin, so that load
// and the mix of plugins do not count. The estimate rises by a tenth of a difference and falls by
// half of it: one slow response changes little, and a back-end that is well again gets its share
// within a few responses.
//
// A slow back-end gets few requests, which alone can show that it is well again: trials.

import { MAX_RETRYABLE_PLUGINS } from "../base/limits.js";

const RISE = 0.1;
const FALL = 0.5;
/** Maximum of a sample, relative to the estimate: one pause alone makes no replica slow. */
const MAX_RISE = 10;
/** Responses without which nothing is concluded: the first ones may be slow. */
const MIN_SAMPLES = 10;
/** Added to each time, because relative differences of very short times are noise. */
const NOISE_MS = 1;
/** Smaller differences are noise: then the rules of the interface alone decide. */
const SLOW_RATIO = 2;
/** A trial is due after this time, once others got this many requests. */
const TRIAL_MS = 250;
const TRIAL_REQUESTS = 100;
/** After this time a trial is due with any request. */
const LATE_TRIAL_MS = 10_000;
const MIN_MEAN_STEP = 0.02;

interface Mean {
  ms: number;
  samples: number;
}

/** Mean milliseconds of each plugin per request that runs beside it. */
export class PluginMeans {
  readonly #means = new Map<string, Mean>();

  /** Records a response and returns it relative to the mean of its plugin. */
  relate(path: string, msPerRequest: number): number {
    const ms = msPerRequest + NOISE_MS;
    const mean = this.#means.get(path);
    if (mean === undefined) {
      if (this.#means.size < MAX_RETRYABLE_PLUGINS) this.#means.set(path, { ms, samples: 1 });
      return 1;
    }
    const relative = ms / mean.ms;
    mean.samples++;
    mean.ms += Math.max(MIN_MEAN_STEP, 1 / mean.samples) * (ms - mean.ms);
    return relative;
  }
}

export class ReplicaSpeed {
  /** Relative time of a request; 0: unknown. */
  #perRequest = 0;
  #samples = 0;
  #lastSentMs = 0;
  /** Requests that it would have got if it were not slow. */
  #passedOver = 0;

  /** Relative time of a request; 0: unknown. */
  get perRequest(): number {
    return this.#samples < MIN_SAMPLES ? 0 : this.#perRequest;
  }

  /** @param relative as `PluginMeans.relate` returns it */
  observe(relative: number): void {
    const former = this.#perRequest;
    this.#samples++;
    if (former === 0) this.#perRequest = relative;
    else if (relative < former) this.#perRequest += FALL * (relative - former);
    else this.#perRequest += RISE * (Math.min(relative, MAX_RISE * former) - former);
  }

  /** Forgets what is known, such as before a restart. */
  forget(): void {
    this.#perRequest = 0;
    this.#samples = 0;
  }

  /** Records that a request was sent. */
  requestSent(nowMs: number): void {
    this.#lastSentMs = nowMs;
    this.#passedOver = 0;
  }

  /**
   * Returns how much longer a request takes than in the fastest replica; 1 unless that is clear.
   * @param fastest `perRequest` of that replica
   */
  factor(fastest: number): number {
    const ratio = fastest > 0 ? this.perRequest / fastest : 1;
    return ratio < SLOW_RATIO ? 1 : ratio;
  }

  /**
   * Returns whether a slow back-end should get the request as a trial; counts it otherwise.
   * @param isRetryable it changes nothing, and may be slow
   */
  isTrialDue(nowMs: number, isRetryable: boolean): boolean {
    this.#passedOver++;
    const sinceMs = nowMs - this.#lastSentMs;
    if (sinceMs >= LATE_TRIAL_MS) return true;
    return isRetryable && sinceMs >= TRIAL_MS && this.#passedOver > TRIAL_REQUESTS;
  }
}
