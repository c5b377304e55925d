/** A bounded number of places. `take` waits for a free one, in order of arrival. */
export interface Slots {
  /** Resolves to false, without a place, when `signal` aborts first. */
  take(signal?: AbortSignal): Promise<boolean>;
  /** Gives a taken place back. */
  release(): void;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    take(signal) {
      if (signal?.aborted === true) return Promise.resolve(false);
      if (free > 0) {
        free -= 1;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const leave = (): void => {
          waiting.splice(waiting.indexOf(enter), 1);
          resolve(false);
        };
        const enter = (): void => {
          signal?.removeEventListener("abort", leave);
          resolve(true);
        };
        waiting.push(enter);
        signal?.addEventListener("abort", leave, { once: true });
      });
    },
    release() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}
