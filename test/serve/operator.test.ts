import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { systemClock } from "../../server/core/clock.ts";
import { MailError } from "../../server/mail/transport.ts";
import type { MailTransport } from "../../server/mail/transport.ts";
import { diagnose } from "../../server/operations/doctor/diagnose.ts";
import { StoreError } from "../../server/storage/contract.ts";
import { openFsDriver } from "../../server/storage/fs.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { createCleanup, serve } from "./rig.ts";

const cleanup = createCleanup();
let harness: Harness;
afterEach(async () => {
  await harness?.close();
  await cleanup.run();
});

const ADMIN = "/api/platform/admin";
const get = (path: string) => harness.admin("GET", ADMIN + path);
const post = (path: string, body: object = {}) => harness.admin("POST", ADMIN + path, { body });

/** A mail server that refuses until it is told to accept. */
function createMoodyTransport() {
  let mood: "accepts" | "refuses" = "refuses";
  const sent: string[] = [];
  const transport: MailTransport = {
    name: "smtp",
    async send(mail) {
      if (mood === "refuses") throw new MailError("refused", "550 no such mailbox");
      sent.push(mail.to);
      return { accepted: true, id: mail.id };
    },
  };
  return { transport, sent, accept: (): void => void (mood = "accepts") };
}

describe("mail", () => {
  it("sends a test mail, tells whether it left, lists and shows it", async () => {
    const moody = createMoodyTransport();
    moody.accept();
    harness = await createHarness({ transport: moody.transport });
    const sent = await post("/mail/send-test", { to: "ada@shop.example" });
    expect(sent.json.data).toMatchObject({ to: "ada@shop.example", email_sent: true, last_error: null });
    expect(moody.sent).toEqual(["ada@shop.example"]);
    const { id } = sent.json.data;
    expect((await get("/mail")).json.data).toMatchObject([
      { id, template: "test", status: "sent", attempts: 1 },
    ]);
    expect((await get("/mail?to=ADA@shop.example")).json.data).toHaveLength(1);
    expect((await get("/mail?to=bob@shop.example")).json.data).toEqual([]);
    const shown = (await get(`/mail/${id}`)).json.data;
    // A mail server has it: the store keeps what happened, not what was written.
    expect(shown).toMatchObject({ id, subject: expect.stringContaining("mail"), text: "", link: null });
    expect((await post(`/mail/${id}/retry`)).json.error).toMatchObject({ status: 409, code: "mail_sent" });
  });

  it("tries again what was refused for good, when an operator asks for it", async () => {
    const moody = createMoodyTransport();
    harness = await createHarness({ transport: moody.transport });
    const refused = (await post("/mail/send-test", { to: "ada@shop.example" })).json.data;
    expect(refused).toMatchObject({ email_sent: false, last_error: expect.stringContaining("550") });
    expect((await get(`/mail/${refused.id}`)).json.data.status).toBe("failed");
    moody.accept();
    expect((await post(`/mail/${refused.id}/retry`)).json.data).toMatchObject({ status: "sent" });
    expect(moody.sent).toEqual(["ada@shop.example"]);
  });

  it("does not try again what holds no longer", async () => {
    const moody = createMoodyTransport();
    harness = await createHarness({ transport: moody.transport });
    const { id } = (await post("/mail/send-test", { to: "ada@shop.example" })).json.data;
    harness.clock.advance(30 * 86_400_000);
    expect((await post(`/mail/${id}/retry`)).json.error).toMatchObject({ status: 409, code: "mail_expired" });
  });

  it("finds the newest link to an address while it works", async () => {
    harness = await createHarness();
    const email = "ada@shop.example";
    expect((await get(`/mail/link?email=${email}`)).status).toBe(404);
    await harness.call("POST", "/api/platform/signup", { body: { email, storeIdentifier: "shop" } });
    const { link } = (await get(`/mail/link?email=${email}`)).json.data;
    expect(link).toMatch(/^http:\/\/platform\.test\/api\/platform\/verify\?token=/);
    harness.clock.advance(25 * 3_600_000);
    expect((await get(`/mail/link?email=${email}`)).status).toBe(404);
  });

  it("pages newest first; 422 for a cursor of another list and for what is no address; 404 for no mail", async () => {
    harness = await createHarness();
    for (const name of ["a", "b", "c"]) {
      await post("/mail/send-test", { to: `${name}@shop.example` });
      harness.clock.advance(1_000);
    }
    const first = (await get("/mail?limit=2")).json;
    expect(first.data.map(({ to }: { to: string }) => to)).toEqual(["c@shop.example", "b@shop.example"]);
    const { next_cursor } = first.meta.pagination;
    expect((await get(`/mail?limit=2&cursor=${next_cursor}`)).json.data).toMatchObject([
      { to: "a@shop.example" },
    ]);
    expect((await get(`/mail?to=a@shop.example&cursor=${next_cursor}`)).status).toBe(422);
    expect((await post("/mail/send-test", { to: "not an address" })).status).toBe(422);
    expect((await post("/mail/send-test", { to: "a@shop.example\r\nBcc: b@x.example" })).status).toBe(422);
    for (const id of ["mail_none", "..%2fx", "mail_01JD8Z5T9QK3M4N5P6R7S8T9V0"]) {
      expect((await get(`/mail/${id}`)).status).toBe(404);
    }
  });
});

