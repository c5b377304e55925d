/** Settings of a property run: fast-check prints the seed of a failure, and `TEST_SEED` repeats it. */
export function seeded(runs = 300): { seed: number; numRuns: number; verbose: true } {
  const given = process.env["TEST_SEED"];
  const seed = given === undefined ? Math.floor(Math.random() * 0x7fffffff) : Number(given);
  return { seed, numRuns: runs, verbose: true };
}
