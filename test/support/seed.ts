import * as fc from "fast-check";

/*
 * Property tests generate the same cases in every run, so that a failure belongs to the change under test.
 * `PLATFORM_TEST_SEED=random npm test` looks for new ones, and a number repeats a run.
 */
const wanted = process.env["PLATFORM_TEST_SEED"] ?? "20261122";
fc.configureGlobal({ seed: wanted === "random" ? Date.now() % 2 ** 31 : Number(wanted) });
