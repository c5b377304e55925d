import { describe, expect, it } from "vitest";

import { signedHeaders, toSecret, verify } from "../../server/core/standard-webhooks.ts";

// The example of the specification's own libraries (standard-webhooks/standard-webhooks, "sign function").
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const message = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
};
const now = message.timestamp * 1000;
const judge = (headers: Record<string, string>, body = message.body, at = now, secrets = [secret]) =>
  verify((name) => headers[name], body, secrets, at);

describe("Standard Webhooks", () => {
  it("signs as the published example", () =>
    expect(signedHeaders(message, [secret])["webhook-signature"]).toBe(
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ));

  it("takes its own signature, also beside others and under an older secret", () => {
    const headers = signedHeaders(message, [secret]);
    expect(judge(headers)).toBe("ok");
    const several = { ...headers, "webhook-signature": `v1,AAAA v2,xx ${headers["webhook-signature"]}` };
    expect(judge(several, message.body, now, [toSecret(new Uint8Array(24)), secret])).toBe("ok");
  });

  it("compares ten signatures of a message, however many it has", () => {
    const headers = signedHeaders(message, [secret]);
    const after = (count: number) => ({
      ...headers,
      "webhook-signature": `${"v1,AAAA ".repeat(count)}${headers["webhook-signature"]}`,
    });
    expect([judge(after(9)), judge(after(10))]).toEqual(["ok", "forged"]);
  });

  it("refuses what is missing, stale, or changed", () => {
    const headers = signedHeaders(message, [secret]);
    expect(judge({})).toBe("missing");
    expect(judge({ ...headers, "webhook-timestamp": "soon" })).toBe("missing");
    expect([
      judge(headers, message.body, now + 301_000),
      judge(headers, message.body, now - 301_000),
    ]).toEqual(["stale", "stale"]);
    expect(judge(headers, `${message.body} `)).toBe("forged");
    expect(judge({ ...headers, "webhook-id": "msg_other" })).toBe("forged");
    expect(judge(headers, message.body, now, [])).toBe("forged");
  });
});
