import { describe, expect, it } from "vitest";

import { expandBlocks, NO_RANK } from "../../../server/engines/delivery/rules/expand-blocks.ts";
import type { BlockEntry } from "../../../server/engines/delivery/rules/expand-blocks.ts";
import { blockedDate } from "./fixture.ts";

const [FIRST, LAST] = ["2026-06-01", "2026-06-10"] as const;
const forWindows = (ids: readonly string[], fields: Partial<BlockEntry>): BlockEntry => ({
  ...blockedDate({ scope: "slot_windows", slot_window_ids: [...ids] }),
  date: null,
  ...fields,
});
const expand = (...entries: readonly BlockEntry[]) =>
  expandBlocks({ entries, calendars: new Map(), calendarIds: [] }, FIRST, LAST);
const reasonsOf = (blocks: ReturnType<typeof expand>, key: string): (string | null)[] =>
  [...(blocks.whole.get(key)?.hand?.ranks ?? [])].map((rank) =>
    rank === NO_RANK ? null : (blocks.reasons[rank] ?? null),
  );

describe("expandBlocks", () => {
  it("has the days around the span too, and the first entry of each day", () => {
    const blocks = expand(
      forWindows(["a"], { from: "2026-06-03", to: "2026-06-04", reason: "Holiday" }),
      forWindows(["a"], { from: "2026-05-01", to: "2026-12-31", reason: "Winter" }),
      forWindows(["a"], { from: "2026-06-01", to: "2026-06-02", reason: "Late" }),
    );
    const winter = (days: number): string[] => Array.from({ length: days }, () => "Winter");
    expect(reasonsOf(blocks, "a")).toEqual([...winter(3), "Holiday", "Holiday", ...winter(7)]);
  });

  it("keeps windows apart whose lists have the same length and ends", () => {
    const blocks = expand(
      forWindows(["a", "b", "z"], { from: "2026-06-01", to: "2026-06-01", reason: "One" }),
      forWindows(["a", "c", "z"], { from: "2026-06-02", to: "2026-06-02", reason: "Two" }),
    );
    const days = (key: string) => reasonsOf(blocks, key).slice(1, 3);
    expect([days("a"), days("b"), days("c")]).toEqual([
      ["One", "Two"],
      ["One", null],
      [null, "Two"],
    ]);
  });

  it("gives windows with the same entries for parts of days one list, and others their own", () => {
    const ranges = [{ start: "08:00", end: "09:00" }];
    const always = { from: "2026-01-01", to: "2026-12-31", ranges };
    const { parts } = expand(
      forWindows(["a", "b", "c"], always),
      // No day of it is in the span.
      forWindows(["c"], { ...always, to: "2026-02-01" }),
      forWindows(["a", "b"], always),
      forWindows(["d"], always),
    );
    expect(parts.get("a")).toBe(parts.get("b"));
    const ids = ["a", "c", "d"].map((key) => parts.get(key)?.id);
    expect(new Set(ids).size).toBe(3);
  });

  it("takes the first event of each day of a calendar, once for each list of days", () => {
    const events = ["03", "02", "03", "02"].map((day, at) => ({
      date: `2026-06-${day}`,
      title: `Event ${at}`,
      substitute: false,
    }));
    const entry = (ids: readonly string[], reason: string): BlockEntry =>
      forWindows(ids, { calendar_id: "cal", reason });
    const entries = [
      entry(["a"], ""),
      entry(["a"], "Again"),
      entry(["a", "b"], "Both"),
      entry(["b"], "Last"),
    ];
    const blocks = expandBlocks(
      { entries, calendars: new Map([["cal", events]]), calendarIds: ["cal", "cal"] },
      FIRST,
      LAST,
    );
    expect(blocks.reasons).toEqual(["Event 0", "Event 1", "Both", "Both", "Event 0", "Event 1"]);
    const days = (key: string) =>
      [...(blocks.whole.get(key)?.soft?.ranks ?? [])].slice(2, 4).map((rank) => blocks.reasons[rank]);
    expect([days("a"), days("b"), days("")]).toEqual([
      ["Event 1", "Event 0"],
      ["Both", "Both"],
      ["Event 1", "Event 0"],
    ]);
  });

  it("takes a part-day entry once for a place that it repeats", () => {
    const ranges = [{ start: "08:00", end: "09:00" }];
    const { parts } = expand(forWindows(["a", "a", "a"], { from: "2026-01-01", to: "2026-12-31", ranges }));
    expect(parts.get("a")?.before?.part).toBeNull();
  });
});
