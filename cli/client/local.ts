import type { PlatformConfig } from "../../server/config/schema.ts";
import type { LoadedConfig } from "../../server/config/load.ts";
import type { Clock } from "../../server/core/clock.ts";
import { CliError, EXIT } from "../terminal/exit.ts";
import { pause } from "../terminal/duration.ts";

/** The application inside this process: same routes, same gates, no listener and no jobs. */
export interface LocalApp {
  readonly url: string;
  /** Operator token of this command. */
  readonly token: string;
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

/** The configuration for client commands: as `platform serve` loads it. */
export async function loadLocalConfig(from: {
  cwd: string;
  configFile: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}): Promise<LoadedConfig> {
  const { loadConfig } = await import("../../server/config/load.ts");
  return loadConfig(from);
}

export interface LocalOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly waitMs: number;
  readonly isServed: () => boolean;
  /** For what the service prints on the console: mail of the transport `console`. */
  readonly print: (text: string) => void;
}

const LOCK_WAIT_MS = 50;

/** Throws if there is no store at the configured location: only serving, provisioning and restoring create one. */
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
  const source = file ?? `none in ${dir} (platform.config.ts, .mts, .mjs, .js or .json); using the defaults`;
  throw new CliError({
    type: "no_store",
    title: "No store here",
    detail: `No store at ${describeStore(config.storage)} (storage.driver ${config.storage.driver}). This command does not create one.`,
    where: `folder ${cwd}, configuration ${source}`,
    exitCode: EXIT.unreachable,
    hint: "platform dev, or platform storage provision; for another service: -C <folder>, --url or --profile",
  });
}

/**
 * Opens the storage in this process and locks it. If another command holds the lock, waits for up to `waitMs`.
 * Returns null if `isServed` finds that a server was started in the meantime.
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

async function openOnce(loaded: LoadedConfig, { clock, print }: LocalOptions): Promise<LocalApp> {
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
  // Metrics and traces are for servers, not for single commands.
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
      transport: await openTransport(config.mail, print, loaded.extensions.mailTransport),
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

/** The reason why a store did not open, as a failure of the command. */
export function storageError(code: string, message: string): CliError {
  const locked = code === "LOCKED";
  const hints: Readonly<Record<string, string>> = {
    LOCKED: "platform doctor (checks whether the process that holds the lock responds)",
    CORRUPT: "copy the folder, then platform storage salvage",
  };
  return new CliError({
    type: locked ? "storage_locked" : "storage_unavailable",
    title: locked ? "Storage in use" : "Storage cannot be opened",
    detail: message,
    exitCode: EXIT.unreachable,
    hint: hints[code] ?? "platform doctor",
  });
}
