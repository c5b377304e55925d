import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { RunningServer } from "../../../server/serve.ts";
import type { Result, RunOptions } from "../run.ts";
import { createServiceSandbox, normalise } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

const PLAINTEXT = /plat_live_[0-9A-Za-z]{36}/;
const transcripts = new Map<string, string[]>();

/** The keys of an export; what a running server writes between two exports (its own work, usage) is left out. */
const keptOf = (lines: readonly string[]): string[] =>
  lines
    .map((line): { k?: string } => JSON.parse(line))
    .flatMap(({ k = "" }) =>
      /^[^:]+:(?!(?:ix\.)?(?:core|http|jobs|kernel|platform\.usage|platform\.key_uses)[.:])/.test(k)
        ? [k]
        : [],
    );

describe.each(["beside a running server", "without a server"])("operator's commands %s", (mode) => {
  let sandbox: ServiceSandbox;
  let server: RunningServer | undefined;
  const transcript: string[] = [];

  beforeAll(async () => {
    sandbox = createServiceSandbox();
    if (mode === "beside a running server") server = await sandbox.serve();
  });
  afterAll(async () => {
    await server?.stop("test");
    sandbox.remove();
    transcripts.set(mode, transcript);
  });

  /** Runs a command, notes what it said, and expects the code. */
  async function run(code: number, argv: readonly string[], options: RunOptions = {}): Promise<Result> {
    const result = await sandbox.run(argv, options);
    expect({ argv, code: result.code, stderr: result.stderr }).toEqual({ argv, code, stderr: result.stderr });
    transcript.push(normalise(`$ ${argv.join(" ")}\n${result.stdout}exit ${result.code}\n`));
    return result;
  }

  const ids: Record<string, string> = {};

  it("customers create prints the link instead of mailing it", async () => {
    const made = await run(0, [
      "customers",
      "create",
      "--email",
      "ada@shop.test",
      "--store",
      "s1",
      "--no-mail",
    ]);
    expect(made.stdout).toMatch(/^http:\/\/\S+token=\S+\n$/);
    expect(made.stderr).toContain("No mail was sent");
    const [customer] = (await run(0, ["customers", "list", "--json"])).json().data;
    expect(customer).toMatchObject({ email: "ada@shop.test", status: "pending" });
    ids.customer = customer.id;
  });

  it("customers create with a mail; mail link finds it", async () => {
    await run(0, ["customers", "create", "--email", "bob@shop.test", "--store", "s2", "--json"]);
    const link = await run(0, ["mail", "link", "bob@shop.test"]);
    expect(link.stdout).toMatch(/^http:\/\/\S+token=\S+\n$/);
    const [mail] = (await run(0, ["mail", "list", "--to", "bob@shop.test", "--json"])).json().data;
    expect(mail).toMatchObject({ to: "bob@shop.test", template: "verify", status: "sent" });
    expect((await run(0, ["mail", "show", mail.id, "--json"])).json().data.text).toContain(
      link.stdout.trim(),
    );
    await run(6, ["mail", "link", "nobody@shop.test"]);
    await run(7, ["mail", "send-test", "nonsense"]);
    await run(0, ["mail", "send-test", "ops@shop.test", "--json"]);
  });

  it("customers verify prints the key alone, once", async () => {
    const verified = await run(0, ["customers", "verify", ids.customer ?? "", "--yes"]);
    expect(verified.stdout).toMatch(new RegExp(`^${PLAINTEXT.source}\n$`));
    ids.key = verified.stdout.trim();
    await run(7, ["customers", "verify", ids.customer ?? "", "--yes"]);
    expect((await run(0, ["customers", "show", ids.customer ?? "", "--json"])).json().data.status).toBe(
      "active",
    );
  });

  it("call speaks with the key of the environment, of a file and of stdin", async () => {
    const env = { PLATFORM_API_KEY: ids.key ?? "" };
    const called = await run(0, ["call", "/v1/account", "--silent"], { env });
    expect(called.stdout).toBe("");
    expect(called.stderr).toMatch(
      server === undefined ? /^Store: fs \S+data, opened by this command\.\n$/ : /^$/,
    );
    writeFileSync(join(sandbox.dir, "key.txt"), `${ids.key}\n`);
    expect(
      (await sandbox.run(["call", "account", "--key-file", "key.txt"])).json().data.store.identifier,
    ).toBe("s1");
    const piped = await sandbox.run(["call", "account", "--key-file", "-"], { stdin: ids.key ?? "" });
    expect(piped.json().data.customer.email).toBe("ada@shop.test");
    await run(4, ["call", "/v1/account"], { env: { PLATFORM_API_KEY: `${(ids.key ?? "").slice(0, -1)}!` } });
    await run(4, ["call", "/v1/account"]);
  });

  it("keys issue, list, show: the plaintext on stdout alone and nowhere again", async () => {
    const argv = [
      "keys",
      "issue",
      "--email",
      "ada@shop.test",
      "--preset",
      "read-only",
      "--expires",
      "90d",
      "-q",
    ];
    const issued = await run(0, [...argv, "--name", "Till"]);
    expect(issued.stdout).toMatch(new RegExp(`^${PLAINTEXT.source}\n$`));
    expect(issued.stderr).toBe("");
    const listed = await run(0, ["keys", "list", "--customer", ids.customer ?? "", "--json"]);
    const till = listed.json().data.find(({ name }: { name: string }) => name === "Till");
    expect(till).toMatchObject({ status: "ACTIVE", store: "s1" });
    expect(till.scopes.every((scope: string) => scope.endsWith(":read"))).toBe(true);
    ids.till = till.id;
    const shown = await run(0, ["keys", "show", till.id]);
    for (const { stdout } of [
      listed,
      shown,
      await run(0, ["keys", "list"]),
      await run(0, ["keys", "list", "--expiring", "91d"]),
    ]) {
      expect(stdout).not.toMatch(PLAINTEXT);
      expect(stdout).not.toMatch(/[0-9a-f]{64}/);
    }
    expect((await run(0, ["keys", "list", "--expiring", "1d", "--json"])).json().data).toEqual([]);
    // The Free plan allows two.
    await run(7, ["keys", "issue", "--email", "ada@shop.test", "--preset", "full"]);
    await run(7, ["keys", "issue", "--email", "ada@shop.test", "--scope", "no:such"]);
    await run(6, ["keys", "issue", "--email", "nobody@shop.test", "--preset", "full"]);
    await run(2, ["keys", "issue", "--email", "a@b.test", "--customer", "cus_1", "--preset", "full"]);
    await run(2, ["keys", "issue", "--email", "a@b.test", "--scope", "a:read", "--preset", "full"]);
    await run(2, ["keys", "issue", "--email", "a@b.test", "--preset", "full", "--expires", "soon"]);
  });

  it("plans and stores: the plan decides how many", async () => {
    expect(
      (await run(0, ["plans", "list", "--json"])).json().data.map(({ id }: { id: string }) => id),
    ).toContain("growth");
    expect((await run(0, ["plans", "show", "growth", "--json"])).json().data.requests_per_minute).toBe(1500);
    await run(6, ["plans", "show", "nothing"]);
    const add = ["stores", "add", "--customer", ids.customer ?? "", "--identifier", "s1-b", "--json"];
    await run(7, add);
    await run(0, ["plans", "assign", ids.customer ?? "", "growth", "--trial", "--json"]);
    const store = (await run(0, add)).json().data;
    expect(store).toMatchObject({ identifier: "s1-b", primary: false });
    expect((await run(0, ["stores", "list", "--customer", ids.customer ?? ""])).rows()).toHaveLength(2);
    await run(0, ["stores", "show", store.id]);
    await run(2, ["stores", "remove", store.id]);
    await run(2, ["stores", "remove", store.id, "--confirm", "another"]);
    await run(0, ["stores", "remove", store.id, "--confirm", "s1-b"]);
    await run(6, ["stores", "show", store.id]);
    await run(7, ["plans", "assign", ids.customer ?? "", "growth", "--trial"]);
  });

  it("limits show and reset", async () => {
    const env = { PLATFORM_API_KEY: ids.key ?? "" };
    await sandbox.run(["call", "/v1/tiers/customers"], { env });
    const own = (
      await run(0, ["keys", "list", "--customer", ids.customer ?? "", "--status", "ACTIVE", "--json"])
    ).json();
    const first = own.data.find(({ name }: { name: string }) => name !== "Till").id;
    // The latest route is known to the process that served it, and to nobody else.
    expect((await sandbox.run(["limits", "show", first, "--json"])).json().data.used).toBeGreaterThan(0);
    await run(0, ["limits", "reset", first, "--yes", "--json"]);
    expect((await sandbox.run(["limits", "show", first, "--json"])).json().data).toMatchObject({
      used: 0,
      reset: null,
    });
    await run(6, ["limits", "show", "key_nothing"]);
    await sandbox.run(["limits", "list", "--json"]);
  });

  it("keys rotate and revoke", async () => {
    const rotated = await run(0, ["keys", "rotate", ids.till ?? "", "--overlap", "1h", "--yes"]);
    expect(rotated.stdout).toMatch(new RegExp(`^${PLAINTEXT.source}\n$`));
    expect(rotated.stderr).toContain(`${ids.till} is valid until`);
    const revoked = await run(6, [
      "keys",
      "revoke",
      ids.till ?? "",
      "key_nothing",
      "--yes",
      "--reason",
      "leaked",
      "--json",
    ]);
    expect(revoked.json().data).toMatchObject([
      { id: ids.till, status: "revoked" },
      { id: "key_nothing", status: "not_found" },
    ]);
    await run(0, ["keys", "revoke", ids.till ?? "", "--yes"]);
    expect((await run(0, ["keys", "show", ids.till ?? "", "--json"])).json().data.revoked_reason).toBe(
      "leaked",
    );
  });

  it("a customer is named by its address, too, if no other has it", async () => {
    const named = await run(0, ["customers", "show", "ada@shop.test", "--json"]);
    expect(named.json().data.id).toBe(ids.customer);
    const ofStores = (await run(0, ["stores", "list", "--customer", "ada@shop.test", "--json"])).json();
    expect(ofStores.data).toMatchObject([{ customer_id: ids.customer, identifier: "s1" }]);
    const ofKeys = (await run(0, ["keys", "list", "--customer", "ada@shop.test", "--json"])).json();
    expect(ofKeys.data.map(({ id }: { id: string }) => id)).toContain(ids.till);
    await sandbox.run(["limits", "list", "--customer", "ada@shop.test", "--json"]);
    expect((await run(6, ["plans", "assign", "nobody@shop.test", "growth"])).stderr).toContain(
      "No customer has the address nobody@shop.test.",
    );
    await run(0, ["customers", "create", "--email", "bob@shop.test", "--store", "s3", "--no-mail"]);
    expect((await run(2, ["customers", "trust", "bob@shop.test"])).stderr).toContain(
      "2 customers have the address bob@shop.test. Use an id: cus_",
    );
  });

  it("customers suspend, resume, resend, delete", async () => {
    const env = { PLATFORM_API_KEY: ids.key ?? "" };
    await run(0, ["customers", "suspend", ids.customer ?? "", "--yes", "--json"]);
    await run(4, ["call", "/v1/account"], { env });
    await run(0, ["customers", "resume", ids.customer ?? "", "--json"]);
    await run(0, ["call", "/v1/account", "--silent"], { env });
    await run(0, ["customers", "resend", ids.customer ?? "", "--json"]);
    await run(2, ["customers", "delete", ids.customer ?? ""]);
    await run(2, ["customers", "delete", ids.customer ?? "", "--yes"]);
    await run(2, ["customers", "delete", ids.customer ?? "", "--confirm", "bob@shop.test"]);
    await run(0, ["customers", "delete", ids.customer ?? "", "--confirm", "ada@shop.test"]);
    await run(4, ["call", "/v1/account"], { env });
    await run(6, ["customers", "show", "cus_nothing"]);
  });

  it("audit list and verify", async () => {
    const listed = await run(0, ["audit", "list", "--about", ids.till ?? "", "--json"]);
    const actions = listed.json().data.map(({ action }: { action: string }) => action);
    expect(actions).toContain("key.revoked");
    expect(actions).toContain("key.issued");
    expect((await run(0, ["audit", "verify", "--json"])).json().data.ok).toBe(true);
    const all = (await run(0, ["audit", "list", "--all", "--json"])).json();
    const pages = (await sandbox.run(["audit", "list", "--limit", "3", "--json"])).json();
    expect(pages.meta).toMatchObject({ count: 3, pagination: { has_more: true } });
    const next = ["audit", "list", "--limit", "3", "--cursor", pages.meta.pagination.next_cursor, "--json"];
    const second = await sandbox.run(next);
    expect(second.code, second.stderr).toBe(0);
    expect([...pages.data, ...second.json().data]).toEqual(all.data.slice(0, 6));
  });

  it("jobs list, run, history", async () => {
    // When a job is due is known to the server that would run it, and to nobody else.
    const [job] = (await sandbox.run(["jobs", "list", "--json"])).json().data;
    expect((await sandbox.run(["jobs", "run", job.id, "--json"])).json().data.status).toBe("ok");
    expect((await sandbox.run(["jobs", "history", "--job", job.id, "--json"])).json().data[0].trigger).toBe(
      "manual",
    );
    await run(6, ["jobs", "run", "no.such-job"]);
  });

  it("seed and seed --clear", async () => {
    const seeded = (await run(0, ["seed", "--json"])).json().data;
    expect(seeded).toMatchObject({ store: "demo-bakery" });
    expect(seeded.created).toBeGreaterThan(0);
    expect((await run(0, ["seed", "--engine", "delivery", "--json"])).json().data.created).toBe(0);
    await run(7, ["seed", "--engine", "nothing"]);
    expect((await run(0, ["seed", "--clear", "--yes", "--json"])).json().data.removed).toBe(seeded.created);
  });

  it("storage info, verify, export, compact", async () => {
    expect((await sandbox.run(["storage", "info", "--json"])).json().data).toMatchObject({ driver: "fs" });
    expect((await run(0, ["storage", "verify"])).stdout).toBe("");
    const exported = await sandbox.run(["storage", "export"]);
    const lines = exported.stdout.trimEnd().split("\n");
    expect(keptOf(lines).length).toBeGreaterThan(20);
    mkdirSync(join(sandbox.dir, "out"), { recursive: true });
    await run(0, ["storage", "export", "-o", "out/all.ndjson"]);
    const file = readFileSync(join(sandbox.dir, "out", "all.ndjson"), "utf8");
    expect(file.endsWith("\n")).toBe(true);
    expect(keptOf(file.trimEnd().split("\n"))).toEqual(keptOf(lines));
    const compacted = (await sandbox.run(["storage", "compact", "--json"])).json().data;
    expect(compacted.bytes_after).toBeLessThanOrEqual(compacted.bytes_before);
    expect((await run(0, ["storage", "verify", "--json"])).json().data.ok).toBe(true);
  });

  it("storage salvage is for a store that no server can open", async () => {
    const salvaged = await sandbox.run(["storage", "salvage", "--yes", "--json"]);
    if (mode === "beside a running server") expect(salvaged).toMatchObject({ code: 7, stdout: "" });
    else expect({ code: salvaged.code, data: salvaged.json().data }).toEqual({ code: 0, data: [] });
  });

  it("doctor says where the service is", async () => {
    const { code, stdout } = await sandbox.run(["doctor", "--json"]);
    const { data } = JSON.parse(stdout);
    expect({ code, ok: data.ok }).toEqual({ code: 0, ok: true });
    const found = data.checks.map(({ id }: { id: string }) => id);
    expect(found).toEqual(
      expect.arrayContaining(["node", "config", "service", "storage.ping", "mail.transport"]),
    );
    expect(found.includes("service.running")).toBe(mode === "without a server");
  });

  it("2, 4 and 10 for what cannot work at all", async () => {
    await run(2, ["customers", "list", "--timeout", "never"]);
    await run(7, ["customers", "list", "--limit", "1000"]);
    await run(7, ["customers", "list", "--cursor", "made-up"]);
    await run(4, ["customers", "list", "--url", "http://127.0.0.1:1"]);
    await run(10, ["customers", "list", "--url", "http://127.0.0.1:1"], {
      env: { PLATFORM_ADMIN_TOKEN: "plat_admin_anything" },
    });
  });
});

describe("a server and no server", () => {
  it("give the same answers to the same commands", () => {
    const [beside, without] = [...transcripts.values()];
    expect(beside?.length).toBeGreaterThan(60);
    expect(without?.length).toBe(beside?.length);
    // One by one: the difference of two whole transcripts is too long to be shown.
    for (const [index, said] of (beside ?? []).entries()) expect(without?.[index]).toBe(said);
  });
});
