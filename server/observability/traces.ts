import { AsyncLocalStorage } from "node:async_hooks";

import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Context, Span, TextMapGetter } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base";
import type { SpanExporter } from "@opentelemetry/sdk-trace-base";

import {
  ATTR_DB_COLLECTION_NAME,
  ATTR_DB_OPERATION_NAME,
  ATTR_DB_SYSTEM_NAME,
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
  ATTR_URL_SCHEME,
} from "./conventions.ts";
import type { Log } from "../core/log.ts";
import type { Asked, Call, Ended, Recorder, TelemetrySettings } from "./recorder.ts";

/** The request id of the answer: what a customer quotes, so that support finds the trace. */
const ATTR_REQUEST_ID = "platform.request_id";

/** Spans of requests and of the calls they cause, sent in batches to an OTLP collector. */
export function openTraces(
  { serviceName, tracesUrl, samplePercent }: TelemetrySettings & { readonly tracesUrl: string },
  { log, version }: { readonly log: Log; readonly version: string },
): Recorder {
  const ratio = new TraceIdRatioBasedSampler(samplePercent / 100);
  const url = `${tracesUrl.replace(/\/+$/, "")}/v1/traces`;
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: serviceName, [ATTR_SERVICE_VERSION]: version }),
    // Callers may be anybody: that one wants its own requests traced is no reason to trace more of them.
    sampler: new ParentBasedSampler({ root: ratio, remoteParentSampled: ratio }),
    spanProcessors: [new BatchSpanProcessor(reporting(new OTLPTraceExporter({ url }), log))],
  });
  const tracer = provider.getTracer(serviceName, version);
  const current = new AsyncLocalStorage<Context>();
  const propagator = new W3CTraceContextPropagator();

  return {
    request(asked) {
      const parent = propagator.extract(ROOT_CONTEXT, asked, HEADERS);
      const attributes = requestAttributes(asked);
      const span = tracer.startSpan(nameOf(asked), { kind: SpanKind.SERVER, attributes }, parent);
      return {
        run: (work) => current.run(trace.setSpan(parent, span), work),
        end(ended) {
          if (ended.requestId != null) span.setAttribute(ATTR_REQUEST_ID, ended.requestId);
          finish(span, ended);
        },
      };
    },
    call(call) {
      const context = current.getStore() ?? (ROOTS.has(call.kind) ? ROOT_CONTEXT : null);
      // What nothing of these caused (flushes, heartbeats) would be traces of one span each.
      if (context === null) return { run: (work) => work(), end: () => undefined };
      const kind = call.kind === "job" ? SpanKind.INTERNAL : SpanKind.CLIENT;
      const span = tracer.startSpan(spanName(call), { kind, attributes: callAttributes(call) }, context);
      const isParent = ROOTS.has(call.kind);
      return {
        run: (work) => (isParent ? current.run(trace.setSpan(context, span), work) : work()),
        end: (ended) => finish(span, ended),
      };
    },
    close: () => provider.shutdown(),
  };
}

/** What begins a trace where no request caused it, and causes calls itself. */
const ROOTS: ReadonlySet<Call["kind"]> = new Set(["job", "mail", "webhook"]);

const SPAN_NAMES: Readonly<Record<Call["kind"], (call: Call) => string>> = {
  store: ({ operation, target }) => `${operation} ${target}`.trim(),
  http: ({ operation }) => operation,
  mail: () => "send mail",
  ai: ({ operation, system }) => `${operation} ${system}`,
  webhook: () => "deliver webhook",
  job: ({ operation }) => `job ${operation}`,
};
const spanName = (call: Call): string => SPAN_NAMES[call.kind](call);

const HEADERS: TextMapGetter<Asked> = {
  keys: () => ["traceparent", "tracestate"],
  get: (asked, name) => asked.header(name),
};

const nameOf = ({ method, route }: Asked): string => (route === null ? method : `${method} ${route}`);

/** The path itself is left out: it holds ids, and those of signed links are secrets. */
const requestAttributes = ({ method, route, scheme }: Asked) => ({
  [ATTR_HTTP_REQUEST_METHOD]: method,
  [ATTR_URL_SCHEME]: scheme,
  ...(route === null ? {} : { [ATTR_HTTP_ROUTE]: route }),
});

const ATTRIBUTES: Readonly<Record<Call["kind"], (call: Call) => Record<string, string>>> = {
  store: ({ operation, system, target }) => ({
    [ATTR_DB_SYSTEM_NAME]: system,
    [ATTR_DB_OPERATION_NAME]: operation,
    ...(target === "" ? {} : { [ATTR_DB_COLLECTION_NAME]: target }),
  }),
  http: ({ operation, system }) => ({ [ATTR_HTTP_REQUEST_METHOD]: operation, [ATTR_SERVER_ADDRESS]: system }),
  mail: ({ system }) => ({ "platform.mail.transport": system }),
  ai: ({ operation, system }) => ({ "gen_ai.operation.name": operation, "gen_ai.provider.name": system }),
  webhook: ({ system, target }) => ({ [ATTR_SERVER_ADDRESS]: system, "platform.partition": target }),
  job: ({ operation, target }) => ({ "platform.job.id": operation, "platform.partition": target }),
};
const callAttributes = (call: Call): Record<string, string> => ATTRIBUTES[call.kind](call);

function finish(span: Span, { status, error }: Ended): void {
  if (status !== null) span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status);
  if (error !== null) {
    span.setAttribute(ATTR_ERROR_TYPE, error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** A collector that cannot be reached is reported once, and once when it is back: spans are lost meanwhile, nothing else. */
function reporting(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.error !== undefined;
        if (hasFailed && !isFailing) log.warn({ err: result.error }, "failed to export traces");
        if (!hasFailed && isFailing) log.info({}, "exporting traces resumed");
        isFailing = hasFailed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
