/** The only way the service learns the time; tests and test-mode stores pass their own. */
export interface Clock {
  /** Epoch milliseconds, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
