import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";

import { afterAll, describe, expect, it } from "vitest";

import { detailsOf, endpointsAt, listEndpoints } from "../../../cli/calls/endpoints.ts";
import { createFullProgram } from "../../../cli/program/program.ts";
import { commandWords } from "../../../cli/calls/resource-commands.ts";
import { mountRoutes } from "../../../server/http/namespace.ts";
import { namespaces } from "../../../server/registry.ts";
import { createSandbox } from "../run.ts";

const URL_BASE = "http://platform.test";
const sandbox = createSandbox();
afterAll(() => sandbox.remove());

const registry = mountRoutes(namespaces).endpoints.filter(({ route }) => !route.hidden);
const routes = (await listEndpoints()).filter(({ auth }) => auth === "key");

describe("the client's list of routes", () => {
  it("is the registry's", async () => {
    const own = (await listEndpoints()).map(({ id, method, path, scope, hasBody }) => ({
      id,
      method,
      path,
      scope,
      hasBody,
    }));
    const theirs = registry.map(({ route, path, scope }) => ({
      id: route.id,
      method: route.method,
      path,
      scope,
      hasBody: route.body !== null,
    }));
    expect(own).toEqual(theirs);
  });

  it("finds each route by an address of it", async () => {
    for (const route of routes) {
      const found = await endpointsAt(route.path.replaceAll(/:\w+/g, "x1"));
      // A fixed path goes before one with a parameter; what is found then is that one's.
      expect(found[route.method]?.path.split("/").length, route.id).toBe(route.path.split("/").length);
    }
  });
});

describe("commands of the engines", () => {
  it("has one for each route and none for two", () => {
    const words = routes.map((route) => [route.namespace, ...commandWords(route)].join(" "));
    expect(new Set(words).size).toBe(words.length);
    expect(words.filter((text) => text.split(" ").length < 2)).toEqual([]);
  });

  it("sends to its route, with its method and every parameter in its place", async () => {
    writeFileSync(join(sandbox.dir, "body.json"), "{}");
    const stdout = new PassThrough();
    let said = "";
    stdout.on("data", (chunk: Buffer) => void (said += chunk.toString("utf8")));
    const env = { PLATFORM_API_KEY: `plat_live_${"0".repeat(36)}`, XDG_CONFIG_HOME: sandbox.dir };
    const io = {
      argv: [],
      stdin: Readable.from([]),
      stdout,
      stderr: new PassThrough(),
      env,
      cwd: sandbox.dir,
    };
    const program = await createFullProgram(io);
    for (const route of routes) {
      const { example } = await detailsOf(route);
      const params = [...route.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => example.params[name] ?? "x1");
      const body = route.hasBody ? ["--input", "body.json"] : [];
      const words = [route.namespace, ...commandWords(route), ...params, ...body];
      said = "";
      await program.parseAsync([...words, "--dry-run", "--url", URL_BASE], { from: "user" });
      const values = [...params];
      const path = route.path.replaceAll(/:\w+/g, () => encodeURIComponent(values.shift() ?? ""));
      const method = route.method === "GET" ? "" : `-X ${route.method} `;
      expect(
        said.replaceAll("'", "").startsWith(`curl ${method}${URL_BASE}${path} `),
        `${route.id}: ${said}`,
      ).toBe(true);
    }
  });
});
