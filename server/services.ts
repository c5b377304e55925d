import { createFindOwner } from "./accounts/owner.ts";
import { createQuotaOf } from "./accounts/quota.ts";
import type { AiDeps } from "./ai/calls.ts";
import { createAi } from "./ai/service.ts";
import type { Deps } from "./operations/deps.ts";
import type { PlatformConfig } from "./config/schema.ts";
import { scheduledJobs } from "./jobs/all.ts";
import { createBackupJobs } from "./operations/backups.ts";
import { createFindWork } from "./jobs/find-work.ts";
import { markCommits } from "./jobs/mark-commits.ts";
import { createMarks } from "./jobs/marks.ts";
import { createLateJobs } from "./jobs/late.ts";
import { createJobs } from "./jobs/runner.ts";
import { addTaskCustomers, closeWorkers } from "./lib/worker-tasks.ts";
import type { Clock } from "./core/clock.ts";
import type { ScheduledJob } from "./core/engine.ts";
import { createBudgets } from "./core/budgets.ts";
import { createCursorCodec } from "./core/cursor.ts";
import { packageVersion } from "./core/package-root.ts";
import { createNewId, hmacBase64Url } from "./core/ids.ts";
import { forJobs } from "./core/quota.ts";
import type { Random } from "./core/ids.ts";
import type { Log } from "./core/log.ts";
import type { Ports } from "./core/ports.ts";
import { createRunTx } from "./core/run-tx.ts";
import type { RunTx } from "./core/tx.ts";
import { giveWay } from "./lib/slices.ts";
import { createForwardMails } from "./mail/forward.ts";
import { checkTemplates } from "./mail/check-templates.ts";
import { admitMails } from "./mail/reach.ts";
import { createOutbox } from "./mail/outbox.ts";
import type { MailTransport } from "./mail/transport.ts";
import { createClamdScan } from "./outgoing/clamd.ts";
import { createFetch } from "./outgoing/fetch.ts";
import { createPortsOf } from "./outgoing/budgeted.ts";
import { createPost } from "./outgoing/post.ts";
import { openTransport } from "./mail/transports/open.ts";
import { createAccounts } from "./accounts/authenticate.ts";
import { openTelemetry } from "./observability/telemetry.ts";
import { createRequestLog } from "./observability/request-log.ts";
import { createForgetRequests } from "./observability/request-store.ts";
import { createPlatformJobs } from "./accounts/jobs.ts";
import { createPrivacyJob } from "./operations/privacy/job.ts";
import { createLive } from "./operations/live/live.ts";
import { createNodes } from "./operations/live/nodes.ts";
import { findOrMakeSecret } from "./accounts/secret.ts";
import { createWebhookJobs } from "./operations/webhooks/jobs.ts";
import { createWebhooks } from "./operations/webhooks/service.ts";
import { watchDeliveries, watchJob, watchPorts, watchTransport } from "./watched.ts";
import { createUsage } from "./accounts/usage/usage.ts";
import { openParts } from "./parts.ts";
import type { Parts } from "./parts.ts";
import { createFileStore } from "./storage/files/open.ts";
import type { Op, StoreDriver } from "./storage/contract.ts";

/** The dependencies of the app plus the end of their life. */
export interface Services extends Deps, Pick<Parts, "parts"> {
  close(): Promise<void>;
}

export interface ServicesInput {
  readonly config: PlatformConfig;
  readonly store: StoreDriver;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Operator tokens of this process (run file, in-process CLI, configuration). */
  readonly adminTokens: readonly string[];
  readonly dev?: boolean;
  /** Findings of `loadConfig` in addition to the configuration, for `doctor`. */
  readonly loaded?: Deps["loaded"];
  readonly siblings?: Deps["siblings"];
  /** Id of this process among those that serve the store. */
  readonly node?: string;
  /** Takes mail to its next hop. Default: the configured one, which reports to the operator on standard error. */
  readonly transport?: MailTransport;
  /** Sends what engines post to other servers. Default: a guarded HTTPS client. */
  readonly post?: Ports["post"];
  /** Fetches what engines look at elsewhere. Default: a guarded client. */
  readonly fetch?: Ports["fetch"];
}

