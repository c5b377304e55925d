/** Keeps this thread busy. */
export function compute(ms: number): void {
  const endsAtMs = performance.now() + ms;
  while (performance.now() < endsAtMs);
}
