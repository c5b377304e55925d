import { describe, expect, it } from "vitest";

import {
  makeToken,
  openToken,
  selfServiceUrl,
} from "../../../server/engines/subscriptions/rules/self-service.ts";
import { closedPorts } from "../../harness.ts";

describe("self-service tokens", () => {
  const token = makeToken(closedPorts, "sto_1_test", "sub_1");

  it("lead to their contract, in a URL that needs no escaping", () => {
    expect(openToken(closedPorts, token)).toEqual({ part: "sto_1_test", contractId: "sub_1" });
    expect(selfServiceUrl(closedPorts, "sto_1_test", "sub_1")).toMatch(
      /\/api\/public\/subscriptions\/[\w.-]+$/,
    );
  });

  it("lead nowhere when anything about them is changed", () => {
    const forged = makeToken({ sign: (_, text) => text.slice(0, 43) }, "sto_1_test", "sub_1");
    const other = Buffer.from("sto_2.sub_1").toString("base64url");
    const wrong = [
      `${token}x`,
      token.slice(1),
      `${other}.${token.split(".")[1]}`,
      forged,
      `${token}.x`,
      "",
      ".",
    ];
    for (const text of wrong) expect([text, openToken(closedPorts, text)]).toEqual([text, null]);
  });
});
