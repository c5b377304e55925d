import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import type { UserConfig } from "../../server/config/define.ts";
import type { Engine } from "../../server/core/engine.ts";
import { createSystemRandom } from "../../server/core/ids.ts";
import { makeKey } from "../../server/core/key-format.ts";
import type { Route } from "../../server/core/route.ts";
import { createPlatform } from "../../server/platform.ts";
import type { Platform } from "../../server/platform.ts";

const BASE = "http://engine.test";
const ADMIN = "/api/platform/admin";

const Reply = z.object({ data: z.unknown().optional() });
const Listed = z.array(z.looseObject({ id: z.string() }));

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly data: unknown;
}

/**
 * The contract of every engine, as tests of vitest: examples that work, scopes, validation, the OpenAPI document, jobs, events and demo
 * data. `config` is merged into the configuration of the platform that it runs in, whose store is in memory.
 */
export function engineContract(engine: Engine, config: UserConfig = {}): void {
  const { name, routes } = engine;
  let platform: Platform;
  let full: string;
  let other: string;

  async function call(method: string, path: string, key?: string, body?: unknown): Promise<Answer> {
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await platform.fetch(new Request(BASE + path, init));
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    const { data } = isJson ? Reply.parse(JSON.parse(text)) : { data: null };
    return { status: response.status, text, data };
  }

  /** The path of a route; the first parameter is the id of a document of its list, where that has one. */
  async function pathOf({ path, example }: Route): Promise<string> {
    const list = `/v1/${name}${path.slice(0, Math.max(0, path.indexOf("/:")))}`;
    const found = path.includes("/:")
      ? Listed.safeParse((await call("GET", list, full)).data).data?.[0]
      : undefined;
    let isFirst = true;
    return `/v1/${name}${path.replaceAll(/:([A-Za-z_]\w*)/g, (_, parameter: string) => {
      const live = isFirst ? found?.id : undefined;
      isFirst = false;
      return encodeURIComponent(live ?? String(example.params?.[parameter]));
    })}`;
  }

  async function send(
    route: Route,
    key: string | undefined,
    body: unknown = route.example.body,
  ): Promise<Answer> {
    const query = new URLSearchParams(
      Object.entries(route.example.query ?? {}).map(([key, value]): [string, string] => [key, String(value)]),
    ).toString();
    const path = `${await pathOf(route)}${query === "" ? "" : `?${query}`}`;
    return call(route.method, path, key, route.body === null ? undefined : (body ?? {}));
  }

  const each = (filter: (route: Route) => boolean = () => true) =>
    routes.filter(filter).map((route) => [route.id, route] as const);

  describe(`the engine ${name}`, () => {
    beforeAll(async () => {
      const token = makeKey("admin", createSystemRandom());
      platform = await createPlatform({
        config: {
          storage: { driver: "memory" },
          mail: { transport: "console" },
          log: { level: "silent" },
          baseUrl: BASE,
          ...config,
          admin: { token },
          engines: [engine, ...(config.engines ?? [])],
        },
      });
      const seeded = await call("POST", `${ADMIN}/seed`, token, { engines: [name] });
      const { customer_id } = z.object({ customer_id: z.string() }).parse(seeded.data);
      const issue = async (scopes: object) => {
        const made = await call("POST", `${ADMIN}/keys`, token, { customer_id, name: "contract", ...scopes });
        return z.object({ api_key: z.string() }).parse(made.data).api_key;
      };
      full = await issue({ preset: "full" });
      other = await issue({ scopes: ["account:read"] });
    });
    afterAll(() => platform.close());

    it.each(each())(
      "%s has an example that its own schemas accept",
      (_, { body, data, example, params, query }) => {
        if (params !== null) expect(params.safeParse(example.params).error).toBeUndefined();
        if (query !== null) expect(query.safeParse(example.query ?? {}).error).toBeUndefined();
        if (body !== null) expect(body.safeParse(example.body).error).toBeUndefined();
        if (example.data !== undefined) expect(data.safeParse(example.data).error).toBeUndefined();
      },
    );

    it.each(each())("%s requires a key with its scope", async (_, route) => {
      expect((await send(route, undefined)).status).toBe(401);
      expect((await send(route, other)).status).toBe(403);
    });

    it.each(each(({ body }) => body instanceof z.ZodObject))(
      "%s refuses unknown members",
      async (_, route) => {
        const answer = await send(route, full, { ...Object(route.example.body), not_a_member: 1 });
        expect([answer.status, answer.text]).toEqual([422, expect.stringContaining("not_a_member")]);
      },
    );

    it.each(each(({ rawType }) => rawType !== "text/event-stream"))(
      "%s answers its example with the documented status and data",
      async (_, route) => {
        const answer = await send(route, full);
        expect([answer.status, answer.text]).toEqual([route.status, answer.text]);
        if (route.rawType !== null || route.status === 204) return;
        const schema = route.isList ? z.array(route.data) : route.data;
        const fits = schema.safeParse(answer.data).success || route.data.safeParse(answer.data).success;
        expect([fits, answer.text]).toEqual([true, answer.text]);
      },
    );

    it("is in the OpenAPI document and the docs", async () => {
      const document = await call("GET", `/openapi.json?namespace=${name}`);
      for (const { id } of routes.filter(({ hidden }) => !hidden))
        expect(document.text).toContain(JSON.stringify(id));
      expect((await call("GET", `/docs/engines/${name}`)).status).toBe(200);
    });

    it("runs its jobs", async () => {
      for (const { id } of engine.jobs) await platform.services.jobs.run(id);
    });

    it("declares events under its name, and the same demo data for the same time", () => {
      for (const { type } of engine.events) expect(type).toMatch(new RegExp(`^${name}(\\.[a-z_]+){1,3}$`));
      const now = Date.UTC(2026, 5, 1);
      const seeded = () => JSON.stringify(engine.seed(now).map(({ values }) => values));
      expect(seeded()).toBe(seeded());
    });
  });
}
