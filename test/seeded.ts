const wanted = process.env["TEST_SEED"] ?? "20261122";

/**
 * Property tests generate the same cases in every run, so that a failure belongs to the change under test.
 * `TEST_SEED=random npm test` looks for new ones; fast-check prints the seed of a failure, and `TEST_SEED=<seed>` repeats it.
 */
export const testSeed = (): number =>
  wanted === "random" ? Math.floor(Math.random() * 0x7fffffff) : Number(wanted);

/** Settings of a property run. */
export const seeded = (runs = 300): { seed: number; numRuns: number; verbose: true } => ({
  seed: testSeed(),
  numRuns: runs,
  verbose: true,
});
