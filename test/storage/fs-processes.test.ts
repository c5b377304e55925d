import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openFsDriver } from "../../server/storage/fs.ts";
import { acquireFileLock } from "../../server/storage/fs/lock.ts";
import { compileScript } from "../support/compile.ts";
import type { Compiled } from "../support/compile.ts";
import { createTestClock } from "./conformance.ts";
import { makeFolder } from "./folders.ts";
import { createLedger, findFault } from "./journal.ts";
import type { Ledger } from "./journal.ts";
import { startChild } from "./processes.ts";
import type { Child } from "./processes.ts";
import { createRandom } from "./random.ts";

// Real processes on a real folder. STORAGE_KILLS=300 kills more often.
const KILLS = Number(process.env["STORAGE_KILLS"] ?? 25);

let compiled: Compiled;
beforeAll(async () => {
  compiled = await compileScript("test/storage/child");
}, 60_000);
afterAll(() => compiled.remove());

describe("fs: six processes open one folder at once", () => {
  /** Returns, for each round, how many won, after checking what the others were told. */
  async function contend(rounds: number, lock: string, env?: NodeJS.ProcessEnv): Promise<number[]> {
    const folder = await makeFolder();
    const winners: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const children = Array.from({ length: 6 }, () =>
        startChild(compiled.script, ["contend", join(folder.path, "store"), lock], env),
      );
      const answers = await Promise.all(children.map(({ first }) => first));
      const winner = children[answers.indexOf("WON")];
      winners.push(answers.filter((answer) => answer === "WON").length);
      for (const answer of answers) {
        if (answer !== "WON" && lock !== "none")
          expect(answer).toMatch(new RegExp(`^LOCKED .* is in use by process ${winner?.process.pid}$`));
      }
      // Every other round, the winner is killed instead of ended: its lock must go with it.
      for (const { process } of children) if (round % 2 === 0) process.kill("SIGKILL");
      for (const { process } of children) process.stdin?.end();
      await Promise.all(children.map(({ ended }) => ended));
    }
    await folder.remove();
    return winners;
  }

  it("and exactly one gets it, the others are told by whom it is held", { timeout: 60_000 }, async () => {
    expect(await contend(5, "kernel")).toEqual([1, 1, 1, 1, 1]);
  });

  it("also with the lock by file", { timeout: 60_000 }, async () => {
    expect(await contend(5, "file")).toEqual([1, 1, 1, 1, 1]);
  });

  it("also where there is no flock command", { timeout: 60_000 }, async () => {
    expect(await contend(2, "", { ...process.env, PATH: "" })).toEqual([1, 1]);
  });

  it("negative control: without a lock, several get it", { timeout: 60_000 }, async () => {
    expect((await contend(1, "none"))[0]).toBeGreaterThan(1);
  });
});

describe("fs: the lock by file", () => {
  it("takes over from a holder that is gone, or has been silent for long, and from no other", async () => {
    const folder = await makeFolder();
    const path = join(folder.path, "LOCK.pid");
    const take = () => acquireFileLock(folder.path, () => {});
    const old = new Date(Date.now() - 60_000);
    await mkdir(folder.path, { recursive: true });

    // No process has this number: the system gives none above 4,194,304.
    await writeFile(path, `99999999 ${hostname()}\n`);
    await (
      await take()
    )();
    await writeFile(path, "1 another-host\n");
    await expect(take()).rejects.toMatchObject({ code: "LOCKED" });
    await utimes(path, old, old);
    const release = await take();
    expect(await readFile(path, "utf8")).toBe(`${process.pid} ${hostname()}\n`);
    await expect(take()).rejects.toMatchObject({ code: "LOCKED" });
    await release();
    await folder.remove();
  });

  it("stops the writing of a holder that has lost it", async () => {
    const folder = await makeFolder();
    let lose: (error: Error) => void = () => {};
    const lock = async (_: string, onLost: (error: Error) => void) => {
      lose = onLost;
      return async () => {};
    };
    const driver = await openFsDriver({ base: folder.path, clock: createTestClock(), lock });
    await driver.commit("p", [{ put: "p:c:a", value: "1" }]);
    lose(new Error("taken by another process"));
    await expect(driver.commit("p", [{ put: "p:c:b", value: "1" }])).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
    expect(await driver.get("p:c:a")).not.toBeNull();
    await driver.close();
    await folder.remove();
  });
});

/** A fault of the data, not of the test: a writer that would not start is none. */
const DAMAGE = /was acknowledged|journal differ|unreadable|is truncated|is missing/;

describe("fs: kill -9 while writing and rewriting", () => {
  interface Outcome {
    readonly faults: string[];
    readonly acknowledged: number;
    readonly segments: Set<number>;
  }

  /** Starts a writer on one folder, kills it at a random moment, checks, and again. */
  async function killOften(kills: number, disk: string, seed: number): Promise<Outcome> {
    const folder = await makeFolder();
    const random = createRandom(seed);
    const ledger = createLedger();
    const faults: string[] = [];
    const segments = new Set<number>();
    for (let kill = 0; kill < kills; kill++) {
      const child = startChild(compiled.script, ["write", folder.path, disk, String(seed + kill)]);
      if ((await child.first) !== "READY") {
        faults.push(`kill ${kill}: the writer did not start`);
        break;
      }
      await setTimeout(20 + random.int(100));
      child.process.kill("SIGKILL");
      await child.ended;
      note(child, ledger);
      try {
        const driver = await openFsDriver({
          base: folder.path,
          clock: createTestClock(),
          segmentBytes: 40_000,
        });
        segments.add((await driver.stats())["segments"] ?? 0);
        const fault = await findFault(driver, ledger);
        if (fault !== null) faults.push(`kill ${kill}: ${fault}`);
        await driver.close();
      } catch (error) {
        faults.push(`kill ${kill}: ${String(error)}`);
      }
      if (faults.length > 0) break;
    }
    await folder.remove();
    return { faults, acknowledged: ledger.acknowledged.size, segments };
  }

  function note(child: Child, ledger: Ledger): void {
    for (const line of child.lines.slice(1)) {
      const [id = "", version] = line.split(" ");
      ledger.acknowledged.set(id, Number(version));
    }
  }

  it(`loses and tears nothing in ${KILLS} kills`, { timeout: 60_000 + KILLS * 2000 }, async () => {
    const { faults, acknowledged, segments } = await killOften(KILLS, "real", 1);
    expect(faults).toEqual([]);
    expect(acknowledged).toBeGreaterThan(KILLS * 10);
    expect(segments.size).toBeGreaterThan(1);
  });

  it("negative control: writes that come after their answer are lost", { timeout: 60_000 }, async () => {
    const { faults } = await killOften(10, "late", 1000);
    expect(faults).toEqual([expect.stringMatching(DAMAGE)]);
  });

  it("negative control: a rewrite in place is caught half done", { timeout: 120_000 }, async () => {
    const { faults } = await killOften(40, "inplace", 2000);
    expect(faults).toEqual([expect.stringMatching(DAMAGE)]);
  });
});
