import type { TelemetrySettings, Asked, Call, Recorder } from "./recorder.ts";
import type { Incoming, Outgoing } from "../http/messages.ts";
import type { Router } from "../http/namespace.ts";
import type { Log } from "../core/log.ts";
import type { OutgoingPost, Ports } from "../core/ports.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { watchCalls } from "./store-calls.ts";

type Gateway = (req: Incoming) => Promise<Outgoing>;

export interface Telemetry {
  watchGateway(gateway: Gateway, router: Router, scheme: string): Gateway;
  watchStore(store: StoreDriver, system: string): StoreDriver;
  watchPost(post: Ports["post"]): Ports["post"];
  /** Measures as Prometheus reads them; null where they are off. */
  readonly scrape: (() => Promise<string>) | null;
  close(): Promise<void>;
}

interface TelemetryDeps {
  readonly log: Log;
  readonly version: () => string;
  /** Milliseconds from any moment on. */
  readonly elapsed: () => number;
}

/**
 * Traces (OpenTelemetry over OTLP) and measures (for Prometheus), by the field's names. Null when both are off: nothing is
 * loaded then and nothing stands in the way of a request.
 */
export async function openTelemetry(
  settings: TelemetrySettings,
  { log, version: versionOf, elapsed }: TelemetryDeps,
): Promise<Telemetry | null> {
  const { metrics: wantsMetrics, tracesUrl } = settings;
  if (!wantsMetrics && tracesUrl === undefined) return null;
  const version = versionOf();
  const metrics = wantsMetrics ? (await import("./metrics.ts")).openMetrics(settings, { version }) : null;
  const traces =
    tracesUrl === undefined
      ? null
      : (await import("./traces.ts")).openTraces({ ...settings, tracesUrl }, { log, version });
  const recorders: Recorder[] = [
    ...(traces === null ? [] : [traces]),
    ...(metrics === null ? [] : [metrics]),
  ];
  const seconds = (fromMs: number): number => (elapsed() - fromMs) / 1000;

  async function timed<R>(call: Call, work: () => Promise<R>, statusOf?: (result: R) => number): Promise<R> {
    const fromMs = elapsed();
    const ends = recorders.map((recorder) => recorder.call(call));
    const end = (status: number | null, error: string | null): void =>
      ends.forEach((one) => one({ seconds: seconds(fromMs), status, error }));
    try {
      const result = await work();
      end(statusOf?.(result) ?? null, null);
      return result;
    } catch (error) {
      end(null, errorType(error));
      throw error;
    }
  }

  return {
    scrape: metrics === null ? null : () => metrics.scrape(),
    watchGateway: (gateway, router, scheme) => async (req) => {
      const fromMs = elapsed();
      const asked: Asked = {
        method: req.method,
        route: routeOf(router, req),
        scheme,
        header: (name) => req.header(name),
      };
      const begun = recorders.map((recorder) => recorder.request(asked));
      const work = begun.reduce<() => Promise<Outgoing>>(
        (inner, { run }) =>
          () =>
            run(inner),
        () => gateway(req),
      );
      const out = await work();
      const error = out.status >= 500 ? String(out.status) : null;
      const ended = { seconds: seconds(fromMs), status: out.status, error, requestId: requestIdOf(out) };
      for (const one of begun) one.end(ended);
      return out;
    },
    watchStore: (store, system) =>
      watchCalls(store, (operation, target, work) =>
        timed({ kind: "store", operation, system, target }, work),
      ),
    watchPost: (post) => (request) =>
      timed(
        toCall(request),
        () => post(request),
        ({ status }) => status,
      ),
    async close() {
      await Promise.all(recorders.map((recorder) => recorder.close()));
    },
  };
}

/** The route's template: addresses themselves hold ids, and some of them secrets. */
function routeOf(router: Router, req: Incoming): string | null {
  const path = req.target.split("?", 1)[0] ?? "";
  const entry = router.find(path)?.entry;
  const [endpoint] = Object.values(entry?.endpoints ?? {});
  return endpoint?.path.replaceAll(/:(\w+)/g, "{$1}") ?? null;
}

function requestIdOf({ headers }: Outgoing): string | null {
  const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === "x-request-id");
  return index < 0 ? null : (headers[index + 1] ?? null);
}

const toCall = ({ url }: OutgoingPost): Call => ({
  kind: "post",
  operation: "POST",
  system: URL.canParse(url) ? new URL(url).host : "",
  target: "",
});

/** The error's own code, else its class: never its text, which may tell of data. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return "_OTHER";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
