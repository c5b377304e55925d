import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";

import { afterEach, describe, expect, it } from "vitest";

import { ConfigSchema } from "../../server/config/schema.ts";
import { scrapeWorkers } from "../../server/observability/siblings.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string;
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const LINE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)?\\})? ([-+]?(?:[0-9.e+-]+|Inf|NaN))$`);

/** A scrape as Prometheus reads it: every line has to fit the text format 0.0.4, every sample its announced family. */
function parseScrape(text: string): { samples: Sample[]; types: Map<string, string> } {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  expect(text.endsWith("\n")).toBe(true);
  for (const line of text.split("\n").filter((one) => one !== "")) {
    if (line.startsWith("#")) {
      const [, kind = "", name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
      expect(kind, line).not.toBe("");
      if (kind === "TYPE") {
        expect(types.has(name), `${name} is announced once`).toBe(false);
        types.set(name, rest);
      }
      continue;
    }
    const [, name = "", labels = "", value = ""] = LINE.exec(line) ?? [];
    expect(name, `a line of the format: ${line}`).not.toBe("");
    const family = [name, name.replace(/_(bucket|sum|count)$/, "")].find((one) => types.has(one));
    expect(family, `${name} was announced`).toBeDefined();
    const pairs = [...labels.matchAll(new RegExp(LABEL, "g"))].map(([pair]): [string, string] => {
      const mark = pair.indexOf("=");
      return [pair.slice(0, mark), pair.slice(mark + 2, -1)];
    });
    samples.push({ name, labels: Object.fromEntries(pairs), value });
  }
  return { samples, types };
}

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function openApp(observability: object): Promise<Harness> {
  const config = ConfigSchema.parse({ observability });
  const app = await createHarness({ config: { observability: config.observability } });
  undo.push(() => app.close());
  return app;
}

const TOKEN = "metrics-token-of-this-test";

describe("/metrics", () => {
  const scrape = async (app: Harness): Promise<ReturnType<typeof parseScrape>> => {
    const answer = await app.call("GET", "/metrics", { key: TOKEN });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    return parseScrape(answer.text);
  };

  it("is not there unless it is switched on", async () => {
    const app = await openApp({});
    expect(app.services.telemetry).toBeNull();
    expect((await app.admin("GET", "/metrics")).status).toBe(404);
  });

  it("counts requests by route and status, under the names of the conventions", async () => {
    const app = await openApp({ metrics: true, metricsToken: TOKEN });
    const key = await app.key();
    for (let sent = 0; sent < 3; sent += 1) await app.call("GET", "/v1/delivery/zones", { key });
    await app.call("GET", "/v1/delivery/zones/zon_1", { key });
    await app.call("GET", "/nowhere/ada@shop.example", { key });
    await app.call("BREW", "/v1/delivery/zones", { key });
    await app.call("POST", "/v1/content/analyses", {
      key,
      body: { body: "Our bread is baked daily. ".repeat(60) },
    });
    const { samples, types } = await scrape(app);
    const of = (name: string, labels: Readonly<Record<string, string>>): Sample | undefined =>
      samples.find(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      );
    const duration = "http_server_request_duration_seconds";
    expect(types.get(duration)).toBe("histogram");
    const listed = { http_route: "/v1/delivery/zones", http_response_status_code: "200" };
    expect(of(`${duration}_count`, listed)?.value).toBe("3");
    expect(of(`${duration}_bucket`, { ...listed, le: "+Inf" })?.value).toBe("3");
    expect(of(`${duration}_bucket`, { ...listed, le: "0.075" })).toBeDefined();
    expect(Number(of(`${duration}_sum`, listed)?.value)).toBeGreaterThan(0);
    expect(of(`${duration}_count`, { http_route: "/v1/delivery/zones/{id}" })?.labels).toMatchObject({
      http_request_method: "GET",
      http_response_status_code: "404",
      url_scheme: "http",
    });
    expect(of(`${duration}_count`, { http_request_method: "_OTHER" })?.value).toBe("1");
    expect(JSON.stringify(samples)).not.toContain("ada@");
    expect(of("db_client_operation_duration_seconds_count", { db_operation_name: "page" })).toBeDefined();
    expect(types.get("process_cpu_time_seconds_total")).toBe("counter");
    expect(types.get("process_memory_usage_bytes")).toBe("gauge");
    expect(of("platform_worker_queue_length", {})?.value).toBe("0");
    expect(of("platform_worker_task_duration_seconds_count", { task: "content.score" })?.value).toBe("1");
    // The scrape itself is under way.
    expect(of("http_server_active_requests", { http_request_method: "GET" })?.value).toBe("1");
  });

  it("is the operator's: 401 without a token, with a key, with a wrong token", async () => {
    const app = await openApp({ metrics: true, metricsToken: TOKEN });
    const key = await app.key();
    expect((await app.call("GET", "/metrics")).status).toBe(401);
    expect((await app.call("GET", "/metrics", { key })).status).toBe(401);
    expect((await app.call("GET", "/metrics", { key: `${TOKEN}x` })).status).toBe(401);
    expect((await app.admin("GET", "/metrics")).status).toBe(200);
    expect((await app.call("GET", "/api/platform/admin/keys", { key: TOKEN })).status).toBe(401);
  });
});

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** A collector: takes OTLP over HTTP as JSON and keeps the spans. */
async function openCollector(): Promise<{ url: string; spans: SentSpan[]; services: Set<unknown> }> {
  const spans: SentSpan[] = [];
  const services = new Set<unknown>();
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => void chunks.push(chunk));
    req.on("end", () => {
      expect(req.url).toBe("/v1/traces");
      for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString("utf8"))
        .resourceSpans) {
        for (const { key, value } of resource.attributes)
          if (key === "service.name") services.add(value.stringValue);
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      res.setHeader("content-type", "application/json").end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.push(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, spans, services };
}

const attribute = (span: SentSpan | undefined, key: string): unknown =>
  Object.values(span?.attributes.find((one) => one.key === key)?.value ?? {})[0];

describe("a scrape of one of several workers", () => {
  const own = [
    "# HELP hits Hits.",
    "# TYPE hits counter",
    'hits{path="a{b}"} 3',
    "# HELP load Load.",
    "# TYPE load gauge",
    "load 0.5",
    "",
  ].join("\n");
  const other = '# HELP hits Hits.\n# TYPE hits counter\nhits{path="a{b}"} 4\nhits{path="c"} 1\n';

  it("holds the samples of all of them by families, with their numbers, and tells who is missing", async () => {
    const text = await scrapeWorkers(async () => own, {
      self: 2,
      count: 3,
      scrape: async () => new Map([[1, other]]),
    });
    const { samples, types } = parseScrape(text);
    expect(samples.filter(({ name }) => name === "hits")).toEqual([
      { name: "hits", labels: { worker: "1", path: "a{b}" }, value: "4" },
      { name: "hits", labels: { worker: "1", path: "c" }, value: "1" },
      { name: "hits", labels: { worker: "2", path: "a{b}" }, value: "3" },
    ]);
    expect(samples.filter(({ name }) => name === "load")).toEqual([
      { name: "load", labels: { worker: "2" }, value: "0.5" },
    ]);
    const up = samples.filter(({ name }) => name === "platform_worker_up");
    expect(up.map(({ labels, value }) => [labels["worker"], value])).toEqual([
      ["1", "1"],
      ["2", "1"],
      ["3", "0"],
    ]);
    expect([...types.values()]).toEqual(["counter", "gauge", "gauge"]);
    // The samples of a family stand together, below its announcement.
    expect(text.indexOf("load{")).toBeGreaterThan(text.lastIndexOf("hits{"));
  });
});

describe("traces", () => {
  it("tell a request and what it asked of the store, within the caller's trace", async () => {
    const collector = await openCollector();
    const app = await openApp({ tracesUrl: collector.url, serviceName: "shop-api" });
    const key = await app.key();
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const answer = await app.call("GET", "/v1/delivery/zones/zon_secret", {
      key,
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });
    await app.call("GET", "/v1/delivery/zones/zon_secret?token=abc");
    await app.services.telemetry?.close();
    const server = collector.spans.find(({ kind, traceId: id }) => kind === 2 && id === traceId);
    expect(server).toMatchObject({
      traceId,
      parentSpanId: "00f067aa0ba902b7",
      name: "GET /v1/delivery/zones/{id}",
    });
    expect(attribute(server, "http.response.status_code")).toBe(404);
    expect(attribute(server, "http.route")).toBe("/v1/delivery/zones/{id}");
    expect(attribute(server, "platform.request_id")).toBe(answer.headers.get("x-request-id"));
    const calls = collector.spans.filter(({ kind }) => kind === 3);
    expect(calls.map(({ name }) => name)).toContain("get delivery.zones");
    expect(calls.every((span) => span.traceId === traceId && span.parentSpanId === server?.spanId)).toBe(
      true,
    );
    expect(attribute(calls[0], "db.system.name")).toBe("fs");
    expect(JSON.stringify(collector.spans)).not.toMatch(/zon_secret|token=abc|plat_/);
    expect([...collector.services]).toEqual(["shop-api"]);
  });

  it("tell the run of a job and what it asked of the store", async () => {
    const collector = await openCollector();
    const app = await openApp({ tracesUrl: collector.url });
    await app.admin("POST", "/api/platform/admin/jobs/platform.forget-requests/run", { body: {} });
    await app.services.telemetry?.close();
    const job = collector.spans.find(({ name }) => name === "job platform.forget-requests");
    expect(attribute(job, "platform.job.id")).toBe("platform.forget-requests");
    const within = collector.spans.filter(({ parentSpanId }) => parentSpanId === job?.spanId);
    expect(within.map(({ name }) => name)).toEqual([expect.stringMatching(/^page .*platform\.request_log/)]);
  });

  it("are as many as the settings say, whatever the caller wants", async () => {
    const collector = await openCollector();
    const app = await openApp({ tracesUrl: collector.url, samplePercent: 0 });
    await app.call("GET", "/v1/delivery/zones", {
      key: await app.key(),
      headers: { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" },
    });
    await app.services.telemetry?.close();
    expect(collector.spans).toEqual([]);
  });

  it("mark what failed, and a store that does not answer is told by its code", async () => {
    const collector = await openCollector();
    const app = await openApp({ tracesUrl: collector.url });
    const key = await app.key();
    await app.store.close();
    expect((await app.call("GET", "/v1/delivery/zones", { key })).status).toBeGreaterThanOrEqual(500);
    await app.services.telemetry?.close();
    const server = collector.spans.find(({ kind }) => kind === 2);
    expect(server?.status.code).toBe(2);
    expect(attribute(server, "error.type")).toMatch(/^5\d\d$/);
    undo.splice(undo.length - 1, 1);
  });
});
