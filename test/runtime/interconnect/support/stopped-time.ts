// Time that passes only when a test says so; no timer ends by itself.

const { setTimeout: realTimeout } = globalThis;
const { now } = performance;

export interface StoppedTime {
  pass(ms: number): void;
  /** Real time goes on. */
  end(): void;
}

export function stopTime(): StoppedTime {
  let ms = now.call(performance);
  performance.now = () => ms;
  globalThis.setTimeout = ((run: () => void) => realTimeout(run, 2 ** 30)) as typeof setTimeout;
  return {
    pass: (passed) => {
      ms += passed;
    },
    end: () => {
      performance.now = now;
      globalThis.setTimeout = realTimeout;
    },
  };
}
