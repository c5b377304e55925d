import { expect, it } from "vitest";

import { atWork, inSlices, inTurn, mapInSlices, noteOwner } from "../../server/lib/slices.ts";

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
      for (const end = performance.now() + 6; performance.now() < end;);
    }
  };
  await Promise.all(keys.map(work));
  isOver = true;
  return turns.filter((turn) => turn.length > 0);
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

// Work is short by the clock: on a busy machine it may be interrupted for longer than a slice.
it("does not delay short work", { retry: 3 }, async () => {
  // Waits for the rest after the work of the tests before.
  for await (const _ of inSlices([1], "one"));
  await new Promise(setImmediate);
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
      for (const end = performance.now() + 6; performance.now() < end;);
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

/** Timers that fired between pieces of 30 ms, beside so many requests. */
async function timersBetween(requests: number): Promise<number[]> {
  const between: number[] = [];
  let timers = 0;
  const timer = setInterval(() => (timers += 1), 1);
  atWork.requests += requests;
  for await (const _ of inSlices([1, 2, 3], "shop")) {
    between.push(timers);
    for (const end = performance.now() + 30; performance.now() < end;);
    timers = 0;
  }
  atWork.requests -= requests;
  clearInterval(timer);
  return between.slice(1);
}

// A request that asks the store several times needs several turns: a rest of one turn would let one long piece pass between each.
it("rests after a long piece as long as it took where another request runs", { retry: 3 }, async () => {
  expect(Math.min(...(await timersBetween(2)))).toBeGreaterThan(8);
});

it("goes on in the next turns where no other request runs", { retry: 3 }, async () => {
  expect(Math.max(...(await timersBetween(0)))).toBeLessThan(8);
  expect(Math.max(...(await timersBetween(1)))).toBeLessThan(8);
  atWork.jobs += 1;
  const beside = await timersBetween(1);
  atWork.jobs -= 1;
  expect(Math.min(...beside)).toBeGreaterThan(8);
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
    for (const end = performance.now() + 6; performance.now() < end;);
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
        for (const end = performance.now() + 6; performance.now() < end;);
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
