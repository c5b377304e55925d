import type { H3 } from "h3";

import { createApp } from "./app.ts";
import type { UserConfig } from "./config/define.ts";
import { addressOf, loadConfig } from "./config/load.ts";
import { checkPackages } from "./config/packages.ts";
import { systemClock } from "./core/clock.ts";
import { createNewId, createSystemRandom } from "./core/ids.ts";
import { createLog } from "./observability/log.ts";
import { demandKnownStore } from "./serve/known-store.ts";
import { joinStore } from "./serve/membership.ts";
import { createServices } from "./services.ts";
import type { Services } from "./services.ts";
import { openStore } from "./storage/open.ts";

export interface PlatformOptions {
  /** What `platform.config.ts` would export. Default: the configuration file in `cwd`. */
  readonly config?: UserConfig;
  /** Folder of the configuration file, and of relative file names. Default: the working directory. */
  readonly cwd?: string;
}

export interface Platform {
  /** The service: add routes and middleware, mount it in another h3 app, or pass it to `serve` or `toNodeHandler` of h3. */
  readonly app: H3;
  /** Answers a Fetch request in this process. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly services: Services;
  /** Stops jobs and mail, and closes the store. */
  close(): Promise<void>;
}

/**
 * The platform inside another program: opens the configured store and starts jobs and mail, but listens nowhere. `baseUrl` is
 * where its users reach it, with the path that it is mounted below. Throws ConfigError or StoreError; nothing is left open then.
 */
export async function createPlatform({
  config: settings,
  cwd = process.cwd(),
}: PlatformOptions = {}): Promise<Platform> {
  const loaded = await loadConfig({ cwd, env: process.env, ...(settings === undefined ? {} : { settings }) });
  checkPackages(loaded);
  const { config } = loaded;
  const clock = systemClock;
  const random = createSystemRandom();
  const log = createLog(config.log);
  const store = await openStore(config.storage, { clock, limitsUrl: config.limits.url });
  let leave = async (): Promise<void> => undefined;
  try {
    await demandKnownStore(loaded, store, false);
    const node = createNewId(clock, random)("node");
    ({ leave } = await joinStore({ loaded, store, clock, log }, node));
    const services = await createServices({
      config: { ...config, baseUrl: config.baseUrl ?? addressOf(config.server) },
      store,
      clock,
      random,
      log,
      adminTokens: config.admin.token === undefined ? [] : [config.admin.token],
      loaded,
      node,
    });
    await services.nodes.start();
    services.mail.start();
    services.jobs.start();
    services.webhooks.start();
    const app = createApp(services);
    return {
      app,
      fetch: async (request) => app.fetch(request),
      services,
      async close() {
        await leave();
        await services.close();
      },
    };
  } catch (error) {
    await leave();
    await store.close();
    throw error;
  }
}
