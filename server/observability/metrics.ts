import { monitorEventLoopDelay } from "node:perf_hooks";

import type { Attributes, Meter } from "@opentelemetry/api";
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";

import {
  ATTR_DB_OPERATION_NAME,
  ATTR_DB_SYSTEM_NAME,
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
  ATTR_URL_SCHEME,
  METRIC_DB_CLIENT_OPERATION_DURATION,
  METRIC_HTTP_CLIENT_REQUEST_DURATION,
  METRIC_HTTP_SERVER_REQUEST_DURATION,
} from "./conventions.ts";
import { onWorkerTaskEnd, queuedTasks } from "../lib/worker-tasks.ts";
import type { Asked, Call, Ended, Recorder, TelemetrySettings } from "./recorder.ts";

/** Bounds that the conventions advise, in seconds; those of calls to a store begin lower. */
const REQUEST_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const STORE_BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];
/** Mails, texts, webhooks and jobs. */
const CALL_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Measures of this process, by the names of the OpenTelemetry conventions (1.x, stable ones where there are). */
export function openMetrics(
  { serviceName }: TelemetrySettings,
  { version }: { readonly version: string },
): Recorder & { scrape(): Promise<string> } {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const resource = resourceFromAttributes({
    [ATTR_SERVICE_NAME]: serviceName,
    [ATTR_SERVICE_VERSION]: version,
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const meter = provider.getMeter(serviceName, version);
  const durations = openDurations(meter);
  const active = meter.createUpDownCounter("http.server.active_requests", {
    description: "Number of active HTTP server requests.",
    unit: "{request}",
  });
  const stop = watchProcess(meter);
  const stopTasks = watchWorkerTasks(meter);
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);

  return {
    request(asked) {
      const attributes = {
        [ATTR_HTTP_REQUEST_METHOD]: methodOf(asked.method),
        [ATTR_URL_SCHEME]: asked.scheme,
      };
      active.add(1, attributes);
      return {
        run: (work) => work(),
        end(ended) {
          active.add(-1, attributes);
          durations.request.record(ended.seconds, { ...attributes, ...outcome(asked, ended) });
        },
      };
    },
    call: (call) => ({ run: (work) => work(), end: (ended) => recordCall(durations, call, ended) }),
    async scrape() {
      const { resourceMetrics } = await reader.collect();
      return serializer.serialize(withUnits(resourceMetrics));
    },
    async close() {
      stop();
      stopTasks();
      await provider.shutdown();
    },
  };
}

type Durations = ReturnType<typeof openDurations>;

function openDurations(meter: Meter) {
  const histogram = (name: string, description: string, bounds: number[]) =>
    meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries: bounds } });
  return {
    request: histogram(
      METRIC_HTTP_SERVER_REQUEST_DURATION,
      "Duration of HTTP server requests.",
      REQUEST_BOUNDS,
    ),
    http: histogram(METRIC_HTTP_CLIENT_REQUEST_DURATION, "Duration of HTTP client requests.", REQUEST_BOUNDS),
    store: histogram(
      METRIC_DB_CLIENT_OPERATION_DURATION,
      "Duration of database client operations.",
      STORE_BOUNDS,
    ),
    mail: histogram(
      "platform.mail.send.duration",
      "Duration of handing a mail to the mail server.",
      CALL_BOUNDS,
    ),
    ai: histogram(
      "gen_ai.client.operation.duration",
      "Duration of generating a text; of a streamed one until it begins.",
      CALL_BOUNDS,
    ),
    webhook: histogram(
      "platform.webhook.delivery.duration",
      "Duration of attempts to deliver a webhook.",
      CALL_BOUNDS,
    ),
    job: histogram("platform.job.run.duration", "Duration of runs of a job, each in one store.", CALL_BOUNDS),
  };
}

/**
 * Hosts and partitions are anybody's: as a label each would be a series of its own, for ever. They are in the traces. Methods,
 * operations, providers and jobs come from code and configuration.
 */
