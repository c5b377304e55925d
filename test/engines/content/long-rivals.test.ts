import { afterAll, beforeAll, expect, it } from "vitest";

import { keyphraseUses } from "../../../server/engines/content/repository.ts";
import { storePartition } from "../../../server/core/partitions.ts";
import { createWorld } from "../../contract/world.ts";
import type { World } from "../../contract/world.ts";
import { createHarness } from "../../harness.ts";
import type { Harness } from "../../harness.ts";
import { longestTurn, many, TURN_MS } from "../../support/longest-turn.ts";

// As many keyphrases as are compared, each like all the others.

let harness: Harness;
let world: World;
beforeAll(async () => {
  harness = await createHarness();
  world = await createWorld(harness);
}, 120_000);
afterAll(() => harness.close());

const USES = 5_000;

it("lists competing texts with pauses, page by page", async () => {
  const common = many(34, (n) => `w${n}`);
  const part = storePartition(world.key.storeId, "live");
  for (let from = 0; from < USES; from += 50) {
    await harness.services.runTx(part, async (tx) => {
      for (const at of many(50, (n) => from + n)) {
        const stems = [...common, ...many(4, (n) => `x${4 * at + n}`)];
        const id = `art_${String(at).padStart(26, "0")}`;
        const use = { id, kind: "article" as const, title: "T", url: null, is_live: true, twin_id: null };
        tx.create(keyphraseUses, { ...use, phrase: `p${at}`, stems, stem_key: `k${at}` });
      }
    });
  }
  const path = "/content/cannibalisation?limit=100";
  const read = async (cursor: string) => {
    const answer = await harness.call("GET", `/v1${path}${cursor}`, { key: world.key });
    const { data, meta } = answer.json;
    const pairs: string[] = data.map(({ members }: { members: { id: string }[] }) =>
      members.map(({ id }) => id).join(" "),
    );
    return { pairs, next: `&cursor=${meta.pagination.next_cursor}` };
  };
  const first = await read("");
  const second = await read(first.next);
  const pairs = [...first.pairs, ...second.pairs];
  expect(new Set(pairs).size).toBe(200);
  expect(pairs).toEqual(pairs.toSorted());
  expect(await longestTurn({ harness, world, path }, undefined, 200, { method: "GET" })).toBeLessThan(
    TURN_MS,
  );
}, 120_000);
