// Estimates how fast a back-end responds compared with the other replicas of its partition. Each
// latency is divided by the number of concurrent requests and by the mean of its plugin, so that
// neither load nor the mix of plugins matters. The estimate rises by a tenth of a difference and
// falls by half of it: one slow response changes little, and a back-end that has recovered gets its
// share after a few responses.
//
// A slow back-end gets few requests, so trials detect that it has recovered.

import { MAX_RETRYABLE_PLUGINS } from "../base/limits.js";

const RISE = 0.1;
const FALL = 0.5;
/** Maximum of a sample, relative to the estimate: a single pause must not make a replica slow. */
const MAX_RISE = 10;
/** Minimum number of samples for an estimate: the first responses may be slow. */
const MIN_SAMPLES = 10;
/** Added to each time, because relative differences of very short times are noise. */
const NOISE_MS = 1;
/** Smaller differences are noise: only the rules of the interface apply. */
const SLOW_RATIO = 2;
/** A trial is due after this time and this many requests to other replicas. */
const TRIAL_MS = 250;
const TRIAL_REQUESTS = 100;
/** After this time, any request can be the trial. */
const LATE_TRIAL_MS = 10_000;
const MIN_MEAN_STEP = 0.02;

interface Mean {
  ms: number;
  samples: number;
}

/** Mean latency of each plugin, per concurrent request. */
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
  /** Requests that other replicas got since the last one, because this one is slow. */
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

  /** Discards the samples after a recovery: the back-end may have restarted. */
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
   * Returns how many times longer a request takes than in the fastest replica; 1 unless it is slow.
   * @param fastest `perRequest` of that replica
   */
  factor(fastest: number): number {
    const ratio = fastest > 0 ? this.perRequest / fastest : 1;
    return ratio < SLOW_RATIO ? 1 : ratio;
  }

  /**
   * Returns whether a slow back-end should get the request as a trial; counts it otherwise.
   * @param isRetryable the request changes nothing and may be slow
   */
  isTrialDue(nowMs: number, isRetryable: boolean): boolean {
    this.#passedOver++;
    const sinceMs = nowMs - this.#lastSentMs;
    if (sinceMs >= LATE_TRIAL_MS) return true;
    return isRetryable && sinceMs >= TRIAL_MS && this.#passedOver > TRIAL_REQUESTS;
  }
}
