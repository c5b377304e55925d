import { PassThrough } from "node:stream";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { main } from "../../../cli/program/main.ts";
import { offeredRoutes, toolName, toolSchema } from "../../../cli/mcp/catalogue.ts";
import { detailsOf, listEndpoints, listNamespaces } from "../../../cli/calls/endpoints.ts";
import type { RunningServer } from "../../../server/serve.ts";
import { createServiceSandbox } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

let sandbox: ServiceSandbox;
let server: RunningServer;
let customer: string;
beforeAll(async () => {
  sandbox = createServiceSandbox();
  server = await sandbox.serve();
  customer = (await sandbox.run(["seed", "--json"])).json().data.customer_id;
});
afterAll(async () => {
  await server.stop("test");
  sandbox.remove();
});

const issue = async (...options: readonly string[]): Promise<string> =>
  (await sandbox.run(["keys", "issue", "--customer", customer, "-q", ...options])).stdout.trim();

/** `platform mcp` in this process, spoken to by the SDK's own client over its standard streams. */
async function startStdio(key: string, ...options: readonly string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const env = { PLATFORM_API_KEY: key, XDG_CONFIG_HOME: `${sandbox.dir}/.home` };
  const done = main({ argv: ["mcp", ...options], stdin, stdout, stderr, env, cwd: sandbox.dir });
  const client = new Client({ name: "test", version: "1" });
  // The same transport the other way round: it reads what the server writes.
  await client.connect(new StdioServerTransport(stdout, stdin));
  return {
    client,
    async stop(): Promise<number> {
      await client.close();
      stdin.end();
      return done;
    },
  };
}

const textOf = (result: Awaited<ReturnType<Client["callTool"]>>): string => {
  const [first] = result.content;
  return first?.type === "text" ? first.text : "";
};

describe("platform mcp", () => {
  it("0 offers four tools that reach every route: search, describe, read, write", async () => {
    const { client, stop } = await startStdio(await issue("--preset", "full"));
    const { tools } = await client.listTools();
    for (const { name } of await listNamespaces()) expect(client.getInstructions()).toContain(name);
    expect(tools.map(({ name }) => name)).toEqual([
      "search_routes",
      "describe_route",
      "read_route",
      "write_route",
    ]);
    expect(JSON.stringify(tools).length).toBeLessThan(6_000);
    const found = await client.callTool({ name: "search_routes", arguments: { query: "delivery zones" } });
    const { routes } = JSON.parse(textOf(found));
    expect(routes.slice(0, 3).map(({ id }: { id: string }) => id)).toContain("delivery.zones.list");
    const described = await client.callTool({
      name: "describe_route",
      arguments: { id: "delivery.validate" },
    });
    expect(JSON.parse(textOf(described))).toMatchObject({
      method: "POST",
      kind: "read",
      body: { type: "object" },
    });
    const zones = await client.callTool({
      name: "read_route",
      arguments: { id: "delivery.zones.list", query: { limit: 1 } },
    });
    expect(zones.isError).toBe(false);
    expect(JSON.parse(textOf(zones)).data).toHaveLength(1);
    const refused = await client.callTool({ name: "read_route", arguments: { id: "delivery.zones.create" } });
    expect(refused).toMatchObject({ isError: true });
    expect(textOf(refused)).toContain("write_route");
    expect(await stop()).toBe(0);
  });

  it("writes once for one idempotency key, and tells a refusal so that it can be mended", async () => {
    const { client, stop } = await startStdio(await issue("--preset", "full"));
    const { example } = await detailsOf(await routeOf("delivery.zones.create"));
    const write = (body: unknown) =>
      client.callTool({
        name: "write_route",
        arguments: { id: "delivery.zones.create", body, idempotency_key: "one" },
      });
    const first = JSON.parse(textOf(await write(example.body)));
    const second = JSON.parse(textOf(await write(JSON.stringify(example.body))));
    expect(second.data.id).toBe(first.data.id);
    const refused = await client.callTool({
      name: "write_route",
      arguments: { id: "delivery.zones.create", body: {} },
    });
    expect(refused.isError).toBe(true);
    expect(JSON.parse(textOf(refused)).error).toMatchObject({ status: 422 });
    const broken = await write('{"name": ');
    expect(JSON.parse(textOf(broken)).error.detail).toContain("not valid JSON");
    const missing = await client.callTool({ name: "read_route", arguments: { id: "delivery.zones.get" } });
    expect(textOf(missing)).toBe("Missing path parameters: id.");
    for (const id of [".", ".."]) {
      const elsewhere = await client.callTool({
        name: "read_route",
        arguments: { id: "delivery.zones.get", params: { id } },
      });
      expect([elsewhere.isError, textOf(elsewhere)]).toEqual([true, "Invalid path parameters: id."]);
    }
    await stop();
  });

  it("offers what the key's scopes cover and nothing else", async () => {
    const { client, stop } = await startStdio(
      await issue("--scope", "delivery:read", "--scope", "account:read"),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("write_route");
    const other = await client.callTool({ name: "read_route", arguments: { id: "reviews.reviews.list" } });
    expect(other.isError).toBe(true);
    await stop();
  });

  it("gives each route of the named engines a tool of its own, marked by what it does", async () => {
    const { client, stop } = await startStdio(await issue("--preset", "full"), "--namespace", "delivery");
    const { tools } = await client.listTools();
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    expect([...byName.keys()].every((name) => name.startsWith("delivery_"))).toBe(true);
    expect(byName.get("delivery_zones_list")?.annotations).toMatchObject({
      readOnlyHint: true,
      destructiveHint: false,
    });
    expect(byName.get("delivery_zones_create")?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
    });
    expect(byName.get("delivery_zones_remove")?.annotations).toMatchObject({
      destructiveHint: true,
      idempotentHint: true,
    });
    const answer = await client.callTool({
      name: "delivery_validate",
      arguments: { body: { postcode: "SW1A 1AA", basketTotal: 2500 } },
    });
    expect(JSON.parse(textOf(answer)).data).toMatchObject({ deliverable: true });
    await stop();
  });

  it("4 a key that is none, 2 an engine that is none, 10 without a server", async () => {
    const env = { PLATFORM_API_KEY: `plat_live_${"0".repeat(36)}` };
    expect((await sandbox.run(["mcp"], { env })).code).toBe(4);
    expect((await sandbox.run(["mcp", "--namespace", "nothing"], { env })).code).toBe(2);
    expect((await sandbox.run(["mcp", "--http", "nowhere"], { env })).code).toBe(2);
    expect((await sandbox.run(["mcp", "--url", "http://127.0.0.1:9"], { env })).code).toBe(10);
  });
});

