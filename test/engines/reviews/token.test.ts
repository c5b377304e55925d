import { expect, it } from "vitest";

import { makeToken, openToken } from "../../../server/engines/reviews/rules/token.ts";
import { closedPorts } from "../../harness.ts";

it("leads where it was made for, and nowhere else", () => {
  const token = makeToken(closedPorts, "reviews.invitation", "sto_1", "rvi_1");
  expect(openToken(closedPorts, "reviews.invitation", token)).toEqual({ part: "sto_1", id: "rvi_1" });
  expect(openToken(closedPorts, "reviews.unsubscribe", token)).toBeNull();
  for (const wrong of ["", ".", "x.y", `${token}x`, `${token}.z`, token.replace(/^./, "X")]) {
    expect(openToken(closedPorts, "reviews.invitation", wrong), wrong).toBeNull();
  }
});
