import { expect, it } from "vitest";

import { createSlowRoutes } from "../../server/http/slow-routes.ts";

const HOUR_MS = 3_600_000;
const WATCHED_MS = 600_000;
const kindOf = (customerId: string, routeId = "reviews.list") => ({ customerId, routeId });

it("remembers what was slow, and for an hour what computed for long itself", () => {
  const slow = createSlowRoutes();
  const one = kindOf("cus_1");
  const at = (nowMs: number) => [slow.isWatched(one, nowMs), slow.isHeavy(one, nowMs)];
  slow.noteTime(one, 249, 0);
  expect(at(0)).toEqual([false, false]);
  slow.noteTime(one, 250, 0);
  expect([at(0), at(WATCHED_MS - 1), at(WATCHED_MS)]).toEqual([
    [true, false],
    [true, false],
    [false, false],
  ]);
  expect(slow.isWatched(kindOf("cus_2"), 0) || slow.isWatched(kindOf("cus_1", "reviews.create"), 0)).toBe(
    false,
  );
  slow.noteWork(one, 49, 1_000, true);
  expect(at(1_000)).toEqual([true, false]);
  slow.noteWork(one, 50, 1_000, true);
  expect(at(1_000)).toEqual([true, true]);
  // Quick ones in between change nothing: who alternates them would never be charged.
  slow.noteTime(one, 1, 2_000);
  slow.noteWork(one, 1, 2_000, true);
  expect([at(2_000), at(999 + HOUR_MS), at(1_000 + HOUR_MS)]).toEqual([
    [true, true],
    [true, true],
    [false, false],
  ]);
  // What is slow for another reason stays watched, and is heavy no longer than it was measured to be.
  slow.noteTime(one, 300, HOUR_MS);
  expect(at(1_000 + HOUR_MS)).toEqual([true, false]);
});

it("watches no longer what was quick a thousand times, as where other work had kept it waiting", () => {
  const slow = createSlowRoutes();
  const one = kindOf("cus_1");
  const run = (times: number, ms: number): void => {
    for (let n = 0; n < times; n += 1) slow.noteWork(one, ms, 1_000, true);
  };
  slow.noteTime(one, 300, 0);
  run(999, 19);
  // Neither those that are not quick count, nor does one more that is slow start it again.
  run(1, 20);
  slow.noteTime(one, 300, 1_000);
  expect(slow.isWatched(one, 1_000)).toBe(true);
  run(1, 19);
  expect(slow.isWatched(one, 1_000)).toBe(false);
  slow.noteTime(one, 300, 1_000);
  run(999, 1);
  // Those of a time that has ended do not count in the next.
  slow.noteTime(one, 300, 1_000 + WATCHED_MS);
  run(1, 1);
  expect(slow.isWatched(one, 1_000 + WATCHED_MS)).toBe(true);
  run(1, 50);
  run(2_000, 1);
  expect([slow.isWatched(one, 1_000), slow.isHeavy(one, HOUR_MS)]).toEqual([true, true]);
});

it("forgets what was slow first where there is too much", () => {
  const slow = createSlowRoutes();
  for (let n = 0; n < 10_000; n += 1) slow.noteTime(kindOf(`cus_${n}`), 300, 0);
  slow.noteTime(kindOf("cus_0"), 300, 0);
  slow.noteTime(kindOf("cus_new"), 300, 0);
  const watched = ["cus_0", "cus_1", "cus_2", "cus_new"].map((id) => slow.isWatched(kindOf(id), 0));
  expect(watched).toEqual([true, false, true, true]);
});

it("adds up what is not quick of all routes of a customer in a minute", () => {
  const slow = createSlowRoutes();
  const [first, second, other] = [kindOf("cus_1"), kindOf("cus_1", "carts.list"), kindOf("cus_2")];
  for (let n = 0; n < 21; n += 1) {
    slow.noteTime(first, 46, n * 1_000);
    slow.noteWork(first, 46, n * 1_000, true);
  }
  const at = (kind: typeof first) => [slow.isWatched(kind, 30_000), slow.isHeavy(kind, 30_000)];
  expect([at(first), at(second)]).toEqual([
    [false, false],
    [false, false],
  ]);
  // Quick ones are never added, and those of a stranger not to the customer's own.
  for (let n = 0; n < 100; n += 1) {
    slow.noteTime(second, 19, 30_000);
    slow.noteWork(second, 19, 30_000, true);
    slow.noteWork(second, 46, 30_000, false);
  }
  expect(at(second)).toEqual([false, false]);
  slow.noteTime(second, 46, 30_000);
  slow.noteWork(second, 46, 30_000, true);
  slow.noteTime(other, 46, 30_000);
  expect([at(first), at(second), at(other)]).toEqual([
    [false, false],
    [true, true],
    [false, false],
  ]);
  // A minute later it begins again.
  const later = kindOf("cus_1", "drafts.list");
  slow.noteTime(later, 46, 60_000);
  expect(slow.isWatched(later, 60_000)).toBe(false);
});

it("adds up what a visitor computes in a minute however quick each is, apart from all others", () => {
  const slow = createSlowRoutes();
  const [sheet, feed, other] = [kindOf("cus_1.ada"), kindOf("cus_1.ada", "content.rss"), kindOf("cus_1.eve")];
  for (let n = 0; n < 99; n += 1) slow.noteVisit(sheet, 10, n * 100);
  expect(slow.isHeavy(sheet, 10_000)).toBe(false);
  slow.noteVisit(feed, 10, 10_000);
  slow.noteVisit(other, 10, 10_000);
  const heavy = [sheet, feed, other, kindOf("cus_1", "content.rss")].map((kind) =>
    slow.isHeavy(kind, 10_000),
  );
  expect(heavy).toEqual([false, true, false, false]);
  expect(slow.isHeavy(feed, 10_000 + HOUR_MS)).toBe(false);
});
