import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

const inCli = (module: string): string => new URL(`../../../cli/serve/${module}.ts`, import.meta.url).href;
const TYPESCRIPT = new URL("../../support/typescript.mjs", import.meta.url).pathname;
/** Fills the heap until V8 has marked it several times. */
const FILL = `
  const kept = [];
  for (let n = 0; n < 1_500_000; n += 1) kept.push({ n });
`;

/** Kilobytes that V8's own threads mark in a process that begins so. */
function markedByThreads(begin: string): number {
  const args = [
    "--trace-concurrent-marking",
    "--import",
    TYPESCRIPT,
    "--input-type=module",
    "-e",
    begin + FILL,
  ];
  const trace = execFileSync(process.execPath, args, { encoding: "utf8" });
  return [...trace.matchAll(/concurrently marked (\d+)KB/g)].reduce((sum, [, size]) => sum + Number(size), 0);
}

/** The middle one of three runs: marking may end before a thread has begun, and the threads help where it has to end at once. */
const usual = (begin: string): number =>
  [0, 1, 2].map(() => markedByThreads(begin)).sort((one, other) => one - other)[1] ?? 0;

const serving = (processes: number, cores: number): string =>
  `(await import("${inCli("marking")}")).markOnMainThread(${processes}, ${cores});`;

it("leaves the cores to the event loops where there are no more than two for each process", () => {
  const spare = usual(serving(1, 3));
  expect(spare).toBeGreaterThan(1_000);
  const ofMany = "{ worker: { siblings: { count: 1_000_000 } } }";
  const starting = `
    const { start } = await import("${inCli("server")}");
    await start({ io: { stderr: process.stderr } }, ${ofMany}).catch(() => undefined);
  `;
  for (const scarce of [serving(1, 2), serving(4, 8), starting])
    expect(usual(scarce)).toBeLessThan(spare / 10);
});
