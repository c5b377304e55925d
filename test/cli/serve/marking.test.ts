import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

const MODULE = new URL("../../../cli/serve/marking.ts", import.meta.url).href;
const TYPESCRIPT = new URL("../../support/typescript.mjs", import.meta.url).pathname;
/** Fills the heap until V8 has marked it several times. */
const FILL = `
  const kept = [];
  for (let n = 0; n < 1_500_000; n += 1) kept.push({ n });
`;

/** Kilobytes that V8's own threads mark in a process that serves on so many cores with so many others. */
function markedByThreads(processes: number, cores: number): number {
  const code = `const { markOnMainThread } = await import("${MODULE}"); markOnMainThread(${processes}, ${cores}); ${FILL}`;
  const args = ["--trace-concurrent-marking", "--import", TYPESCRIPT, "--input-type=module", "-e", code];
  const trace = execFileSync(process.execPath, args, { encoding: "utf8" });
  return [...trace.matchAll(/concurrently marked (\d+)KB/g)].reduce((sum, [, size]) => sum + Number(size), 0);
}

/** The middle one of three runs: marking may end before a thread has begun, and the threads help where it has to end at once. */
const usual = (processes: number, cores: number): number =>
  [0, 1, 2].map(() => markedByThreads(processes, cores)).sort((one, other) => one - other)[1] ?? 0;

it("leaves the cores to the event loops where there are no more than two for each process", () => {
  const spare = usual(1, 3);
  expect(spare).toBeGreaterThan(1_000);
  for (const scarce of [usual(1, 2), usual(4, 8)]) expect(scarce).toBeLessThan(spare / 10);
});
