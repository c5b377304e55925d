import { describe, expect, it } from "vitest";

import { judgeCaptcha } from "../../../server/engines/forms/rules/judge-captcha.ts";

const judge = (body: unknown, hosts: string[] = [], status = 200) =>
  judgeCaptcha({ status, body: typeof body === "string" ? body : JSON.stringify(body) }, hosts);

describe("what a captcha service says", () => {
  it.each([
    [{ success: true }, [], "passed"],
    [{ success: true, hostname: "shop.example" }, ["shop.example"], "passed"],
    [{ success: true, hostname: "evil.example" }, ["shop.example"], "failed"],
    [{ success: true }, ["shop.example"], "failed"],
    [{ success: false, "error-codes": ["timeout-or-duplicate"] }, [], "failed"],
    [{ success: false, "error-codes": ["invalid-input-secret"] }, [], "unreachable"],
    [{ success: false, "error-codes": ["internal-error"] }, [], "unreachable"],
    ["<html>", [], "unreachable"],
    [{}, [], "unreachable"],
  ])("%j with hosts %j: %s", (body, hosts, expected) => expect(judge(body, hosts)).toBe(expected));

  it("is no judgement when it is not 200", () =>
    expect(judge({ success: true }, [], 502)).toBe("unreachable"));
});
