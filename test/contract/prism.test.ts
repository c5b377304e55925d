import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { toNodeHandler } from "h3/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { recordExamples } from "../../server/examples.ts";
import { createOpenApi } from "../../server/openapi/document.ts";
import { withExamples } from "../../server/openapi/examples.ts";
import { introduction } from "../../server/site/docs/introduction.ts";
import { eventTypes, namespaces } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { follow, memberOf, operationsOf } from "./document.ts";
import type { DocumentedOperation } from "./document.ts";
import { createWorld, endpoints, isStream, isWrite, requestOf, titleOf } from "./world.ts";

/*
 * Stoplight Prism reads the document. As a mock server it answers the documented example of every operation; as a proxy in front
 * of the running server it compares each live request and response with the document.
 */

const TIMEOUT_MS = 300_000;
/** Responses as large as the store of every file that runs in this process, which Prism reads at once. */
const LEFT_OUT = new Set(["admin.storage.export", "admin.storage.backup"]);
const run = promisify(execFile);

const document = createOpenApi({
  namespaces: withExamples(namespaces, await recordExamples()),
  events: eventTypes,
  baseUrl: "https://platform.example",
  version: "1.0.0",
  introduction,
});

interface PrismRequest {
  readonly title: string;
  readonly mode: "mock" | "proxy";
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

let harness: Harness;
let folder: string;
const server = createServer((request, response) => void toNodeHandler(harness.app)(request, response));
beforeAll(async () => {
  harness = await createHarness();
  folder = await mkdtemp(join(tmpdir(), "platform-prism-"));
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  server.close();
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

/** What Prism answers and objects to, a line each. */
async function ask(requests: readonly PrismRequest[], read: unknown = document): Promise<string[]> {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  await writeFile(join(folder, "openapi.json"), JSON.stringify(read));
  await writeFile(
    join(folder, "requests.json"),
    JSON.stringify({ upstream: `http://127.0.0.1:${port}`, requests }),
  );
  const script = join(import.meta.dirname, "..", "clients", "run.mjs");
  const { stdout } = await run(process.execPath, [script, "prism", join(folder, "openapi.json"), folder], {
    timeout: TIMEOUT_MS,
    maxBuffer: 64 * 1_048_576,
  });
  return stdout.split("\n").filter(Boolean);
}

/** The request that the document shows. */
function shown({ title, method, path, operation, parameters }: DocumentedOperation): PrismRequest {
  const examples = (place: string) =>
    parameters
      .filter((parameter) => parameter["in"] === place && parameter["example"] !== undefined)
      .map(({ name, example }): [string, string] => [String(name), String(example)]);
  const body = memberOf(
    follow(document, operation["requestBody"]),
    "content",
    "application/json",
    "examples",
    "example",
    "value",
  );
  return {
    title,
    mode: "mock",
    method: method.toLowerCase(),
    path: examples("path").reduce(
      (at, [name, text]) => at.replace(`{${name}}`, encodeURIComponent(text)),
      path,
    ),
    query: Object.fromEntries(examples("query")),
    headers: headersOf("token", body),
    ...(body === undefined ? {} : { body }),
  };
}

const headersOf = (token: string, body: unknown): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  accept: "*/*",
  ...(body === undefined ? {} : { "content-type": "application/json" }),
});

/** The examples of all routes with ids of a filled store, reads first; each write has a store of its own. */
async function live(): Promise<PrismRequest[]> {
  const callable = endpoints.filter(
    (endpoint) => !endpoint.route.hidden && !isStream(endpoint) && !LEFT_OUT.has(endpoint.route.id),
  );
  const world = await createWorld(harness);
  const requests: PrismRequest[] = [];
  for (const endpoint of callable.toSorted((a, b) => Number(isWrite(a)) - Number(isWrite(b)))) {
    const { auth } = endpoint.namespace;
    const own = isWrite(endpoint) && auth === "key" ? await createWorld(harness) : world;
    const { method, path, ...rest } = requestOf(endpoint, own);
    const url = new URL(path, "http://platform.test");
    const body = "body" in rest ? rest.body : undefined;
    requests.push({
      title: titleOf(endpoint),
      mode: "proxy",
      method: method.toLowerCase(),
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: headersOf(auth === "admin" ? harness.adminToken : own.key.plaintext, body),
      ...(body === undefined ? {} : { body }),
    });
  }
  return requests;
}

const errorsIn = (lines: readonly string[]): string[] => lines.filter((line) => line.startsWith("error"));

describe("Prism", () => {
  it(
    "accepts and returns the example of every operation",
    async () => {
      const operations = operationsOf(document);
      const lines = await ask(operations.map(shown));
      expect(errorsIn(lines)).toEqual([]);
      expect(lines.filter((line) => /^answer mock 2\d\d /.test(line)).length).toBe(operations.length);
    },
    TIMEOUT_MS,
  );

  it(
    "finds no difference between the document and the running server",
    async () => {
      const requests = await live();
      const lines = await ask(requests);
      expect(errorsIn(lines)).toEqual([]);
      const accepted = lines.filter((line) => /^answer proxy 2\d\d /.test(line));
      expect(accepted.length).toBeGreaterThan(requests.length * 0.8);
    },
    TIMEOUT_MS,
  );

  it(
    "objects to an example and to a response that differ",
    async () => {
      const [operation] = operationsOf(document).filter(({ title }) => title === "GET /v1/account");
      if (operation === undefined) throw new Error("GET /v1/account is not documented.");
      const schema = { type: "object", required: ["nothing_has_this"] };
      const content = { "application/json": { schema, example: { data: {} } } };
      const changed = {
        ...document,
        paths: {
          "/v1/account": {
            get: { ...operation.operation, responses: { 200: { description: "", content } } },
          },
        },
      };
      const world = await createWorld(harness);
      const request = { ...shown(operation), headers: headersOf(world.key.plaintext, undefined) };
      const lines = await ask([request, { ...request, mode: "proxy" }], changed);
      expect(errorsIn(lines)).toEqual([
        expect.stringContaining("nothing_has_this"),
        expect.stringContaining("nothing_has_this"),
      ]);
    },
    TIMEOUT_MS,
  );
});
