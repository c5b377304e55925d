import { expect, it, vi } from "vitest";

import { atWork, inSlices, inTurn, mapInSlices, noteOwner } from "../../server/lib/slices.ts";
import { compute, standStill } from "../support/compute.ts";

standStill();

/** Runs pieces of long work side by side; resolves to who went on in each turn of the event loop. */
async function run(keys: readonly string[]): Promise<string[][]> {
  const turns: string[][] = [[]];
  let isOver = false;
  const count = (): void => {
    turns.push([]);
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const work = async (key: string): Promise<void> => {
    // As requests do, each starts in a callback of its own.
    await new Promise(setImmediate);
    for await (const until of inSlices(Array.from({ length: 6 }), key)) {
      expect(until).toBeUndefined();
      turns.at(-1)?.push(key);
      // Longer than a slice may take.
      compute(6);
    }
  };
  await Promise.all(keys.map(work));
  isOver = true;
  return turns.filter((turn) => turn.length > 0);
}

/** Waits for the rest after the work of the tests before. */
async function afterOthers(): Promise<void> {
  for await (const _ of inSlices([1], "one"));
  await new Promise(setImmediate);
}

it("lets one piece of long work go on in a turn of the event loop, however many there are", async () => {
  const turns = await run(Array.from({ length: 8 }, () => "shop"));
  expect(turns).toHaveLength(48);
});

it("gives each key its turns, whatever work another one has", async () => {
  const turns = (await run([...Array.from({ length: 12 }, () => "hostile"), "honest"])).flat();
  expect(turns.lastIndexOf("honest")).toBeLessThan(13);
  expect(turns.filter((key) => key === "honest")).toHaveLength(6);
});

it("gives the keys of one customer the turns of one", async () => {
  const keys = ["customer", "live", "test", "other"];
  for (const key of keys) noteOwner(key, "customer");
  const turns = (await run([...keys.flatMap((key) => [key, key, key]), "honest"])).flat();
  // With the turns of four, its last one was the 30th.
  expect(turns.lastIndexOf("honest")).toBeLessThan(14);
});

it("does not delay short work", async () => {
  await afterOthers();
  let isLater = false;
  setImmediate(() => (isLater = true));
  const items: number[] = [];
  await Promise.all(
    ["one", "other"].map(async (key) => {
      for await (const item of inSlices([1, 2, 3], key)) items.push(item);
    }),
  );
  expect([items.length, isLater]).toEqual([6, false]);
});

it("starts short work that waited for long work together, in one turn of the event loop", async () => {
  const long = (async () => {
    for await (const _ of inSlices([1, 2], "long")) {
      compute(6);
    }
  })();
  let turn = 0;
  const count = (): void => {
    turn += 1;
    setImmediate(count).unref();
  };
  count();
  const turns = await Promise.all(
    Array.from({ length: 50 }, async () => {
      for await (const _ of inSlices([1], "short"));
      return turn;
    }),
  );
  await long;
  // The long work has turns between them: half of a slice each at most.
  expect(new Set(turns).size).toBeLessThanOrEqual(2);
});

/** The rests between pieces of 30 ms, in milliseconds, while so many requests are at work. */
async function restsBetween(requests: number): Promise<unknown[]> {
  await afterOthers();
  const timer = vi.spyOn(globalThis, "setTimeout");
  atWork.requests += requests;
  for await (const _ of inSlices([1, 2, 3], "shop")) compute(30);
  atWork.requests -= requests;
  const rests = timer.mock.calls.map(([, ms]) => ms);
  timer.mockRestore();
  return rests;
}

// A request that asks the store several times needs several turns: a rest of one turn would let one long piece pass between each.
it("rests after a long piece as long as it took where another request runs", async () => {
  expect(await restsBetween(2)).toEqual([27, 27]);
});

it("goes on in the next turns where no other request runs", async () => {
  expect(await restsBetween(0)).toEqual([]);
  expect(await restsBetween(1)).toEqual([]);
  atWork.jobs += 1;
  const rests = await restsBetween(1);
  atWork.jobs -= 1;
  expect(rests).toEqual([27, 27]);
});

it("maps items in their order, with turns of the event loop for others", async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const squares = await mapInSlices([1, 2, 3, 4], "shop", (item) => {
    compute(6);
    return item * item;
  });
  isOver = true;
  expect(squares).toEqual([1, 4, 9, 16]);
  expect(turns).toBeGreaterThanOrEqual(3);
});

it("runs one piece of long work in a turn of the event loop", async () => {
  const turns: number[][] = [[]];
  let isOver = false;
  const count = (): void => {
    turns.push([]);
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const results = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      inTurn("shop", () => {
        turns.at(-1)?.push(index);
        compute(6);
        return index * index;
      }),
    ),
  );
  isOver = true;
  expect(results).toEqual([0, 1, 4, 9, 16, 25]);
  expect(turns.filter((turn) => turn.length > 0).map((turn) => turn.length)).toEqual([1, 1, 1, 1, 1, 1]);
});

it("passes on what a piece of long work throws, and goes on with the next", async () => {
  const failing = inTurn("shop", () => {
    throw new Error("refused");
  });
  await expect(failing).rejects.toThrow("refused");
  await expect(inTurn("shop", () => 1)).resolves.toBe(1);
});
