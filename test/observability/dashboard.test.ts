import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { ConfigSchema } from "../../server/config/schema.ts";
import { scrapeWorkers } from "../../server/observability/siblings.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

const hosting = (name: string): Promise<string> =>
  readFile(new URL(`../../templates/hosting/${name}`, import.meta.url), "utf8");

const PROMTOOL_MISSING = "promtool is not installed: apt-get install prometheus";
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
if (!hasPromtool && (process.env["CI"] !== undefined || process.env["PLATFORM_TEST_REQUIRE"] === "1")) {
  throw new Error(PROMTOOL_MISSING);
}

const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).min(1) })),
});
const expressionsOfDashboard = async (): Promise<string[]> =>
  Dashboard.parse(JSON.parse(await hosting("grafana-dashboard.json"))).panels.flatMap(({ targets }) =>
    targets.map(({ expr }) => expr),
  );
const expressionsOfRules = async (): Promise<string[]> =>
  [...(await hosting("prometheus-rules.yml")).matchAll(/^ +expr: (.+)$/gm)].map(([, text = ""]) => text);

/** Metrics of an expression: each is written with its braces. `up` is Prometheus's own. */
const metricsIn = (expression: string): string[] =>
  [...expression.matchAll(/([a-z_:][a-z0-9_:]*)\{/g)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "up");

let app: Harness;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dashboard-"));
  const { observability, backup } = ConfigSchema.parse({
    observability: { metrics: true },
    backup: { to: folder },
  });
  app = await createHarness({
    config: { observability, backup },
    post: async () => ({ status: 410, body: "" }),
  });
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

/** Uses everything that is measured. */
async function useAll(): Promise<void> {
  const { services } = app;
  const key = await app.key();
  services.mail.start();
  services.webhooks.start();
  await app.call("GET", "/v1/delivery/zones", { key });
  await app.admin("POST", "/api/platform/admin/mail/send-test", { body: { to: "ada@shop.example" } });
  await app.admin("POST", "/api/platform/admin/jobs/storage.backup/run", { body: {} });
  const body = { url: "https://hooks.example/in", types: ["*"] };
  const hook = await app.call("POST", "/v1/account/webhooks", { key, body });
  await app.call("POST", `/v1/account/webhooks/${hook.json.data.id}/test`, { key });
  const request = { engine: "content", operation: "summarise", key_id: null, resource: null } as const;
  const text = "Our bakery opens at eight. Bread is baked every day. On Sundays we are closed.";
  await services.ports.ai.generate({ ...request, input: { text }, request_id: "req_1", part: "sto_1" });
  await services.ports.fetch({ url: "http://127.0.0.1:1/" }).catch(() => undefined);
}

async function scrapeAll(): Promise<string> {
  const { text } = await app.admin("GET", "/metrics");
  const scrape = async (): Promise<string> => text;
  return text + (await scrapeWorkers(scrape, { self: 1, count: 1, scrape: async () => new Map() }));
}

describe("the dashboard and the alert rules", () => {
  it("use metrics that a scrape has, all of them", async () => {
    const expressions = [...(await expressionsOfDashboard()), ...(await expressionsOfRules())];
    expect(expressions.length).toBeGreaterThan(25);
    const wanted = new Set(expressions.flatMap(metricsIn));
    await useAll();
    const missing = async (): Promise<string[]> => {
      const scraped = await scrapeAll();
      const names = new Set(scraped.split("\n").map((line) => /^[a-z_:][a-z0-9_:]*/.exec(line)?.[0]));
      return [...wanted].filter((name) => !names.has(name));
    };
    await expect.poll(missing, { timeout: 20_000 }).toEqual([]);
  });

  it("have labels that are bounded: no host, no store, no address", async () => {
    const text = await scrapeAll();
    expect(text).toMatch(/^platform_job_run_duration_seconds_count\{job="storage\.backup"\} 1$/m);
    expect(text).toMatch(
      /^platform_webhook_delivery_duration_seconds_count\{http_response_status_code="410"\} \d+$/m,
    );
    expect(text).toMatch(
      /^gen_ai_client_operation_duration_seconds_count\{gen_ai_operation_name="summarise",gen_ai_provider_name="builtin"\} 1$/m,
    );
    expect(text).toMatch(/^platform_mail_send_duration_seconds_count\{transport="dev"\} \d+$/m);
    expect(text).toMatch(
      /^http_client_request_duration_seconds_count\{http_request_method="GET",error_type="\w+"\} 1$/m,
    );
    expect(text).not.toMatch(/hooks\.example|127\.0\.0\.1|sto_|ada@/);
  });

  it.skipIf(!hasPromtool)("are valid for Prometheus", async () => {
    const rules = new URL("../../templates/hosting/prometheus-rules.yml", import.meta.url).pathname;
    const checked = spawnSync("promtool", ["check", "rules", rules], { encoding: "utf8" });
    expect(checked.stdout).toContain("SUCCESS: 11 rules found");
    // An expression of the dashboard is checked as a rule that records it.
    const groups = (await expressionsOfDashboard()).map((expr, index) => ({
      record: `panel_${index}`,
      expr,
    }));
    const file = join(folder, "rules.json");
    await writeFile(file, JSON.stringify({ groups: [{ name: "dashboard", rules: groups }] }));
    const panels = spawnSync("promtool", ["check", "rules", file], { encoding: "utf8" });
    expect(panels.stdout + panels.stderr).toContain(`SUCCESS: ${groups.length} rules found`);
  });
});
