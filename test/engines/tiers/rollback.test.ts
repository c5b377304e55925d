import { describe, expect, it } from "vitest";

import { sweepDiffs } from "../../../server/engines/tiers/jobs.ts";
import { DAY_MS } from "../../../server/lib/instant.ts";
import type { Club } from "./club.ts";
import { createClub, jobs, refusal } from "./club.ts";
import { level, spends } from "./fixture.ts";

/** Silver from 300.00 instead of 500.00. */
const cheaper = {
  levels: [level(0, "Base"), level(1, "Silver", spends(30_000)), level(2, "Gold", spends(100_000))],
};

async function makeCheaper(club: Club): Promise<void> {
  await club.call("PATCH", `/programmes/${club.programme}`, cheaper);
  await club.make(`/programmes/${club.programme}/publish`);
}

async function dryRun(club: Club, more: object = {}) {
  const { id } = await club.make("/recalculations", more);
  await club.run(jobs.recalculate);
  return club.read(`/recalculations/${id}`);
}

async function turn(club: Club, id: string, action: "apply" | "rollback"): Promise<void> {
  await club.make(`/recalculations/${id}/${action}`, action === "apply" ? {} : undefined);
  await club.run(jobs.recalculate);
}

const tierOf = async (club: Club, id: string): Promise<string> =>
  (await club.read(`/customers/${id}`)).tier.name;

describe("a rollback", () => {
  it.each([{}, { level_id: "lvl_base" }])(
    "leaves the level that a member reached between the dry run and its application (%o)",
    async (scope) => {
      const club = await createClub();
      const ada = await club.buy("ada", 40_000);
      const ben = await club.buy("ben", 40_000);
      await makeCheaper(club);
      const { counts, id } = await dryRun(club, scope);
      expect(counts).toMatchObject({ up: 2 });
      await club.buy("ada", 100);
      expect(await tierOf(club, ada)).toBe("Silver");
      await turn(club, id, "apply");
      const moved = await club.read(`/recalculations/${id}/moves`);
      expect(moved.map((move: { customer_id: string }) => move.customer_id)).toEqual([ben]);
      await turn(club, id, "rollback");
      expect([await tierOf(club, ada), await tierOf(club, ben)]).toEqual(["Silver", "Base"]);
      await club.harness.close();
    },
  );

  it("of more members than a commit holds is done in one run", async () => {
    const club = await createClub();
    for (let at = 0; at < 30; at += 1) await club.buy(`c${at}`, 40_000);
    await makeCheaper(club);
    const { id } = await dryRun(club);
    await turn(club, id, "apply");
    await turn(club, id, "rollback");
    expect(await club.read(`/recalculations/${id}`)).toMatchObject({
      status: "rolled_back",
      counts: { written: 30, skipped: 0 },
    });
    await club.harness.close();
  });
});

it("the dry run of a draft whose rules are deleted says that a new one is needed", async () => {
  const club = await createClub();
  await club.buy("ada", 40_000);
  await club.call("PATCH", `/programmes/${club.programme}`, cheaper);
  const { id } = await dryRun(club, { programme_id: club.programme });
  club.harness.clock.advance(32 * DAY_MS);
  await club.run(sweepDiffs);
  expect(refusal(await club.call("POST", `/recalculations/${id}/apply`, {}))).toBe("409 programme_changed");
  await club.harness.close();
});
