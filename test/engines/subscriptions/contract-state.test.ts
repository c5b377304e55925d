import { expect, it } from "vitest";

import { contractStates } from "../../../server/engines/subscriptions/rules/contract-state.ts";
import { ContractStatus } from "../../../server/engines/subscriptions/schema.ts";

it("lets no action change a contract that has ended", () => {
  const ended = ["cancelled", "expired"] as const;
  for (const { from } of contractStates.moves) expect(ended).not.toContain(from);
  expect(ContractStatus.options.filter((status) => contractStates.allows("change", status))).toEqual(
    ContractStatus.options.filter((status) => !ended.some((one) => one === status)),
  );
  expect(contractStates.from("pause")).toEqual(["trialing", "active", "past_due"]);
  expect(contractStates.from("resume")).toEqual(["paused"]);
});
