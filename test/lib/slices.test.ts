import { expect, it } from "vitest";

import { inSlices } from "../../server/lib/slices.ts";

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