describe("jobs", () => {
  it("lists jobs page by page, runs one, and keeps what it did", async () => {
    harness = await createHarness();
    const all = (await get("/jobs?limit=100")).json.data;
    expect(all.map(({ id }: { id: string }) => id)).toContain("http.sweep-idempotency");
    const first = (await get("/jobs?limit=1")).json;
    const second = (await get(`/jobs?limit=1&cursor=${first.meta.pagination.next_cursor}`)).json;
    expect([first.data[0].id, second.data[0].id]).toEqual([all[0].id, all[1].id]);
    const run = await post("/jobs/http.sweep-idempotency/run");
    expect(run.json.data).toMatchObject({
      status: "ok",
      trigger: "manual",
      counts: { deleted: 0 },
      error: null,
    });
    expect((await get("/jobs/history")).json.data).toEqual([run.json.data]);
    expect((await get("/jobs/history?job_id=other.job")).json.data).toEqual([]);
    const [job] = (await get("/jobs?limit=100")).json.data.filter(
      ({ id }: { id: string }) => id === "http.sweep-idempotency",
    );
    expect(job).toMatchObject({ running: false, last_status: "ok", last_at: run.json.data.finished_at });
    expect((await post("/jobs/no.job/run")).status).toBe(404);
  });

  it("409 to be told the time outside development; in development it is", async () => {
    harness = await createHarness();
    const now = "2027-01-01T00:00:00.000Z";
    const refused = await post("/jobs/http.sweep-idempotency/run", { now });
    expect(refused.json.error).toMatchObject({ status: 409, code: "production" });
    const server = await serve(cleanup);
    const response = await fetch(`${server.url}${ADMIN}/jobs/http.sweep-idempotency/run`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" },
      body: JSON.stringify({ now }),
    });
    expect(await response.json()).toMatchObject({ data: { now, status: "ok" } });
  });
});

describe("storage", () => {
  it("tells what is in it, verifies it, exports it whole", async () => {
    harness = await createHarness();
    await harness.key();
    const info = (await get("/storage/info")).json.data;
    expect(info).toMatchObject({
      driver: "memory",
      partitions: [expect.objectContaining({ name: "platform" })],
    });
    expect((await post("/storage/verify")).json.data).toMatchObject({
      ok: true,
      problem_count: 0,
      problems: [],
    });
    const exported = await get("/storage/export");
    expect(exported.headers.get("content-type")).toBe("application/x-ndjson");
    const lines = exported.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ format: 1, driver: "memory" });
    expect(lines.at(-1)).toMatchObject({
      count: info.documents,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(lines).toHaveLength(info.documents + 2);
    expect((await post("/storage/compact")).json.error).toMatchObject({
      status: 409,
      code: "not_compactable",
    });
  });

  it("says what is wrong with an index entry that points nowhere", async () => {
    harness = await createHarness();
    await harness.store.commit("sto_x", [{ put: "sto_x:ix.menus.categories.new:@a~cat_1", value: "1" }]);
    const found = (await post("/storage/verify")).json.data;
    expect(found).toMatchObject({ ok: false, problem_count: 1 });
    expect(found.problems[0].key).toBe("sto_x:ix.menus.categories.new:@a~cat_1");
  });

  it("compacts a store on files: what was deleted is gone from the folder", async () => {
    const base = await mkdtemp(join(tmpdir(), "platform-compact-"));
    cleanup.add(() => rm(base, { recursive: true, force: true }));
    harness = await createHarness({ store: await openFsDriver({ base, clock: systemClock }) });
    for (let round = 0; round < 20; round += 1) {
      await harness.store.commit("sto_x", [{ put: "sto_x:a.b:c", value: JSON.stringify("x".repeat(5_000)) }]);
    }
    const { bytes_before, bytes_after } = (await post("/storage/compact")).json.data;
    expect(bytes_after).toBeLessThan(bytes_before - 50_000);
  });

  it("exports a large store whole over HTTP", async () => {
    const server = await serve(cleanup);
    const value = JSON.stringify("x".repeat(100_000));
    for (let batch = 0; batch < 50; batch += 1) {
      const ops = Array.from(
        { length: 8 },
        (_, index) => ({ put: `sto_x:a.b:d${batch}_${index}`, value }) as const,
      );
      await server.services.store.commit("sto_x", ops);
    }
    const count = async () => (await server.services.store.stats()).documents ?? 0;
    const before = await count();
    const response = await fetch(`${server.url}${ADMIN}/storage/export`, {
      headers: { authorization: `Bearer ${server.adminToken}` },
    });
    let lines = 0;
    for await (const chunk of response.body ?? []) {
      for (const byte of chunk) if (byte === 10) lines += 1;
    }
    // Jobs of the server write meanwhile.
    expect(lines).toBeGreaterThanOrEqual(before + 2);
    expect(lines).toBeLessThanOrEqual((await count()) + 2);
  });
});

