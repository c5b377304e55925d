import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { createRequire } from "node:module";

import { afterEach, describe, expect, it } from "vitest";

import { ConfigSchema } from "../../server/config/schema.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly metrics: readonly {
    readonly labels?: Readonly<Record<string, string>>;
    readonly value?: string;
    readonly count?: string;
    readonly buckets?: Readonly<Record<string, string>>;
  }[];
}
const parsePrometheus: (text: string) => Metric[] = createRequire(import.meta.url)(
  "parse-prometheus-text-format",
).default;

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
  const scrape = async (app: Harness): Promise<Map<string, Metric>> => {
    const answer = await app.call("GET", "/metrics", { key: TOKEN });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    return new Map(parsePrometheus(answer.text).map((metric) => [metric.name, metric]));
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
    const found = await scrape(app);
    const duration = found.get("http_server_request_duration_seconds");
    expect(duration?.type).toBe("HISTOGRAM");
    const of = (labels: Readonly<Record<string, string>>) =>
      duration?.metrics.find((series) =>
        Object.entries(labels).every(([name, value]) => series.labels?.[name] === value),
      );
    const listed = of({ http_route: "/v1/delivery/zones", http_response_status_code: "200" });
    expect(listed?.count).toBe("3");
    expect(listed?.buckets?.["+Inf"]).toBe("3");
    expect(Object.keys(listed?.buckets ?? {})).toContain("0.075");
    expect(of({ http_route: "/v1/delivery/zones/{id}" })?.labels).toMatchObject({
      http_request_method: "GET",
      http_response_status_code: "404",
      url_scheme: "http",
    });
    expect(of({ http_request_method: "_OTHER" })?.count).toBe("1");
    expect(JSON.stringify([...found.values()])).not.toContain("ada@");
    const calls = found.get("db_client_operation_duration_seconds");
    const operations = new Set(calls?.metrics.map((series) => series.labels?.db_operation_name));
    expect(operations.has("page")).toBe(true);
    for (const name of [
      "http_server_active_requests",
      "process_memory_usage_bytes",
      "process_cpu_time_seconds_total",
    ]) {
      expect(found.has(name), name).toBe(true);
    }
    // The scrape itself is under way.
    expect(found.get("http_server_active_requests")?.metrics.map(({ value }) => value)).toContain("1");
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

describe("traces", () => {
  it("tell a request and what it asked of the store, within the caller's trace", async () => {
    const collector = await openCollector();
    const app = await openApp({ tracesUrl: collector.url, serviceName: "shop-api" });
    const key = await app.key();
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const answer = await app.call("GET", "/v1/delivery/zones/zon_secret?token=abc", {
      key,
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });
    await app.services.telemetry?.close();
    const server = collector.spans.find(({ kind }) => kind === 2);
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
