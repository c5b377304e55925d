import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { evaluate } from "../../../server/engines/tiers/rules/evaluate.ts";
import { factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import { addDays } from "../../../server/lib/local-time.ts";
import { nextCheck } from "../../../server/engines/tiers/rules/next-check.ts";
import { replay } from "../../../server/engines/tiers/rules/replay.ts";
import type { EventFacts } from "../../../server/engines/tiers/schema/event.ts";
import type { Rules } from "../../../server/engines/tiers/schema/programme.ts";
import type { Standing } from "../../../server/engines/tiers/schema/standing.ts";
import {
  cancelOf,
  event,
  heldSince,
  level,
  mapOf,
  order,
  refundOf,
  rulesOf,
  spends,
  standingOf,
} from "./fixture.ts";

const gold = heldSince("lvl_gold", 2, "2025-01-01", "2026-01-01");
const told = (result: { moves: readonly { kind: string; on: string; to: string }[] }): string[] =>
  result.moves.map(({ kind, on, to }) => `${kind} ${on} ${to}`);

describe("rules that changed", () => {
  const lifetime = { term: { type: "lifetime", months: 12, round_to: "none" } } as const;
  const forLife = heldSince("lvl_gold", 2, "2019-05-10", null);

  it("that keep levels for life end none that had a term", () => {
    for (const current of [gold, { ...gold, state: "grace" as const, until: "2026-02-01" }]) {
      const result = standingOf([], "2026-03-01", { current, rules: rulesOf(lifetime) });
      expect(result.standing).toMatchObject({
        level_id: "lvl_gold",
        expires_on: null,
        state: "held",
        until: null,
      });
      expect(told(result)).toEqual([]);
    }
  });

  it("that give levels a term end those that had none, after the day of the change", () => {
    const changed = standingOf([], "2025-12-01", { current: forLife });
    expect(changed.standing).toMatchObject({ level_id: "lvl_gold", expires_on: "2026-05-10", renewals: 6 });
    expect(told(standingOf([], "2026-05-10", { current: changed.standing }))).toEqual([
      "downgraded 2026-05-10 lvl_silver",
    ]);
  });

  it("that put a new base below another end the old one for who does not earn it, and one that becomes the base has no end", () => {
    const levels = [level(0, "New"), level(1, "Base", spends(10_000)), level(2, "Silver", spends(50_000))];
    const current = heldSince("lvl_base", 0, "2024-03-15", null);
    const changed = standingOf([], "2025-12-01", { current, rules: rulesOf({ levels }) });
    expect(changed.standing).toMatchObject({ level_id: "lvl_base", rank: 1, expires_on: "2026-03-15" });
    const back = standingOf([], "2025-12-02", { current: changed.standing });
    expect(back.standing).toMatchObject({ level_id: "lvl_base", rank: 0, expires_on: null });
  });
});

describe("the end of a term", () => {
  it("renews who still earns it, from the anchor", () => {
    const current = heldSince("lvl_gold", 2, "2024-01-31", "2025-01-31");
    const result = standingOf([order("2024-06-01", 100_000)], "2025-02-03", { current });
    expect(result.standing).toMatchObject({ since: "2024-01-31", renewals: 1, expires_on: "2026-01-31" });
    expect(told(result)).toEqual(["renewed 2025-01-31 lvl_gold"]);
  });

  it("is judged by the day before, so a late worker changes nothing", () => {
    // Bought on the very day the term ends: too late for the term, in time for a new one.
    const onTheDay = order("2026-01-01", 100_000);
    const late = standingOf([onTheDay], "2026-01-10", { current: gold });
    expect(told(late)).toEqual(["downgraded 2026-01-01 lvl_silver", "upgraded 2026-01-01 lvl_gold"]);
    // An order that has left the window of today had not left that of the day before the end.
    const old = order("2025-01-03", 100_000);
    expect(told(standingOf([old], "2026-01-10", { current: gold }))).toEqual(["renewed 2026-01-01 lvl_gold"]);
  });

  it("does not know of a refund that came after it", () => {
    const bought = order("2025-06-01", 100_000);
    const events = [bought, refundOf(bought, "2026-01-05", 100_000)];
    expect(told(standingOf(events, "2026-01-10", { current: gold }))).toEqual([
      "renewed 2026-01-01 lvl_gold",
    ]);
  });

  it.each([
    ["one_down", ["lvl_silver"], []],
    ["to_qualified", ["lvl_base"], []],
    ["to_base", ["lvl_base"], []],
    ["one_down", ["lvl_silver"], [60_000]],
    ["to_qualified", ["lvl_silver"], [60_000]],
    // What is still earned is given back at once.
    ["to_base", ["lvl_base", "lvl_silver"], [60_000]],
  ] as const)("%s leads to %o with %o spent", (downgrade, expected, amounts) => {
    const events = amounts.map((amount) => order("2025-06-01", amount));
    const result = standingOf(events, "2026-01-01", { rules: rulesOf({ downgrade }), current: gold });
    expect(result.moves.map(({ to }) => to)).toEqual(expected);
  });

  it("several terms overdue are judged one by one", () => {
    const rules = rulesOf({
      levels: [...rulesOf().levels, level(3, "Platinum", spends(200_000))],
    });
    const platinum = heldSince("lvl_platinum", 3, "2022-01-01", "2023-01-01");
    const events = [order("2022-06-01", 200_000), order("2023-06-01", 60_000)];
    const late = standingOf(events, "2026-02-01", { rules, current: platinum });
    expect(told(late)).toEqual([
      "renewed 2023-01-01 lvl_platinum",
      "downgraded 2024-01-01 lvl_gold",
      "downgraded 2025-01-01 lvl_silver",
      "downgraded 2026-01-01 lvl_base",
    ]);
    expect(late.standing).toMatchObject({ level_id: "lvl_base", expires_on: null });
  });

  it("nobody falls below what a newcomer would get, even where to keep it is harder", () => {
    const rules = rulesOf({
      levels: [level(0, "Base"), level(1, "Silver", spends(100), { retain: spends(900) })],
    });
    const current = heldSince("lvl_silver", 1, "2025-01-01", "2026-01-01");
    const result = standingOf([order("2025-12-01", 500)], "2026-01-01", { rules, current });
    expect(told(result)).toEqual(["renewed 2026-01-01 lvl_silver"]);
  });
});

describe("grace", () => {
  const rules = rulesOf({ grace_days: 30 });

  it("keeps the level for its days, the last not included", () => {
    const during = standingOf([], "2026-01-30", { rules, current: gold });
    expect(during.standing).toMatchObject({ level_id: "lvl_gold", state: "grace", until: "2026-01-31" });
    const after = standingOf([], "2026-01-31", { rules, current: during.standing });
    expect(told(after)).toEqual(["downgraded 2026-01-31 lvl_silver"]);
  });

  it("ends well for who earns it in time; the term goes on by its own calendar", () => {
    const during = standingOf([], "2026-01-10", { rules, current: gold });
    const saved = standingOf([order("2026-01-20", 100_000)], "2026-01-20", {
      rules,
      current: during.standing,
    });
    expect(told(saved)).toEqual(["recovered 2026-01-20 lvl_gold"]);
    expect(saved.standing).toMatchObject({
      state: "held",
      since: "2025-01-01",
      renewals: 1,
      expires_on: "2027-01-01",
      until: null,
    });
  });

  it("a term shorter than the grace is not renewed into the past", () => {
    const monthly = rulesOf({ grace_days: 45, term: { type: "rolling", months: 1, round_to: "none" } });
    const current = heldSince("lvl_gold", 2, "2026-01-01", "2026-02-01");
    const bought = order("2026-03-01", 100_000);
    const saved = standingOf([bought], "2026-03-01", { rules: monthly, current });
    expect(saved.standing).toMatchObject({ level_id: "lvl_gold", expires_on: "2026-04-01" });
  });
});

describe("protection", () => {
  const rules = rulesOf({ protection_days: 400 });

  it("puts the drop off, then judges anew", () => {
    const during = standingOf([], "2026-01-20", { rules, current: gold });
    expect(during.standing).toMatchObject({ state: "protected", until: "2026-02-05" });
    expect(told(standingOf([], "2026-02-05", { rules, current: during.standing }))).toEqual([
      "downgraded 2026-02-05 lvl_silver",
    ]);
    const bought = [order("2026-02-01", 100_000)];
    expect(told(standingOf(bought, "2026-02-05", { rules, current: during.standing }))).toEqual([
      "recovered 2026-02-05 lvl_gold",
    ]);
  });

  it("does not hold against a refund", () => {
    const bought = order("2026-03-01", 60_000);
    const { moves } = replay(rules, [bought, refundOf(bought, "2026-03-05", 60_000)], { asOf: "2026-03-05" });
    expect(moves.at(-1)).toMatchObject({ to: "lvl_base", cause: "refund" });
  });
});

describe("refunds", () => {
  const bought = order("2026-03-01", 60_000);
  const last = (events: EventFacts[], asOf: string, rules: Rules = rulesOf()) =>
    replay(rules, events, { asOf }).moves.at(-1);

  it.each([
    ["a refund of enough", [bought, refundOf(bought, "2026-03-05", 10_001)], "refund"],
    ["one that leaves enough", [bought, refundOf(bought, "2026-03-05", 10_000)], "activity"],
    ["a cancellation", [bought, cancelOf(bought, "2026-03-05")], "refund"],
    ["on the thirtieth day", [bought, refundOf(bought, "2026-03-31", 60_000)], "refund"],
    ["on the day after", [bought, refundOf(bought, "2026-04-01", 60_000)], "activity"],
  ] as const)("%s: %s", (_, events, cause) => {
    expect(last([...events], "2026-04-02")?.cause).toBe(cause);
  });

  it("wait for the review where the programme says so", () =>
    expect(
      last(
        [bought, refundOf(bought, "2026-03-05", 60_000)],
        "2026-04-02",
        rulesOf({ on_refund: "at_review" }),
      )?.cause,
    ).toBe("activity"));

  it("bring the level back that was held before, with its term", () => {
    const more = order("2026-06-01", 60_000);
    const { standing } = replay(rulesOf(), [bought, more, refundOf(more, "2026-06-05", 60_000)], {
      asOf: "2026-06-05",
    });
    expect(standing).toMatchObject({
      level_id: "lvl_silver",
      since: "2026-03-01",
      expires_on: "2027-03-01",
      before: null,
    });
  });

  it.each([
    ["the last first", [1, 0], ["2026-03-05 lvl_silver", "2026-03-06 lvl_base"]],
    ["the first first", [0, 1], ["2026-03-05 lvl_silver", "2026-03-06 lvl_base"]],
  ] as const)("of two orders that each brought a level leave neither of them: %s", (_, which, expected) => {
    const both = [order("2026-03-01", 60_000), order("2026-03-02", 60_000)] as const;
    const back = which.map((at, day) => refundOf(both[at], `2026-03-0${5 + day}`, 60_000));
    const { standing, moves } = replay(rulesOf(), [...both, ...back], { asOf: "2026-03-06" });
    expect(standing).toMatchObject({ level_id: "lvl_base", expires_on: null, before: null });
    expect(moves.filter(({ cause }) => cause === "refund").map(({ on, to }) => `${on} ${to}`)).toEqual(
      expected,
    );
  });

  it("of both on one day take both levels, and one that was earned earlier stays with its term", () => {
    const rules = rulesOf({
      levels: [...rulesOf().levels, level(3, "Platinum", spends(150_000))],
    });
    const [kept, ...both] = [
      order("2026-01-01", 60_000),
      order("2026-03-01", 50_000),
      order("2026-03-02", 50_000),
    ];
    const back = both.map((one) => cancelOf(one, "2026-03-05"));
    const { standing } = replay(rules, [kept, ...both, ...back], { asOf: "2026-03-06" });
    expect(standing).toMatchObject({ level_id: "lvl_silver", since: "2026-01-01", expires_on: "2027-01-01" });
    // Its own upgrade is older than a refund undoes.
    expect(standing.before).toBeNull();
  });

  it("a window that moved on is no refund", () => {
    const old = order("2025-03-10", 40_000);
    const now = order("2026-03-01", 20_000);
    const { standing, moves } = replay(rulesOf(), [old, now], { asOf: "2026-03-20" });
    expect(standing.level_id).toBe("lvl_silver");
    expect(moves.some(({ cause }) => cause === "refund")).toBe(false);
  });
});

describe("notices", () => {
  const rules = rulesOf({ notice_days: [30, 7] });

  it("come at both days, each once, with the gap", () => {
    let standing: Standing = gold;
    const seen: string[] = [];
    for (let day = "2025-11-20"; day < "2026-01-01"; day = addDays(day, 1)) {
      const result = standingOf([order("2025-06-01", 90_000)], day, { rules, current: standing });
      for (const move of result.moves) seen.push(`${move.kind} ${move.on} ${move.evidence[0]?.gap}`);
      standing = result.standing;
    }
    expect(seen).toEqual(["expiring 2025-12-02 10000", "expiring 2025-12-25 10000"]);
  });

  it("after an outage only the latest", () => {
    expect(told(standingOf([], "2025-12-28", { rules, current: gold }))).toEqual([
      "expiring 2025-12-28 lvl_gold",
    ]);
  });

  it("none for who has earned the next term", () =>
    expect(told(standingOf([order("2025-06-01", 100_000)], "2025-12-28", { rules, current: gold }))).toEqual(
      [],
    ));
});

describe("levels", () => {
  it("the highest that is met, also past one that is not", () => {
    const rules = rulesOf({
      levels: [
        level(0, "Base"),
        level(1, "Silver", spends(50_000)),
        level(2, "Gold", spends(2, { type: "lifetime" }, "orders")),
      ],
    });
    const result = standingOf([order("2026-01-01", 1), order("2026-01-02", 1)], "2026-01-02", { rules });
    expect(result.standing).toMatchObject({ level_id: "lvl_gold", before: { level_id: "lvl_base" } });
  });

  it("one that the rules no longer have becomes the next below", () => {
    const rules = rulesOf({ levels: [level(0, "Base"), level(1, "Bronze", spends(50_000))] });
    const result = standingOf([], "2025-06-01", { rules, current: gold });
    expect(told(result)).toEqual(["downgraded 2025-06-01 lvl_bronze"]);
    expect(result.standing.expires_on).toBe("2026-01-01");
  });

  it("since the last upgrade: money is not used twice", () => {
    const since = { type: "since_tier" } as const;
    const rules = rulesOf({
      levels: [
        level(0, "Base"),
        level(1, "Silver", spends(100, since)),
        level(2, "Gold", spends(100, { type: "rolling", months: 1 })),
      ].slice(0, 2),
    });
    const result = replay(rules, [order("2026-01-01", 100)], { asOf: "2026-03-01" });
    expect(result.standing.level_id).toBe("lvl_silver");
  });
});

const day = fc.integer({ min: 0, max: 900 }).map((at) => addDays("2024-01-01", at));
const someRules = fc
  .record({
    term: fc.record({
      type: fc.constantFrom("immediate", "rolling", "calendar", "absolute", "lifetime"),
      months: fc.integer({ min: 1, max: 18 }),
      round_to: fc.constantFrom("none", "month", "quarter"),
    }),
    downgrade: fc.constantFrom("one_down", "to_qualified", "to_base"),
    grace_days: fc.constantFrom(0, 10, 45),
    protection_days: fc.constantFrom(0, 100),
    on_refund: fc.constantFrom("immediate", "at_review"),
    refund_dating: fc.constantFrom("original_order", "refund_date"),
    notice_days: fc.constantFrom<number[][]>([], [30, 7]),
  })
  .map((more) => rulesOf({ ...more, notice_days: [...more.notice_days] }));
const bought = fc.tuple(day, fc.integer({ min: 1, max: 90_000 }), fc.nat({ max: 90_000 }));
const history = fc.array(bought, { minLength: 1, maxLength: 6 }).map((drawn) =>
  drawn.flatMap(([on, amount, back]) => {
    const one = order(on, amount);
    return back % 3 === 0 ? [one, refundOf(one, addDays(on, 9), back)] : [one];
  }),
);

const START = "2026-07-01";
const END = "2028-08-01";

// Gold until the end of 2026, then at the base for a moment: what is still earned is given back, and held until the end of 2028.
const toBase = rulesOf({ term: { type: "calendar", months: 1, round_to: "none" }, downgrade: "to_base" });
const lapsed: [string, number][] = [
  ["2025-06-01", 90_000],
  ["2025-06-02", 90_000],
  ["2026-06-15", 60_000],
];

/** A member to whom nothing happens after the start, so that only terms end. Without terms there is no end of one. */
function quietFrom(rules: Rules, events: EventFacts[]) {
  fc.pre(rules.term.type !== "immediate");
  const { ledger, standing } = replay(rules, events, { asOf: START });
  return { facts: factsOf(ledger, rules), quiet: { ...rules, notice_days: [] }, start: standing };
}

describe("whatever happens", () => {
  it("judging twice changes nothing the second time", () => {
    fc.assert(
      fc.property(someRules, history, day, (rules, events, asOf) => {
        const { standing, ledger } = replay(rules, events, { asOf });
        const again = evaluate({ facts: factsOf(ledger, rules), rules, asOf, current: standing });
        expect(again).toEqual({ standing, moves: [] });
      }),
      { numRuns: 300 },
    );
  });

  it("a worker that comes late does what one did that came whenever it was told to", () => {
    fc.assert(
      fc.property(someRules, history, (rules, events) => {
        const { facts, quiet, start } = quietFrom(rules, events);
        const timely: string[] = [];
        let standing = start;
        const overrides: never[] = [];
        for (;;) {
          const on = nextCheck(standing, facts, { overrides, rules: quiet });
          if (on === null || on > END) break;
          const result = evaluate({ facts, rules: quiet, asOf: on, current: standing });
          timely.push(...told(result));
          standing = result.standing;
        }
        const late = evaluate({ facts, rules: quiet, asOf: END, current: start });
        // On the last day itself neither was told anything; a window that moved on may still lift a member.
        const last = evaluate({ facts, rules: quiet, asOf: END, current: standing });
        expect(told(late)).toEqual([...timely, ...told(last)]);
        expect(late.standing).toEqual(last.standing);
      }),
      { numRuns: 200, examples: [[toBase, lapsed.map(([on, amount]) => order(on, amount))]] },
    );
  });

  it("and what one did that came every day, where only the passing of time decides", () => {
    // A refund that leaves a window before its order does would lift a member on a day that nobody waits for.
    const bought = fc.array(fc.tuple(day, fc.integer({ min: 1, max: 90_000 })), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(someRules, bought, (rules, drawn) => {
        const events = drawn.map(([on, amount]) => order(on, amount));
        const { facts, quiet, start } = quietFrom(rules, events);
        let daily = start;
        const log: string[] = [];
        for (let on = addDays(START, 1); on <= END; on = addDays(on, 1)) {
          const result = evaluate({ facts, rules: quiet, asOf: on, current: daily });
          daily = result.standing;
          log.push(...told(result));
        }
        const late = evaluate({ facts, rules: quiet, asOf: END, current: start });
        expect(told(late)).toEqual(log);
        expect(late.standing).toEqual(daily);
      }),
      { numRuns: 25, examples: [[toBase, lapsed]] },
    );
  });

  it("more spend never means a lower level", () => {
    fc.assert(
      fc.property(
        someRules,
        fc.array(bought, { minLength: 1, maxLength: 6 }),
        fc.nat(50_000),
        day,
        (rules, drawn, extra, asOf) => {
          const events = drawn.map(([on, amount]) => order(on, amount));
          const richer = events.map((one, at) =>
            at === 0 && one.type === "order" ? { ...one, amount: one.amount + extra } : one,
          );
          const rankOf = (all: EventFacts[]) => standingOf(all, asOf, { rules }).standing.rank;
          expect(rankOf(richer)).toBeGreaterThanOrEqual(rankOf(events));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("keeps expires_on after since, and the base without an end (T5)", () => {
    fc.assert(
      fc.property(someRules, history, day, (rules, events, asOf) => {
        const { standing } = replay(rules, events, { asOf });
        if (standing.expires_on !== null) expect(standing.expires_on > standing.since).toBe(true);
        if (standing.rank === 0) expect(standing.expires_on).toBeNull();
      }),
    );
  });

  it("goes back behind no day that was judged", () => {
    const later = standingOf([event("form", "2026-01-01")], "2026-05-01");
    expect(standingOf([], "2026-02-01", { current: later.standing }).standing.as_of).toBe("2026-05-01");
    expect(mapOf([]).folded.orders).toBe(0);
  });
});
