import { describe, expect, it } from "vitest";

import { makeToken, openToken } from "../../../server/engines/catering/rules/link-token.ts";
import { closedPorts } from "../../harness.ts";

const named = { part: "sto_1", names: ["cqt_1", "2"] };

describe("link tokens", () => {
  it("open what they were made for", () =>
    expect(openToken(closedPorts, "quote", makeToken(closedPorts, "quote", named))).toEqual(named));

  it("open nothing else", () => {
    const token = makeToken(closedPorts, "quote", named);
    const other = Buffer.from("sto_2\ncqt_1\n2").toString("base64url");
    for (const wrong of [
      "",
      ".",
      "x",
      `${token}x`,
      `${token}.x`,
      token.slice(0, -1),
      `${other}.${token.split(".")[1]}`,
    ]) {
      expect(openToken(closedPorts, "quote", wrong), wrong).toBeNull();
    }
    for (const kind of ["approval", "rsvp", "order", "feed", "invoice"] as const) {
      expect(openToken(closedPorts, kind, token), kind).toBeNull();
    }
  });
});
