import { afterEach, describe, expect, it } from "vitest";

import { mountRoutes } from "../../server/http/namespace.ts";
import { engines, namespaces } from "../../server/registry.ts";
import { startChild } from "./child.ts";
import { createCleanup, makeFolder } from "./outside.ts";

// The built server loads an engine when it is first asked: what it answers must not depend on what is loaded.
const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** A path with something for each of its parameters. */
const filled = (path: string): string => path.replaceAll(/:\w+/g, "x");

describe("a server that has just started", () => {
  it("answers for every path with the methods of the registry", async () => {
    const child = await startChild(cleanup, await makeFolder(cleanup), { PLATFORM_LOG_LEVEL: "warn" });
    const { paths } = mountRoutes(namespaces);
    const allowed = await Promise.all(
      paths.map(async ({ path }) => {
        const answer = await fetch(child.url + filled(path), { method: "OPTIONS" });
        return [path, answer.status, answer.headers.get("allow")];
      }),
    );
    expect(allowed).toEqual(paths.map(({ path, allow }) => [path, 204, allow]));
    expect(paths.length).toBeGreaterThan(500);
  }, 60_000);

  it("refuses the first requests of all engines as every other", async () => {
    const child = await startChild(cleanup, await makeFolder(cleanup), { PLATFORM_LOG_LEVEL: "warn" });
    const answers = await Promise.all(
      engines.flatMap(({ name, routes }) =>
        [routes[0]?.path ?? "", "/no/such/path/of/it"].map(async (path) => {
          const answer = await fetch(`${child.url}/v1/${name}${filled(path)}`);
          const { error } = Object(await answer.json());
          return [answer.status, error.type, answer.headers.get("x-request-id")?.slice(0, 4)];
        }),
      ),
    );
    expect(answers).toHaveLength(2 * engines.length);
    for (const answer of answers) expect(answer).toEqual([401, "unauthorized", "req_"]);
  }, 60_000);

  it("knows the jobs and events of every engine", async () => {
    const child = await startChild(cleanup, await makeFolder(cleanup), { PLATFORM_LOG_LEVEL: "warn" });
    const admin = async (path: string): Promise<unknown> => {
      const headers = { authorization: `Bearer ${child.token}` };
      const answer = await fetch(`${child.url}/api/platform/admin${path}`, { headers });
      return Object(await answer.json()).data;
    };
    const jobs = engines.flatMap((engine) => engine.jobs.map(({ id }) => id));
    expect(await admin("/jobs?limit=100")).toEqual(
      expect.arrayContaining(jobs.map((id) => expect.objectContaining({ id }))),
    );
    const types = engines.flatMap(({ events }) => events.map(({ type }) => type));
    expect(await admin("/event-types")).toEqual(
      expect.arrayContaining(types.map((type) => expect.objectContaining({ type }))),
    );
  }, 60_000);
});
