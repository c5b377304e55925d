import { expect, it } from "vitest";

import { BOTS } from "../../../server/engines/answeros/data/bots.ts";
import { addDays, countHits, PATHS_MAX } from "../../../server/engines/answeros/rules/count-hits.ts";

const hit = (path: string, more: { status?: number; agent?: string; date?: string } = {}) => ({
  date: more.date ?? "2026-06-01",
  path,
  status: more.status ?? 200,
  user_agent: more.agent ?? "GPTBot/1.2",
});

it("counts by day, crawler, path and status", () => {
  const lines = [
    hit("/a"),
    hit("/a"),
    hit("/a", { status: 404 }),
    hit("/b", { date: "2026-06-02" }),
    hit("/c", { agent: "Firefox" }),
  ];
  const { days, hits, skipped } = countHits(lines, BOTS);
  expect([hits, skipped]).toEqual([4, 1]);
  expect(days.map(({ id, hits: count }) => [id, count])).toEqual([
    ["crd_2026-06-01_GPTBot", 3],
    ["crd_2026-06-02_GPTBot", 1],
  ]);
  expect(days[0]).toMatchObject({
    by_status: { "200": 2, "404": 1 },
    paths: [
      { path: "/a", status: 200, hits: 2 },
      { path: "/a", status: 404, hits: 1 },
    ],
  });
});

it("adds two logs of a day as if they were one", () => {
  const lines = ["/a", "/b", "/a", "/c"].map((path) => hit(path));
  const [whole] = countHits(lines, BOTS).days;
  const [first] = countHits(lines.slice(0, 2), BOTS).days;
  const [second] = countHits(lines.slice(2), BOTS).days;
  if (first === undefined || second === undefined) throw new Error("no days");
  expect(addDays(first, second)).toEqual(whole);
});

it(`names ${PATHS_MAX} paths of a day and counts the rest`, () => {
  const lines = Array.from({ length: PATHS_MAX + 3 }, (_, index) => hit(`/${index}`));
  const [day] = countHits([...lines, hit("/0")], BOTS).days;
  expect(day).toMatchObject({ hits: PATHS_MAX + 4, paths_left_out: 3 });
  expect(day?.paths).toHaveLength(PATHS_MAX);
  expect(day?.paths[0]?.hits).toBe(2);
});