/** For jobs that read one document after another: transactions that write nothing go on in one turn while what they read is in memory. */
const inTurns =
  (runTx: RunTx): RunTx =>
  async (part, work, options) => {
    await giveWay(part);
    return runTx(part, work, options);
  };

/** Builds what the app needs over an open store. Starts no timer and no listener: `serve` does. */
export async function createServices(given: ServicesInput): Promise<Services> {
  const telemetry = await openTelemetry(given.config.observability, {
    log: given.log,
    version: packageVersion,
    elapsed: () => performance.now(),
  });
  const { config, clock, random, log } = given;
  const registry = await openParts(given.loaded?.extensions);
  const { answers, engines, loadEngines, openScopes, parts, scopes } = registry;
  const plain = telemetry?.watchStore(given.store, config.storage.driver) ?? given.store;
  const secret = await findOrMakeSecret(plain, random);
  const cursors = createCursorCodec(secret);
  const marks = createMarks({ store: plain, cursors, clock, jobs: () => jobsNow() });
  const base = { ...given, store: markCommits(plain, { marks, clock, log }) };
  const { store } = base;
  const newId = createNewId(clock, random);
  const budgets = createBudgets({ store, clock });
  const findOwner = createFindOwner({ store, clock, config });
  const removeTaskCustomers = addTaskCustomers(async (part) => (await findOwner(part))?.customerId ?? null);
  const reach = { store, budgets, clock, findOwner };
  const onEvents = (part: string) => webhooks.wake(part);
  const admit = (part: string, ops: readonly Op[]) => admitMails(reach, part, ops);
  const quotaOf = createQuotaOf({ findOwner, clock });
  const runTx = createRunTx({ store, cursors, onEvents, admit, quotaOf });
  /** Jobs finish what requests began: their mail waits where a budget is used up, and they have more room. */
  const runJobTx = inTurns(createRunTx({ store, cursors, onEvents, quotaOf: forJobs(quotaOf) }));
  const usage = createUsage({ runTx, log });
  const transport = await createTransport(base, telemetry);
  const { from, templates: templatesDir } = config.mail;
  if (templatesDir !== undefined) await checkTemplates(templatesDir);
  const sender = { from, baseUrl: config.baseUrl, ...(templatesDir === undefined ? {} : { templatesDir }) };
  const mail = createOutbox({ store, transport, clock, newId, random, log, ...sender });
  const live = createLive({ clock });
  const requestLog = createRequestLog({ runTx, clock, newId, log, settings: config.requestLog });
  const nodes = createNodes({ store, clock, log, newId, live, requestLog, id: base.node ?? newId("node") });
  const accounts = createAccounts({ store, config, adminTokens: base.adminTokens });
  const files = createFileStore(config);
  const plainPorts = createPorts({ ...base, files, newId, runTx, secret, answers, budgets, findOwner });
  const ports = telemetry === null ? plainPorts : watchPorts(plainPorts, telemetry.watch);
  const portsOf = createPortsOf(ports, reach);
  const shared = { newId, runTx, accounts, secret, mail, usage, scopes, openScopes, ports, portsOf, budgets };
  const platform = { ...base, ...shared, findOwner };
  const webhooks = createWebhooks({
    ...platform,
    runTx: runJobTx,
    quotaOf,
    findOwner,
    portsOf: telemetry === null ? portsOf : watchDeliveries(portsOf, telemetry.watch),
  });
  const platformJobs = [
    ...createPlatformJobs(platform),
    createPrivacyJob(platform),
    ...createWebhookJobs(webhooks),
    createForgetRequests(config.requestLog.days),
    createForwardMails({ ...platform, reach, hasInbox: config.mail.transport === "dev" }),
    createFindWork(store, marks),
    ...createBackupJobs({ ...platform, store: plain }),
  ];
  const working = { store, runTx: runJobTx, clock, newId, log, budgets, findOwner, portsOf, ports, marks };
  const { jobs, jobsNow } = createSchedule(working, { registry, platformJobs, telemetry });
  return {
    ...platform,
    cursors,
    observe(observation) {
      usage.observe(observation);
      live.observe(observation);
      requestLog.observe(observation);
      webhooks.observe(observation);
    },
    live,
    nodes,
    requestLog,
    telemetry,
    siblings: base.siblings ?? null,
    webhooks,
    jobs,
    lifecycle: { startedAtMs: clock.now(), dev: base.dev ?? false, url: null, draining: false },
    loaded: base.loaded ?? null,
    engines,
    loadEngines,
    parts,
    async close() {
      // Side by side: each waits for ten seconds for what it has begun.
      const steps = [() => nodes.close(), () => jobs.stop(), () => webhooks.stop(), () => mail.stop()];
      await Promise.all(steps.map((step) => endOf(step, log)));
      for (const one of [usage, requestLog, telemetry, files]) await endOf(async () => one?.close(), log);
      transport.close?.();
      await closeWorkers().finally(removeTaskCustomers);
      await store.close();
    },
  };
}

