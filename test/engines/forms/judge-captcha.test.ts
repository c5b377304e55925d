import { describe, expect, it } from "vitest";

import { judgeCaptcha } from "../../../server/engines/forms/rules/judge-captcha.ts";

const judge = (body: unknown, hostnames: string[] = [], status = 200, action: string | null = null) =>
  judgeCaptcha(
    { status, body: typeof body === "string" ? body : JSON.stringify(body) },
    { hostnames, action },
  );

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

  it.each([
    [{ success: true, action: "frm_1" }, "passed"],
    [{ success: true, action: "frm_2" }, "other_form"],
    [{ success: true, action: "" }, "other_form"],
    [{ success: true }, "other_form"],
    [{ success: false, action: "frm_1" }, "failed"],
    [{ success: true, action: "frm_2", hostname: "evil.example" }, "failed"],
  ])("%j to a widget named frm_1: %s", (body, expected) =>
    expect(judge({ hostname: "shop.example", ...body }, ["shop.example"], 200, "frm_1")).toBe(expected),
  );

  it("is no judgement when it is not 200", () =>
    expect(judge({ success: true }, [], 502)).toBe("unreachable"));
});