function recordCall(durations: Durations, { kind, operation, system }: Call, ended: Ended): void {
  const labels: Readonly<Record<Call["kind"], Attributes>> = {
    store: { [ATTR_DB_SYSTEM_NAME]: system, [ATTR_DB_OPERATION_NAME]: operation },
    http: { [ATTR_HTTP_REQUEST_METHOD]: methodOf(operation) },
    mail: { transport: system },
    ai: { "gen_ai.operation.name": operation, "gen_ai.provider.name": system },
    webhook: {},
    job: { job: operation },
  };
  durations[kind].record(ended.seconds, {
    ...labels[kind],
    ...(ended.status === null ? {} : { [ATTR_HTTP_RESPONSE_STATUS_CODE]: ended.status }),
    ...(ended.error === null ? {} : { [ATTR_ERROR_TYPE]: ended.error }),
  });
}

const outcome = ({ route }: Asked, { status, error }: Ended): Attributes => ({
  ...(route === null ? {} : { [ATTR_HTTP_ROUTE]: route }),
  ...(status === null ? {} : { [ATTR_HTTP_RESPONSE_STATUS_CODE]: status }),
  ...(error === null ? {} : { [ATTR_ERROR_TYPE]: error }),
});

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** A client may invent methods, and each would be a series of its own. */
const methodOf = (method: string): string => (METHODS.has(method) ? method : "_OTHER");

/** Work on texts in threads: how long it takes, and how many tasks wait; returns what ends the watching. */
function watchWorkerTasks(meter: Meter): () => void {
  const durations = meter.createHistogram("platform.worker.task.duration", {
    description: "Duration of text processing in worker threads, including the time in the queue.",
    unit: "s",
    advice: { explicitBucketBoundaries: REQUEST_BOUNDS },
  });
  meter
    .createObservableUpDownCounter("platform.worker.queue.length", {
      description: "Number of text processing tasks that wait for a worker thread.",
      unit: "{task}",
    })
    .addCallback((result) => result.observe(queuedTasks()));
  return onWorkerTaskEnd(({ task, seconds, isFailed }) =>
    durations.record(seconds, { task, ...(isFailed ? { [ATTR_ERROR_TYPE]: "failed" } : {}) }),
  );
}

/** Memory, processor time and the delay of the event loop; returns what ends the watching. */
function watchProcess(meter: Meter): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  meter
    .createObservableCounter("process.cpu.time", { description: "Total CPU seconds.", unit: "s" })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage();
      result.observe(user / 1e6, { "cpu.mode": "user" });
      result.observe(system / 1e6, { "cpu.mode": "system" });
    });
  meter
    .createObservableUpDownCounter("process.memory.usage", {
      description: "Physical memory in use.",
      unit: "By",
    })
    .addCallback((result) => result.observe(process.memoryUsage.rss()));
  meter
    .createObservableUpDownCounter("v8js.memory.heap.used", {
      description: "Heap memory in use.",
      unit: "By",
    })
    .addCallback((result) => result.observe(process.memoryUsage().heapUsed));
  for (const [name, percentile] of [
    ["p50", 50],
    ["p99", 99],
  ] as const) {
    meter
      .createObservableGauge(`nodejs.eventloop.delay.${name}`, {
        description: `Event loop delay, ${percentile}th percentile.`,
        unit: "s",
      })
      .addCallback((result) => result.observe(delay.percentile(percentile) / 1e9));
  }
  return () => delay.disable();
}

const SUFFIXES: Readonly<Record<string, string>> = { s: "seconds", By: "bytes" };

/** Prometheus wants the unit in the name (`…_duration_seconds`), which the exporter leaves out. */
const withUnits = (collected: ResourceMetrics): ResourceMetrics => ({
  ...collected,
  scopeMetrics: collected.scopeMetrics.map((scope) => ({
    ...scope,
    metrics: scope.metrics.map((metric) => {
      const suffix = SUFFIXES[metric.descriptor.unit];
      const name = suffix === undefined ? metric.descriptor.name : `${metric.descriptor.name}.${suffix}`;
      return { ...metric, descriptor: { ...metric.descriptor, name, unit: "" } };
    }),
  })),
});