/** The runner of all jobs, and the jobs of what is loaded. */
function createSchedule(
  working: Omit<Parameters<typeof createJobs>[0], "jobs">,
  given: {
    readonly registry: Parts;
    readonly platformJobs: readonly ScheduledJob[];
    readonly telemetry: Deps["telemetry"];
  },
): { readonly jobs: Deps["jobs"]; readonly jobsNow: () => readonly ScheduledJob[] } {
  const { registry, platformJobs, telemetry } = given;
  const jobsNow = lastOf(registry.loadedEngines, (loaded) => {
    const all = [...scheduledJobs(loaded), ...platformJobs];
    return telemetry === null ? all : all.map((job) => watchJob(job, telemetry.watch));
  });
  const create = async (): Promise<Deps["jobs"]> => {
    await registry.loadEngines();
    return createJobs({ ...working, jobs: jobsNow() });
  };
  return { jobs: createLateJobs(create, { prepare: registry.loadOnIdle, log: working.log }), jobsNow };
}

/** What was last computed of a value, until there is another one. */
function lastOf<T, R>(read: () => T, compute: (value: T) => R): () => R {
  let last: { readonly value: T; readonly result: R } | undefined;
  return () => {
    const value = read();
    if (last?.value !== value) last = { value, result: compute(value) };
    return last.result;
  };
}

async function createTransport(
  { config, loaded, transport }: Pick<ServicesInput, "config" | "loaded" | "transport">,
  telemetry: Deps["telemetry"],
): Promise<MailTransport> {
  const print = (text: string) => process.stderr.write(text);
  const hop = transport ?? (await openTransport(config.mail, print, loaded?.extensions.mailTransport));
  return telemetry === null ? hop : watchTransport(hop, telemetry.watch);
}

/** Where the store takes no writes some steps fail: the others are done all the same. */
async function endOf(step: () => Promise<void>, log: Log): Promise<void> {
  try {
    await step();
  } catch (err) {
    log.error({ err }, "not everything was written before the end");
  }
}

/** What engines reach beyond their store. */
function createPorts(
  deps: Pick<Deps, "config" | "clock" | "secret" | "runTx" | "newId" | "log"> & {
    readonly answers: Parts["answers"];
    readonly budgets: AiDeps["budgets"];
    readonly findOwner: AiDeps["findOwner"];
    readonly dev?: boolean;
    readonly loaded?: Deps["loaded"] | undefined;
    readonly post?: Ports["post"];
    readonly fetch?: Ports["fetch"];
    readonly files: Ports["files"] | undefined;
  },
): Ports {
  const { config, clock, secret } = deps;
  const reach = { allowPrivate: deps.dev ?? false, allow: config.outgoing.allow };
  const post = deps.post ?? createPost(reach);
  return {
    baseUrl: config.baseUrl.replace(/\/+$/, ""),
    realNow: () => clock.now(),
    sign: (purpose, text) => hmacBase64Url(secret, `${purpose}\0${text}`),
    post,
    fetch: deps.fetch ?? createFetch(reach),
    ...(deps.files === undefined ? {} : { files: deps.files }),
    ...(config.outgoing.clamd === undefined ? {} : { scan: createClamdScan(config.outgoing.clamd) }),
    ai: createAi({ ...deps, config: config.ai, custom: deps.loaded?.extensions.aiProviders }),
    engines: deps.answers,
  };
}
