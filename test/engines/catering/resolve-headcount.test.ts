import { describe, expect, it } from "vitest";

import { resolveHeadcount } from "../../../server/engines/catering/rules/resolve-headcount.ts";
import type { SourceAnswer } from "../../../server/engines/catering/rules/resolve-headcount.ts";

const sizing = { buffer_bps: 1000, min: 0, max: 100, pack_size: 1 };
const answer = (
  kind: SourceAnswer["kind"],
  count: number,
  more: Partial<SourceAnswer> = {},
): SourceAnswer => ({
  source_id: `chs_${kind}`,
  kind,
  count,
  fresh: true,
  evidence: [kind],
  dietary: [],
  sizing,
  ...more,
});
const ask = (answers: SourceAnswer[], more = {}) =>
  resolveHeadcount({ override: null, answers, previous: null, fallback: 20, dietary: [], ...more });

const all = [
  answer("api", 1),
  answer("calendar_feed", 2),
  answer("calendar_upload", 3),
  answer("rsvp", 4),
  answer("manual", 5),
];

describe("resolveHeadcount (rule 2)", () => {
  it.each([
    [5, "manual"],
    [4, "rsvp"],
    [3, "calendar_upload"],
    [2, "calendar_feed"],
    [1, "api"],
  ])("of the %s that are left, asks %s", (left, origin) =>
    expect(ask(all.slice(0, left))).toMatchObject({ origin, count: left }),
  );

  it("takes a number that somebody wrote for the date before all, as it is", () =>
    expect(ask(all, { override: 33 })).toMatchObject({
      count: 33,
      size: 33,
      origin: "manual",
      confidence: "high",
    }));

  it("does not ask a feed that is stale", () => {
    const feeds = [answer("calendar_feed", 2, { fresh: false })];
    expect(ask([...feeds, answer("api", 1)]).origin).toBe("api");
    expect(ask(feeds, { previous: 18 })).toMatchObject({ origin: "previous", count: 18, confidence: "low" });
    expect(ask(feeds)).toMatchObject({ origin: "default", count: 20, size: 20 });
  });

  it("adds the source's own buffer, and keeps the needs of the template that the source does not name", () => {
    const dietary = [{ code: "vegan", count: 2 }];
    const halal = [{ code: "halal", count: 1 }];
    expect(ask([answer("rsvp", 21, { dietary })], { dietary: halal })).toMatchObject({
      count: 21,
      size: 24,
      dietary: [...halal, ...dietary],
    });
    expect(
      ask([answer("rsvp", 21, { dietary })], { dietary: [{ code: "vegan", count: 9 }] }).dietary,
    ).toEqual(dietary);
    expect(ask([answer("rsvp", 21)], { dietary: halal }).dietary).toEqual(halal);
    expect(ask([answer("rsvp", 0)])).toMatchObject({ count: 0, size: 0, origin: "rsvp" });
  });

  it("keeps what guests need where the number has another source", () => {
    const nuts = [{ code: "nuts", count: 1 }];
    const answers = [answer("manual", 30), answer("rsvp", 21, { dietary: nuts })];
    expect(ask(answers)).toMatchObject({ count: 30, origin: "manual", dietary: nuts });
    expect(ask(answers, { override: 25 })).toMatchObject({ count: 25, dietary: nuts });
    const own = answer("manual", 30, { dietary: [{ code: "vegan", count: 2 }] });
    const twice = answer("api", 1, { dietary: [{ code: "nuts", count: 3 }] });
    const stale = answer("calendar_feed", 1, { fresh: false, dietary: [{ code: "halal", count: 1 }] });
    expect(ask([...answers, own, twice, stale]).dietary).toEqual([
      { code: "nuts", count: 3 },
      { code: "vegan", count: 2 },
    ]);
  });

  it("orders for no more heads than an order can have, however many a thousand people bring", () => {
    const large = { ...sizing, max: 20_000, pack_size: 999 };
    expect(ask([answer("rsvp", 21_000, { sizing: large })])).toMatchObject({ count: 20_000, size: 20_000 });
    expect(ask([answer("rsvp", 21_000)])).toMatchObject({ count: 20_000, size: 100 });
  });
});
