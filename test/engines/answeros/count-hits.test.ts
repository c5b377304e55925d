import { expect, it } from "vitest";

import { BOTS } from "../../../server/engines/answeros/data/bots.ts";
import {
  addDays,
  addPrints,
  addRecorded,
  countHits,
  groupHits,
  PATHS_MAX,
  takeFresh,
} from "../../../server/engines/answeros/rules/count-hits.ts";

const hit = (path: string, more: { status?: number; agent?: string; date?: string } = {}) => ({
  date: more.date ?? "2026-06-01",
  path,
  status: more.status ?? 200,
  user_agent: more.agent ?? "GPTBot/1.2",
  print: "",
});
const daysOf = (lines: readonly ReturnType<typeof hit>[]) => groupHits(lines, BOTS).days.map(countHits);

it("counts by day, crawler, path and status", () => {
  const lines = [
    hit("/a"),
    hit("/a"),
    hit("/a", { status: 404 }),
    hit("/b", { date: "2026-06-02" }),
    hit("/c", { agent: "Firefox" }),
  ];
  expect(groupHits(lines, BOTS).skipped).toBe(1);
  const days = daysOf(lines);
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
  const [whole] = daysOf(lines);
  const [first] = daysOf(lines.slice(0, 2));
  const [second] = daysOf(lines.slice(2));
  if (first === undefined || second === undefined) throw new Error("no days");
  expect(addDays(first, second)).toEqual(whole);
});

it(`names ${PATHS_MAX} paths of a day and counts the rest`, () => {
  const lines = Array.from({ length: PATHS_MAX + 3 }, (_, index) => hit(`/${index}`));
  const [day] = daysOf([...lines, hit("/0")]);
  expect(day).toMatchObject({ hits: PATHS_MAX + 4, paths_left_out: 3 });
  expect(day?.paths).toHaveLength(PATHS_MAX);
  expect(day?.paths[0]?.hits).toBe(2);
});

it("takes each line once, whatever the parts", () => {
  const hits = ["aaaaaa", "bbbbbb", "cccccc"].map((print) => ({ ...hit("/"), print }));
  const day = (of: typeof hits) => ({
    id: "crd_2026-06-01_GPTBot",
    date: "2026-06-01",
    bot: "GPTBot",
    hits: of,
  });
  const take = (of: typeof hits, recorded: string) => {
    const found = new Set<string>();
    addRecorded(found, new Set(of.map(({ print }) => print)), recorded);
    return takeFresh(day(of), found);
  };
  const first = take(hits.slice(0, 2), "");
  const second = take(hits, first.prints);
  expect([first.fresh.hits.length, second.fresh.hits.length]).toEqual([2, 1]);
  expect(take(hits.toReversed(), first.prints + second.prints).fresh.hits).toEqual([]);
});

it("records prints in up to ten documents, the last of which is filled first", () => {
  const prints = (count: number) => "abcdef".repeat(count);
  const changed = (documents: readonly string[], count: number) =>
    [...addPrints(documents, prints(count))].map(([at, text]) => [at, text.length / 6]);
  expect(changed([], 3)).toEqual([[0, 3]]);
  expect(changed([prints(19_999)], 20_002)).toEqual([
    [0, 20_000],
    [1, 20_000],
    [2, 1],
  ]);
  expect(changed([prints(20_000)], 1)).toEqual([[1, 1]]);
  expect(
    changed(
      Array.from({ length: 10 }, () => prints(20_000)),
      5,
    ),
  ).toEqual([]);
  expect(changed([prints(5)], 0)).toEqual([]);
});
