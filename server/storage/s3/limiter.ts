export interface Queue {
  /** Runs works one after the other, in the order in which they came. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when none is left. */
  idle(): Promise<void>;
  readonly busy: boolean;
}

export function createQueue(): Queue {
  let tail: Promise<unknown> = Promise.resolve();
  let works = 0;
  return {
    run(work) {
      works++;
      const done = tail.then(work).finally(() => works--);
      tail = done.catch(() => {});
      return done;
    },
    async idle() {
      for (let last: unknown = null; last !== tail;) await (last = tail);
    },
    get busy() {
      return works > 0;
    },
  };
}
