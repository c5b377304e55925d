import { expect, it } from "vitest";

import { makeToken, openToken } from "../../server/core/link-token.ts";
import { closedPorts } from "../harness.ts";

it("leads back to what it was made for", () => {
  const token = makeToken(closedPorts, "cart.restore", "sto_1", "crt_1");
  expect(openToken(closedPorts, "cart.restore", token)).toEqual({ part: "sto_1", id: "crt_1" });
});

it("is good for one purpose, and for nothing once it is changed", () => {
  const token = makeToken(closedPorts, "cart.restore", "sto_1", "crt_1");
  expect(openToken(closedPorts, "cart.unsubscribe", token)).toBeNull();
  const other = Buffer.from("sto_1.crt_2").toString("base64url");
  expect(openToken(closedPorts, "cart.restore", `${other}.${token.split(".")[1]}`)).toBeNull();
  for (const bad of ["", ".", `${token}.x`, token.slice(1), `${token}A`]) {
    expect(openToken(closedPorts, "cart.restore", bad)).toBeNull();
  }
});
