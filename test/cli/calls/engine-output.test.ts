import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { RunningServer } from "../../../server/serve.ts";
import type { RunOptions } from "../run.ts";
import { createServiceSandbox } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

let sandbox: ServiceSandbox;
let server: RunningServer;
let env: Record<string, string>;

beforeAll(async () => {
  sandbox = createServiceSandbox();
  server = await sandbox.serve();
  const customer: string = (await sandbox.run(["seed", "--json"])).json().data.customer_id;
  const key = await sandbox.run(["keys", "issue", "--customer", customer, "--preset", "full", "-q"]);
  env = { PLATFORM_API_KEY: key.stdout.trim() };
});
afterAll(async () => {
  await server.stop("test");
  sandbox.remove();
});

const run = (argv: readonly string[], options: RunOptions = {}) =>
  sandbox.run(argv, { ...options, env: { ...env, NO_COLOR: "1" } });

describe("commands of the engines", () => {
  it("0 print a table that fits the terminal", async () => {
    const { code, stdout, stderr } = await run(["delivery", "zones", "list", "--limit", "2"], {
      columns: 90,
    });
    expect(code).toBe(0);
    const [head = "", ...lines] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^ID +NAME/);
    expect(lines).toHaveLength(2);
    for (const line of [head, ...lines]) expect(line.length).toBeLessThanOrEqual(90);
    expect(stderr).toContain("2 shown. More: --all, or --cursor");
    const all = await run(["delivery", "zones", "list", "--limit", "1", "--all"], { columns: 90 });
    expect(all.stdout.trimEnd().split("\n").length).toBeGreaterThan(3);
  });

  it("0 print one row per member of a resource", async () => {
    const { stdout } = await run(["delivery", "settings", "get"], { columns: 90 });
    expect(stdout).toMatch(/^horizon_days +\d+$/m);
  });

  it("0 print tab-separated values with --plain, and the body in a pipe", async () => {
    const piped = (await run(["delivery", "zones", "list"])).json();
    const plain = await run(["delivery", "zones", "list", "--plain"]);
    expect(plain.rows().map(([id]) => id)).toEqual(piped.data.map(({ id }: { id: string }) => id));
    const shown = await run(["delivery", "zones", "list", "--plain"], { columns: 90 });
    expect(shown.stdout).toBe(plain.stdout);
    const json = await run(["delivery", "zones", "list", "--json"], { columns: 90 });
    expect(json.json().data).toEqual(piped.data);
  });

  it("prints an error of the service as before", async () => {
    const { code, stdout } = await run(["delivery", "zones", "get", "zon_none"], { columns: 90 });
    expect(code).toBe(6);
    expect(JSON.parse(stdout).error.status).toBe(404);
  });
});

describe("call", () => {
  it("0 replaces {id} and :id in the path by fields", async () => {
    const [{ id }] = (await run(["delivery", "zones", "list"])).json().data;
    for (const path of ["/v1/delivery/zones/{id}", "delivery/zones/:id"]) {
      expect((await run(["call", path, "-F", `id=${id}`])).json().data.id).toBe(id);
    }
    const changed = ["call", "PATCH", "delivery/zones/{id}", "-F", `id=${id}`, "-F", "name=Centre"];
    expect((await run(changed)).json().data).toMatchObject({ id, name: "Centre" });
  });

  it.each([
    [["call", "delivery/zones/{id}"], "{id} in the path needs a value."],
    [["call", "delivery/zones/:id", "-F", "id=.."], '".." is not a valid id.'],
  ])("2 %j", async (argv, why) => {
    expect(await run(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  });

  it("never suggests DELETE where a path has several methods", async () => {
    const { code, stderr } = await run(["call", "delivery/zones/x1", "-F", "unknown=1"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/try {2}platform call GET/);
  });

  it("0 uploads files as a form", async () => {
    const form = { name: "Job", fields: [{ key: "cv", type: "file", label: "CV" }] };
    const made = await run(["call", "POST", "/v1/forms", "--input", "-"], { stdin: JSON.stringify(form) });
    expect(made.stderr).toBe("");
    const { id } = made.json().data;
    const published = await run(["forms", "publish", id]);
    expect(published.code).toBe(0);
    writeFileSync(join(sandbox.dir, 'my "cv".txt'), "Name: Ada\r\nSkills: bread\r\n");
    const fields = ["-F", `id=${id}`, "-F", "field=cv", "-F", 'file=@my "cv".txt'];
    const sent = await run(["call", "/v1/forms/{id}/uploads", ...fields]);
    expect(sent.json().data).toMatchObject({ field: "cv", bytes: 26, mime: "text/plain" });
    const shown = await run(["call", "/v1/forms/{id}/uploads", ...fields, "--dry-run"]);
    expect(shown.stdout).toContain(`--form-string field=cv -F 'file=@my "cv".txt'`);
    const flags = ["forms", "uploads", "create", id, "--field", "cv", "--file", '@my "cv".txt'];
    expect((await run(flags)).json().data).toMatchObject({ bytes: 26 });
  });
});

describe("--jq", () => {
  it.each([
    [["config", "schema"], ".type", "object\n"],
    [["openapi"], ".openapi", "3.1.0\n"],
    [
      ["storage", "export"],
      'select(.k // "" | startswith("platform:platform.customers:")) | .d.status',
      "active\n",
    ],
  ])("0 filters %j", async (argv, filter, expected) => {
    expect(await run([...argv, "--jq", filter])).toMatchObject({ code: 0, stdout: expected });
  });
});

describe("openapi", () => {
  it("0 prints the document of the server that it specifies", async () => {
    const local = await run(["openapi"]);
    expect(local.json().servers[0].url).toBe(server.url);
    expect(local.stderr).toContain(`Document of ${server.url}`);
    const remote = await run(["openapi", "--url", server.url]);
    expect(remote.json().servers).toEqual(local.json().servers);
    expect(Object.keys(remote.json().paths)).toEqual(Object.keys(local.json().paths));
  });
});
