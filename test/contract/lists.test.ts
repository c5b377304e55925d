import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { createWorld, isPaged, keyEndpoints, pathOf, queryOf, titleOf } from "./world.ts";
import type { World } from "./world.ts";

let harness: Harness;
let world: World;
beforeAll(async () => {
  harness = await createHarness();
  world = await createWorld(harness);
});
afterAll(() => harness.close());

const lists = keyEndpoints.filter(isPaged);
const table = lists.map((endpoint) => [titleOf(endpoint), endpoint] as const);
type Target = (typeof lists)[number];

function get(endpoint: Target, more: Record<string, string>, key = world.key) {
  const query = new URLSearchParams(queryOf(endpoint, world));
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  const { method, example } = endpoint.route;
  const body = example.body === undefined ? {} : { body: example.body };
  return harness.call(method, `${pathOf(endpoint, world)}?${query.toString()}`, { key, ...body });
}

describe("lists", () => {
  it("has lists to look at", () => expect(lists.length).toBeGreaterThan(9));

  it.each(table)("422 for a limit out of bounds: %s", async (_, endpoint) => {
    for (const limit of ["0", "-1", "101", "1.5", "many", "1e99", "NaN", ""]) {
      const answer = await get(endpoint, { limit });
      expect([limit, answer.status]).toEqual([limit, 422]);
      expect(answer.json.error.errors[0].parameter).toBe("limit");
    }
  });

  it.each(table)("the bounds themselves are fine, and 25 is the default: %s", async (_, endpoint) => {
    for (const limit of ["1", "100"]) {
      const answer = await get(endpoint, { limit });
      expect([limit, answer.status]).toEqual([limit, 200]);
      expect(answer.json.meta.pagination.limit).toBe(Number(limit));
    }
    const plain = await harness.call("GET", pathOf(endpoint, world), { key: world.key });
    if (plain.status === 200) expect(plain.json.meta.pagination.limit).toBe(25);
  });

  it.each(table)(
    "pages of one are the whole list, each with Link until the last: %s",
    async (_, endpoint) => {
      const whole = await get(endpoint, { limit: "100" });
      expect(whole.json.meta.pagination).toEqual({ limit: 100, has_more: false, next_cursor: null });
      expect(whole.headers.get("link")).toBeNull();
      const seen: unknown[] = [];
      let answer = await get(endpoint, { limit: "1" });
      for (let pages = 0; pages <= whole.json.data.length; pages += 1) {
        expect(answer.status).toBe(200);
        seen.push(...answer.json.data);
        const { has_more: hasMore, next_cursor: cursor } = answer.json.meta.pagination;
        const link = answer.headers.get("link");
        expect(hasMore).toBe(cursor !== null);
        if (cursor === null) {
          expect(link).toBeNull();
          break;
        }
        const url = new URL(/^<([^>]+)>; rel="next"$/.exec(link ?? "")?.[1] ?? "");
        expect(url.searchParams.get("cursor")).toBe(cursor);
        expect(url.searchParams.get("limit")).toBe("1");
        expect(url.pathname).toBe(pathOf(endpoint, world));
        answer = await get(endpoint, Object.fromEntries(url.searchParams));
      }
      expect(seen).toEqual(whole.json.data);
    },
  );

  it("walks more than one page", () => {
    const longer = lists.filter(({ path }) => (world.lists.get(path) ?? []).length > 1);
    expect(longer.length).toBeGreaterThan(9);
  });

  it.each(table)("422 for a cursor that is damaged, or of another list or store: %s", async (_, endpoint) => {
    const first = await get(endpoint, { limit: "1" });
    const cursor: string | null = first.json.meta.pagination.next_cursor;
    const wrong = ["x", "", "a".repeat(513), "é", "' OR 1=1"];
    if (cursor !== null) {
      wrong.push(
        cursor.slice(0, -1),
        `${cursor}A`,
        `${cursor.startsWith("A") ? "B" : "A"}${cursor.slice(1)}`,
      );
    }
    for (const damaged of wrong) {
      const answer = await get(endpoint, { cursor: damaged });
      expect([damaged, answer.status]).toEqual([damaged, 422]);
      expect(answer.json.error.errors[0].parameter).toBe("cursor");
    }
    if (cursor === null) return;
    const stranger = await harness.key();
    const foreign = await get(endpoint, { cursor }, stranger);
    // What the list belongs to may be refused first.
    expect(endpoint.route.path.includes("/:") ? [404, 422] : [422]).toContain(foreign.status);
    const other = lists.find((candidate) => candidate.route.id !== endpoint.route.id);
    if (other !== undefined) expect((await get(other, { cursor })).status).toBe(422);
  });
});
