import { expect, it } from "vitest";

import { changeOf, HISTORY_MOVES, replay } from "../../../server/engines/tiers/rules/replay.ts";
import type { Move } from "../../../server/engines/tiers/schema/standing.ts";
import { heldSince, mapOf, order, rulesOf } from "./fixture.ts";

it("judges each event on its day, whatever order they are given in", () => {
  const events = [order("2025-05-01", 60_000), order("2025-09-01", 50_000)];
  const forwards = replay(rulesOf(), events, { asOf: "2026-01-01" });
  expect(forwards.moves.map(({ kind, on }) => `${kind} ${on}`)).toEqual([
    "joined 2025-05-01",
    "upgraded 2025-05-01",
    "upgraded 2025-09-01",
  ]);
  expect(replay(rulesOf(), events.toReversed(), { asOf: "2026-01-01" })).toEqual(forwards);
  expect(forwards.ledger).toEqual(mapOf(events));
});

it("begins where the member stands", () => {
  const current = heldSince("lvl_gold", 2, "2025-01-01", "2026-01-01");
  const { standing, moves } = replay(rulesOf(), [], { asOf: "2026-01-01", current });
  expect(standing).toMatchObject({ level_id: "lvl_silver", since: "2026-01-01" });
  expect(moves).toMatchObject([{ kind: "downgraded", from: "lvl_gold", cause: "term_end" }]);
});

it("compares moves with those that are known, and keeps the last of the others", () => {
  const move = (on: string): Move => ({
    kind: "renewed",
    from: "lvl_gold",
    to: "lvl_gold",
    on,
    cause: "term_end",
    evidence: [],
  });
  const [early, middle, late] = [move("2025-01-01"), move("2025-02-01"), move("2025-03-01")];
  expect(changeOf([middle, late], [early, middle])).toEqual({
    news: [late],
    superseded: ["2025-01-01 renewed lvl_gold"],
  });
  const many = Array.from({ length: HISTORY_MOVES + 5 }, (_, n) =>
    move(`2025-01-${String(n + 1).padStart(2, "0")}`),
  );
  expect(changeOf(many, []).news).toEqual(many.slice(-HISTORY_MOVES));
});
