import type { TelemetrySettings, Asked, Call, Recorder, Watched } from "./recorder.ts";
import type { Gateway } from "../http/gateway.ts";
import type { Outgoing } from "../http/messages.ts";
import type { Log } from "../core/log.ts";
import { importFor } from "../core/optional-packages.ts";
import type { StoreDriver } from "../storage/contract.ts";

export interface Telemetry {
  watchGateway(gateway: Gateway, scheme: string): Gateway;
  watchStore(store: StoreDriver, system: string): StoreDriver;
  /** Measures and traces one call. */
  readonly watch: <R>(call: Call, work: () => Promise<R>, statusOf?: (result: R) => number) => Promise<R>;
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
 * loaded then and nothing delays a request.
 */
export async function openTelemetry(
  settings: TelemetrySettings,
  { log, version: versionOf, elapsed }: TelemetryDeps,
): Promise<Telemetry | null> {
  const { metrics: wantsMetrics, tracesUrl } = settings;
  if (!wantsMetrics && tracesUrl === undefined) return null;
  const version = versionOf();
  const metrics = wantsMetrics
    ? (await importFor("metrics", () => import("./metrics.ts"))).openMetrics(settings, { version })
    : null;
  const traces =
    tracesUrl === undefined
      ? null
      : (await importFor("traces", () => import("./traces.ts"))).openTraces(
          { ...settings, tracesUrl },
          { log, version },
        );
  const recorders: Recorder[] = [
    ...(traces === null ? [] : [traces]),
    ...(metrics === null ? [] : [metrics]),
  ];
  const seconds = (fromMs: number): number => (elapsed() - fromMs) / 1000;

  async function timed<R>(call: Call, work: () => Promise<R>, statusOf?: (result: R) => number): Promise<R> {
    const fromMs = elapsed();
    const begun = recorders.map((recorder) => recorder.call(call));
    const end = (status: number | null, error: string | null): void =>
      begun.forEach((one) => one.end({ seconds: seconds(fromMs), status, error }));
    try {
      const result = await runIn(begun, work);
      end(statusOf?.(result) ?? null, null);
      return result;
    } catch (error) {
      end(null, errorType(error));
      throw error;
    }
  }

  return {
    scrape: metrics === null ? null : () => metrics.scrape(),
    watchGateway: (gateway, scheme) => async (req, match) => {
      const fromMs = elapsed();
      const asked: Asked = {
        method: req.method,
        route: templateOf(match.path),
        scheme,
        header: (name) => req.header(name),
      };
      const begun = recorders.map((recorder) => recorder.request(asked));
      const out = await runIn(begun, () => gateway(req, match));
      const error = out.status >= 500 ? String(out.status) : null;
      const ended = { seconds: seconds(fromMs), status: out.status, error, requestId: requestIdOf(out) };
      for (const one of begun) one.end(ended);
      return out;
    },
    watchStore: (store, system) =>
      watchCalls(store, (operation, target, work) =>
        timed({ kind: "store", operation, system, target }, work),
      ),
    watch: timed,
    async close() {
      await Promise.all(recorders.map((recorder) => recorder.close()));
    },
  };
}

/** The route's template: addresses themselves hold ids, and some of them secrets. */
const templateOf = (path: string | null): string | null => path?.replaceAll(/:(\w+)/g, "{$1}") ?? null;

function requestIdOf({ headers }: Outgoing): string | null {
  const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === "x-request-id");
  return index < 0 ? null : (headers[index + 1] ?? null);
}

const runIn = <R>(watched: readonly Watched[], work: () => R): R =>
  watched.reduce<() => R>(
    (inner, { run }) =>
      () =>
        run(inner),
    work,
  )();

/** The error's own code, else its class: never its text, which may contain data. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return "_OTHER";
  if ("fault" in error && typeof error.fault === "string") return error.fault;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** Runs one call to the store; `target` is the collection it is about, or the partition of a commit. */
type Watch = <R>(operation: string, target: string, work: () => Promise<R>) => Promise<R>;

/** The same store, with every call of a request watched. What tools do with a whole store is not. */
function watchCalls(store: StoreDriver, watch: Watch): StoreDriver {
  const takeIf = store.takeIf?.bind(store);
  return {
    ...store,
    get: (key) => watch("get", collectionOf(key), () => store.get(key)),
    getMany: (keys) => watch("getMany", collectionOf(keys[0] ?? ""), () => store.getMany(keys)),
    page: (part, coll, options) => watch("page", coll, () => store.page(part, coll, options)),
    commit: (part, ...rest) => watch("commit", part, () => store.commit(part, ...rest)),
    take: (...args) => watch("take", "", () => store.take(...args)),
    ...(takeIf === undefined
      ? {}
      : {
          takeIf: (...args: Parameters<typeof takeIf>) => watch("takeIf", "", () => takeIf(...args)),
        }),
    peek: (counter) => watch("peek", "", () => store.peek(counter)),
  };
}

const collectionOf = (key: string): string => key.split(":", 2)[1] ?? "";
