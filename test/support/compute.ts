import { afterEach, beforeEach } from "vitest";

let nowMs = 0;

/** The clock by which work is measured stands still in these tests, but for `compute`: no machine is too slow for them, or too quick. */
export function standStill(): void {
  const { now } = performance;
  beforeEach(() => {
    nowMs = Math.ceil(now.call(performance));
    performance.now = () => nowMs;
  });
  afterEach(() => {
    performance.now = now;
  });
}

/** Works for so long, by the clock that stands still. */
export function compute(ms: number): void {
  nowMs += ms;
}
