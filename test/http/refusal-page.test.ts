import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { mountRoutes } from "../../server/http/namespace.ts";
import { namespaces } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const URLENCODED = "application/x-www-form-urlencoded";

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

/** Every page that a person reaches by a link in a mail or on a page of the shop. */
const pages = mountRoutes(namespaces).endpoints.filter(
  ({ path, route }) => path.startsWith("/api/public/") && route.rawType === "text/html",
);

const ask = (method: string, path: string, headers: Record<string, string>, body?: string) =>
  harness.app.fetch(
    new Request(`http://platform.test${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    }),
  );

describe("a browser on a page behind a link", () => {
  it("has pages to look at", () => expect(pages.length).toBeGreaterThan(15));

  it.each(pages.map(({ path, route }) => [route.method, path.replaceAll(/:\w+/g, "nonsense")] as const))(
    "%s %s tells a link that leads nowhere, and a body that cannot be read, as a page",
    async (method, path) => {
      const isPost = method === "POST";
      const type: Record<string, string> = isPost ? { "content-type": URLENCODED } : {};
      const lost = await ask(method, path, { accept: BROWSER, ...type }, isPost ? "" : undefined);
      expect(lost.status).toBeGreaterThanOrEqual(400);
      expect(lost.status).toBeLessThan(500);
      expect(lost.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(lost.headers.get("content-security-policy")).toContain("default-src 'none'");
      if (!isPost) return;
      const plain = { "content-type": "text/plain" };
      const page = await ask(method, path, { accept: BROWSER, ...plain }, "x");
      expect([page.status, page.headers.get("content-type")]).toEqual([415, "text/html; charset=utf-8"]);
      const text = await page.text();
      expect(text).toContain(`415 Unsupported Media Type, request ${page.headers.get("x-request-id")}`);
      // A program, and a page that asks by script for JSON, get what every error is.
      for (const headers of [plain, { accept: "application/json", ...plain }]) {
        const program = await ask(method, path, headers, "x");
        expect([program.status, program.headers.get("content-type")]).toEqual([
          415,
          "application/problem+json",
        ]);
      }
      const json = { accept: BROWSER, "content-type": "application/json" };
      const broken = await ask(method, path, json, "{");
      expect([broken.status, broken.headers.get("content-type")]).toEqual([400, "application/problem+json"]);
    },
  );
});