describe("platform mcp --http", () => {
  let url: URL;
  let key: string;
  let stop: () => Promise<unknown>;
  beforeAll(async () => {
    key = await issue("--preset", "read-only");
    const interruption = new AbortController();
    let resolveUrl: (found: string) => void = () => undefined;
    const found = new Promise<string>((resolve) => {
      resolveUrl = resolve;
    });
    const done = sandbox.run(["mcp", "--http", "127.0.0.1:0"], {
      signal: interruption.signal,
      onTalk: (text) => resolveUrl(/http:\S+\/mcp/.exec(text)?.[0] ?? ""),
    });
    url = new URL(await found);
    stop = () => {
      interruption.abort(130);
      return done;
    };
  });
  afterAll(async () => {
    expect(await stop()).toMatchObject({ code: 0, stdout: "" });
  });

  const connect = async (token: string): Promise<Client> => {
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    return client;
  };

  it("serves each caller by its own key", async () => {
    const client = await connect(key);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["search_routes", "describe_route", "read_route"]);
    const zones = await client.callTool({ name: "read_route", arguments: { id: "delivery.zones.list" } });
    expect(JSON.parse(textOf(zones)).data.length).toBeGreaterThan(1);
    await client.close();
    const writer = await connect(await issue("--preset", "full"));
    expect((await writer.listTools()).tools).toHaveLength(4);
    await writer.close();
  });

  it.each([
    ["no key", 401, {}],
    ["a key that is none", 401, { authorization: `Bearer plat_live_${"0".repeat(36)}` }],
    ["a web page", 403, { origin: "https://evil.example", authorization: "Bearer x" }],
  ])("refuses %s", async (_name, status, headers) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body,
    });
    expect(answer.status).toBe(status);
  });

  it("refuses other methods and paths, and a body that is too large", async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    expect((await fetch(url, { headers })).status).toBe(405);
    expect((await fetch(new URL("/", url), { headers })).status).toBe(404);
    const body = "x".repeat(1_100_000);
    expect((await fetch(url, { method: "POST", headers, body })).status).toBe(413);
  });
});

const routeOf = async (id: string) => {
  const route = (await listEndpoints()).find((candidate) => candidate.id === id);
  if (route === undefined) throw new Error(`There is no route ${id}.`);
  return route;
};

describe("the tools of all routes", async () => {
  const routes = offeredRoutes(await listEndpoints(), { scopes: null, namespaces: [], readOnly: false });

  it("have names that every client takes, each its own", () => {
    const names = routes.map(toolName);
    // Clients put the server's name before it and cut at 64.
    expect(names.filter((name) => !/^[a-z][a-z0-9_-]{1,47}$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it("give away no secret", async () => {
    const all = await listEndpoints();
    expect(all.filter(({ sensitive, auth }) => sensitive && auth === "key").length).toBeGreaterThan(0);
    expect(routes.filter(({ sensitive }) => sensitive)).toEqual([]);
  });

  it("have schemas that compile, that tell parameters and body apart, and that take the route's example", async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const route of routes) {
      const details = await detailsOf(route);
      const schema = toolSchema(route, details);
      const { params, query, body } = details.example;
      const names = Object.keys({ ...params, ...(query as object | null) });
      expect(names, route.id).not.toContain("body");
      const takes = ajv.compile(schema);
      const args = { ...params, ...(query as object | null), ...(body === null ? {} : { body }) };
      expect(takes(args) ? [] : [route.id, takes.errors, args]).toEqual([]);
    }
    // Seven hundred schemas take their time on a busy machine.
  }, 60_000);
});