describe("doctor", () => {
  const byId = (checks: readonly { id: string; status: string }[]) =>
    Object.fromEntries(checks.map(({ id, status }) => [id, status]));

  it("finds a running server in development well", async () => {
    const server = await serve(cleanup, { "storage.driver": "fs" });
    const checks = await diagnose(server.services);
    expect(checks.filter(({ status }) => status !== "ok")).toEqual([]);
    expect(checks.find(({ id }) => id === "base-url")?.detail).toBe(server.url);
    // The probe leaves nothing behind.
    const left = await server.services.store.collections("platform");
    expect(left.filter(({ name }) => name.includes("doctor"))).toEqual([]);
  });

  it("finds a store that cannot write, a clock that is behind, mail that waits and a base URL that leads nowhere", async () => {
    const moody = createMoodyTransport();
    harness = await createHarness({
      transport: {
        ...moody.transport,
        send: async () => Promise.reject(new MailError("unreachable", "no route")),
      },
      config: { baseUrl: "http://api.shop.example" },
    });
    await post("/mail/send-test", { to: "ada@shop.example" });
    await harness.key();
    await post("/customers", { email: "ada@shop.example", storeIdentifier: "shop", mail: false });
    harness.clock.advance(3_600_000);
    expect(byId(await diagnose(harness.services))).toMatchObject({
      "mail.backlog": "warn",
      "base-url": "fail",
    });
    harness.clock.advance(-7_200_000);
    expect(byId(await diagnose(harness.services))).toMatchObject({ clock: "fail" });
    const broken = new StoreError("FULL", "no space left on device");
    const store = {
      ...harness.store,
      ping: async () => Promise.reject(broken),
      commit: async () => Promise.reject(broken),
    };
    const checks = await diagnose({ ...harness.services, store });
    expect(byId(checks)).toMatchObject({ "storage.ping": "fail", "storage.round-trip": "fail" });
    expect(checks.find(({ id }) => id === "storage.ping")?.detail).toContain("no space");
  });

  it("finds a store that takes a write on a wrong version", async () => {
    harness = await createHarness();
    const { store } = harness;
    const careless = {
      ...store,
      commit: (part: string, ops: Parameters<typeof store.commit>[1]) => store.commit(part, ops),
    };
    const checks = await diagnose({ ...harness.services, store: careless });
    expect(byId(checks)).toMatchObject({ "storage.round-trip": "fail" });
  });

  it("finds a mail server that does not answer, and secrets in the configuration file", async () => {
    const smtp = { transport: "smtp", from: "a@b.example", smtp: { host: "127.0.0.1", port: 9 } } as const;
    harness = await createHarness({ config: { mail: smtp } });
    const loaded = {
      file: "/srv/shop/platform.config.ts",
      origins: { "mail.smtp.pass": "platform.config.ts", "admin.token": "env PLATFORM_ADMIN_TOKEN" },
      secrets: ["mail.smtp.pass", "admin.token"],
      warnings: [],
      extensions: {},
    };
    const checks = await diagnose({ ...harness.services, loaded });
    expect(byId(checks)).toMatchObject({ "mail.transport": "fail", "config.secrets": "warn" });
    const secrets = checks.find(({ id }) => id === "config.secrets");
    expect(secrets?.detail).toContain("mail.smtp.pass");
    expect(secrets?.detail).not.toContain("admin.token");
  });
});
