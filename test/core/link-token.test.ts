import { expect, it } from "vitest";

import { makeToken, openToken } from "../../server/core/link-token.ts";
import { closedPorts } from "../harness.ts";

it("leads back to what it was made for", () => {
  const token = makeToken(closedPorts, "cart.restore", "sto_1", "crt_1");
  expect(openToken(closedPorts, "cart.restore", token)).toEqual({
    part: "sto_1",
    id: "crt_1",
    names: ["crt_1"],
  });
  const version = makeToken(closedPorts, "catering.quote", "sto_1", "cqt_1", "2");
  expect(openToken(closedPorts, "catering.quote", version)?.names).toEqual(["cqt_1", "2"]);
});

it("opens links with lines instead of dots, as they were sent before", () => {
  const text = Buffer.from("sto_1\ncqt_1\n2").toString("base64url");
  const token = `${text}.${closedPorts.sign("catering.quote", text)}`;
  expect(openToken(closedPorts, "catering.quote", token)).toEqual({
    part: "sto_1",
    id: "cqt_1",
    names: ["cqt_1", "2"],
  });
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
