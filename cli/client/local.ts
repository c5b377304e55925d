import type { PlatformConfig } from "../../server/config/schema.ts";
import type { LoadedConfig } from "../../server/config/load.ts";
import type { Clock } from "../../server/core/clock.ts";
import { CliError, EXIT } from "../terminal/exit.ts";
import { pause } from "../terminal/duration.ts";

/** The application inside this process: same routes, same gates, no listener and no jobs. */
export interface LocalApp {
  readonly url: string;
  /** Operator token made for this command. */
  readonly token: string;
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

/** The configuration that client commands go by; like `platform dev` it reads `.env`, except in production. */
export async function loadLocalConfig(from: {
  cwd: string;
  configFile: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}): Promise<LoadedConfig> {
  const { loadConfig } = await import("../../server/config/load.ts");
  return loadConfig({ ...from, dev: from.env.NODE_ENV !== "production" });
}

export interface LocalOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly waitMs: number;
  readonly isServed: () => boolean;
  /** For what the service would tell its operator on the console: a mail that stays on this machine. */
  readonly tell: (text: string) => void;
}

const LOCK_WAIT_MS = 50;

/** Refuses where the configured place holds no store: only serving, provisioning and restoring create one. */
export async function assertStore(cwd: string, { config, file, dir }: LoadedConfig): Promise<void> {
  const [{ storeExists }, { describeStore }, { StoreError }] = await Promise.all([
    import("../../server/storage/exists.ts"),
    import("../../server/storage/describe.ts"),
    import("../../server/storage/contract.ts"),
  ]);
  const exists = await storeExists(config.storage).catch((error: unknown) => {
    throw error instanceof StoreError ? storageError(error.code, error.message) : error;
  });
  if (exists) return;
  const source = file ?? `none in ${dir} (platform.config.ts, .mts, .mjs, .js or .json); the defaults apply`;
  throw new CliError({
    type: "no_store",
    title: "No store here",
    detail: `There is no store at ${describeStore(config.storage)} (storage.driver ${config.storage.driver}), and this command creates none.`,
    where: `folder ${cwd}, configuration ${source}`,
    exitCode: EXIT.unreachable,
    hint: "platform dev, or platform storage provision; for another service: -C <folder>, --url or --profile",
  });
}

/**
 * Opens the storage in this process, holding its lock. Another command may hold it for a moment: waits for up to
 * `waitMs`, and gives up earlier when `isServed` finds that a server has come up meanwhile (then null).
 */
export async function openLocal(loaded: LoadedConfig, options: LocalOptions): Promise<LocalApp | null> {
  const { StoreError } = await import("../../server/storage/contract.ts");
  const giveUpAt = options.clock.now() + options.waitMs;
  for (;;) {
    try {
      return await openOnce(loaded, options);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code !== "LOCKED" || options.clock.now() >= giveUpAt || options.signal.aborted) {
        throw storageError(error.code, error.message);
      }
    }
    await pause(LOCK_WAIT_MS, options.signal);
    if (options.isServed()) return null;
  }
}

async function openOnce(loaded: LoadedConfig, { clock, tell }: LocalOptions): Promise<LocalApp> {
  const { config } = loaded;
  const [
    { createApp },
    { createServices },
    { openStore },
    { addressOf },
    { createSystemRandom },
    { makeKey },
    { silentLog },
    { openTransport },
  ] = await Promise.all([
    import("../../server/app.ts"),
    import("../../server/services.ts"),
    import("../../server/storage/open.ts"),
    import("../../server/config/load.ts"),
    import("../../server/core/ids.ts"),
    import("../../server/core/key-format.ts"),
    import("../../server/core/log.ts"),
    import("../../server/mail/transports/open.ts"),
  ]);
  const random = createSystemRandom();
  const token = makeKey("admin", random);
  const url = config.baseUrl ?? addressOf(config.server);
  // What one command does is not what a service is watched for.
  const observability = { ...config.observability, metrics: false, tracesUrl: undefined };
  const settled: PlatformConfig = { ...config, observability, baseUrl: url };
  const store = await openStore(settled.storage, { clock, limitsUrl: settled.limits.url });
  try {
    const services = await createServices({
      config: settled,
      loaded,
      store,
      clock,
      random,
      log: silentLog,
      adminTokens: [token],
      transport: openTransport(config.mail, tell),
    });
    const app = createApp(services);
    return {
      url,
      token,
      fetch: async (input, init) => app.fetch(new Request(input, init)),
      close: () => services.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Why the store did not open, in words for the person at the terminal. */
export function storageError(code: string, message: string): CliError {
  const locked = code === "LOCKED";
  const hints: Readonly<Record<string, string>> = {
    LOCKED: "platform doctor (does the process that holds it still answer?)",
    CORRUPT: "platform storage salvage, after a copy of the folder was made",
  };
  return new CliError({
    type: locked ? "storage_locked" : "storage_unavailable",
    title: locked ? "Storage in use" : "Storage cannot be opened",
    detail: message,
    exitCode: EXIT.unreachable,
    hint: hints[code] ?? "platform doctor",
  });
}
