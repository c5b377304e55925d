import { createHmac } from "node:crypto";

import { describe, expect, it } from "vitest";

import { toInstant } from "../../server/lib/instant.ts";
import {
  checkFormToken,
  formNonces,
  formSigner,
  mintFormToken,
  spendFormToken,
} from "../../server/core/form-token.ts";
import type { FormToken } from "../../server/core/form-token.ts";
import { createHarness } from "../harness.ts";

const sign = (text: string): string =>
  createHmac("sha256", "form-token-test-key").update(text).digest("base64url");
const TOKEN: FormToken = { f: "frm_01", v: 3, o: "https://shop.example", iat: 1_700_000_000, n: "a1b2c3" };
const TEXT =
  "eyJmIjoiZnJtXzAxIiwidiI6MywibyI6Imh0dHBzOi8vc2hvcC5leGFtcGxlIiwiaWF0IjoxNzAwMDAwMDAwLCJuIjoiYTFiMmMzIn0.0hprJkwJTioKz7nxYfE8O--eYuG7Drc_8tzqmlAo6WU";

const checkAt = (ageS: number, more: { form?: string; origin?: string | null; text?: string } = {}) =>
  checkFormToken(more.text ?? TEXT, {
    form: more.form ?? "frm_01",
    origin: more.origin === undefined ? "https://shop.example" : more.origin,
    now: (TOKEN.iat + ageS) * 1000,
    sign,
  });

describe("form token, vector A24", () => {
  it("is the text of the vector, whatever order its members come in", () => {
    const { n, iat, o, v, f } = TOKEN;
    expect(mintFormToken(TOKEN, sign)).toBe(TEXT);
    expect(mintFormToken({ n, iat, o, v, f }, sign)).toBe(TEXT);
  });

  it.each([
    [2, "too_fast"],
    [3, "ok"],
    [86_400, "ok"],
    [86_401, "expired"],
    [-60, "too_fast"],
  ])("is at the age of %i s %s", (age, verdict) => {
    expect(checkAt(age)).toEqual({ verdict, token: TOKEN });
  });

  it("goes by whole seconds, as its own time does", () => {
    const at = (now: number) => checkFormToken(TEXT, { form: "frm_01", origin: null, now, sign }).verdict;
    expect(at(TOKEN.iat * 1000 + 2_999)).toBe("too_fast");
    expect(at(TOKEN.iat * 1000 + 86_400_999)).toBe("ok");
  });
});

describe("a form token that is bad", () => {
  const other = (text: string): string => createHmac("sha256", "another").update(text).digest("base64url");
  const notAToken = Buffer.from(`{"f":"frm_01"}`).toString("base64url");
  const notJson = Buffer.from("frm_01").toString("base64url");
  it.each([
    ["signed by another", mintFormToken(TOKEN, other)],
    ["changed", `x${TEXT.slice(1)}`],
    ["cut", TEXT.slice(0, -1)],
    ["without its signature", TEXT.split(".")[0] ?? ""],
    ["continued", `${TEXT}.x`],
    ["empty", ""],
    ["a dot", "."],
    ["signed, but no token", `${notAToken}.${sign(notAToken)}`],
    ["signed, but no JSON", `${notJson}.${sign(notJson)}`],
    ["very long", `${"a".repeat(5_000)}.${sign("a".repeat(5_000))}`],
  ])("is %s", (_what, text) => {
    expect(checkAt(10, { text })).toEqual({ verdict: "bad", token: null });
  });

  it("is one of another form or another origin", () => {
    expect(checkAt(10, { form: "frm_02" }).verdict).toBe("bad");
    expect(checkAt(10, { origin: "https://other.example" }).verdict).toBe("bad");
  });

  it("is not one that does not know its origin, nor one sent without any", () => {
    const text = mintFormToken({ ...TOKEN, o: "" }, sign);
    expect(checkAt(10, { text, origin: "https://other.example" }).verdict).toBe("ok");
    expect(checkAt(10, { origin: null }).verdict).toBe("ok");
  });

  it("is one that was minted for another store", () => {
    const ports = { sign: (purpose: string, text: string) => sign(`${purpose}\0${text}`) };
    const text = mintFormToken(TOKEN, formSigner(ports, "sto_a"));
    const about = { form: "frm_01", origin: null, now: (TOKEN.iat + 5) * 1000 };
    expect(checkFormToken(text, { ...about, sign: formSigner(ports, "sto_a") }).verdict).toBe("ok");
    expect(checkFormToken(text, { ...about, sign: formSigner(ports, "sto_b") }).verdict).toBe("bad");
  });
});

describe("spending a form token", () => {
  it("works once, also for many at the same time", async () => {
    const h = await createHarness();
    const spend = () => h.services.runTx("sto_x", (tx) => spendFormToken(tx, TOKEN));
    const results = await Promise.all(Array.from({ length: 6 }, spend));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await spend()).toBe(false);
    await h.close();
  });

  it("is remembered until the token is too old, and no longer", async () => {
    const h = await createHarness();
    const kept = await h.services.runTx("sto_x", async (tx) => {
      await spendFormToken(tx, TOKEN);
      return (await tx.require(formNonces, TOKEN.n)).value.expires_at;
    });
    expect(kept).toBe(toInstant((TOKEN.iat + 86_401) * 1000));
    await h.close();
  });
});
