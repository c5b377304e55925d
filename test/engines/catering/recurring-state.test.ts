import { expect, it } from "vitest";

import { recurringStates } from "../../../server/engines/catering/rules/recurring-state.ts";
import { RecurringStatus } from "../../../server/engines/catering/schema/recurring.ts";

it("is paused and resumed until it ends for good", () => {
  const allowed = (["pause", "resume", "end"] as const).map((action) =>
    RecurringStatus.options.filter((status) => recurringStates.allows(action, status)),
  );
  expect(allowed).toEqual([["active"], ["paused"], ["active", "paused"]]);
});
