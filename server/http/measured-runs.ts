import { BUDGETS, visitorsOf } from "../core/budgets.ts";
import type { Payer, ReservedBudget } from "../core/budgets.ts";
import type { Reply } from "../core/reply.ts";
import type { Input } from "../core/route.ts";
import { fail, Problem } from "../lib/errors.ts";
import { chargedAsRead, meteredStream, withCpuMeter } from "../lib/cpu-meter.ts";
import type { PlatformCtx } from "./context.ts";
import type { GatewayDeps } from "./deps.ts";
import type { Exchange } from "./exchange.ts";
import { hasFiles } from "./multipart.ts";
import type { Endpoint } from "./namespace.ts";
import type { SlowRoutes } from "./slow-routes.ts";
import { visitorName } from "./visitor.ts";

type Route = Endpoint["route"];

/** Handlers whose computing counts towards the CPU budget of a customer. */
export interface MeasuredRuns {
  applies(route: Route, exchange: Pick<Exchange, "now" | "principal">): boolean;
  /**
   * Parses the body of a request by `work`, which says how long it computed; what takes long counts too, as no handler has begun
   * where a body is refused. Throws 429 where the budget is used up and such a body took long of late.
   */
  read<R>(route: Route, exchange: Caller, work: (note: (cpuMs: number) => void) => Promise<R>): Promise<R>;
  /** Throws 429 where the budget is used up. A body that is written as it is read counts too. */
  run(
    route: Route,
    input: Input,
    ctx: PlatformCtx<GatewayDeps>,
    exchange: Caller & Pick<Exchange, "counting">,
  ): Promise<Reply<unknown>>;
}

type Caller = Pick<Exchange, "now" | "principal" | "req">;

/** Taken before a run is measured: those at the same time cannot all use what is left of the budget. */
const RESERVED_SECONDS = 1;

/** Whether what a route computes is measured each time; the others are where they were slow. */
const isExpensive = ({ paidBy, cost }: Route): boolean => paidBy !== null || cost > 1;

/**
 * What its runs are remembered under: with files from strangers and without they are different work, so that large pictures never have
 * answers without any refused.
 */
export const workOfRoute = (
  { form, id }: Pick<Route, "form" | "id">,
  { body }: Pick<Input, "body">,
  principal: Exchange["principal"],
): string => (principal === null && form === "multipart" && hasFiles(body) ? `${id} files` : id);

/**
 * Reserves of the CPU budgets of those who pay. Where it is only runs under way that have reserved what is left, one more waits until
 * some of them end, with what they did not use: forty guests who open the same page at once have used a second of it, not an hour's.
 */
function createReservations(budgets: GatewayDeps["budgets"]) {
  /** Runs of this process that have reserved, by payer, and who waits for their end. */
  const open = new Map<string, { runs: number; waiting: (() => void)[] }>();
  function end(customerId: string): void {
    const one = open.get(customerId);
    if (one === undefined) return;
    one.runs -= 1;
    if (one.runs === 0) open.delete(customerId);
    // The end of the last one leads nobody else to those who still wait.
    for (const go of one.waiting.splice(0, one.runs === 0 ? Infinity : 1)) go();
  }

  async function take(payer: Payer): Promise<ReservedBudget> {
    const { customerId } = payer;
    for (;;) {
      const before = open.get(customerId);
      try {
        const reserved = await budgets.reserve(payer, "cpu", RESERVED_SECONDS);
        const { runs = 0, waiting = [] } = open.get(customerId) ?? {};
        open.set(customerId, { runs: runs + 1, waiting });
        return reserved;
      } catch (error) {
        const one = open.get(customerId);
        if (!(error instanceof Problem) || (before === undefined && one === undefined)) throw error;
        if (one !== undefined) await new Promise<void>((resolve) => one.waiting.push(resolve));
      }
    }
  }

  async function settle(reserved: readonly ReservedBudget[], seconds: number): Promise<void> {
    try {
      // Each of them, also where one fails: a visitor's is no reason to charge the customer too much or too little.
      await Promise.all(reserved.map((one) => budgets.settle(one, seconds)));
    } finally {
      for (const { customerId } of reserved) end(customerId);
    }
  }

  return {
    settle,
    reserve: async (payers: Payers): Promise<ReservedBudget[]> => {
      const reserved: ReservedBudget[] = [];
      try {
        for (const payer of await countedFor(budgets, payers)) reserved.push(await take(payer));
      } catch (error) {
        await settle(reserved, 0);
        throw error;
      }
      return reserved;
    },
  };
}

export function createMeasuredRuns(deps: GatewayDeps, slow: SlowRoutes): MeasuredRuns {
  const { budgets } = deps;
  const { reserve, settle } = createReservations(budgets);
  const chargeAll = async (payers: Payers, ms: number): Promise<void> => {
    const counted = await countedFor(budgets, payers);
    await Promise.all(counted.map(({ customerId }) => budgets.charge(customerId, "cpu", ms)));
  };

  return {
    applies: (route, { now, principal }) =>
      isExpensive(route) ||
      (principal !== null && slow.isWatched({ customerId: principal.customerId, routeId: route.id }, now)),
    async read(route, exchange, work) {
      const { now, principal } = exchange;
      let totalMs = 0;
      const note = (cpuMs: number): void => void (totalMs += cpuMs);
      if (principal === null) return work(note);
      const payers = payersOf(deps, principal.payer, exchange);
      const kind = { customerId: principal.payer.customerId, routeId: `${route.id} body` };
      const reserved = slow.isHeavy(kind, now) ? await reserve(payers) : null;
      try {
        return await work(note);
      } finally {
        slow.noteWork(kind, totalMs, now, !principal.isPublic);
        if (reserved !== null) await settle(reserved, Math.ceil(totalMs) / BUDGETS.cpu.size);
        else if (slow.isHeavy(kind, now)) await chargeAll(payers, Math.ceil(totalMs));
      }
    },
    async run(route, input, ctx, exchange) {
      const payer = await payerOf(route, input, ctx);
      if (payer === null) return route.handle(input, ctx);
      const kind = { customerId: payer.customerId, routeId: workOfRoute(route, input, ctx.principal) };
      const now = deps.clock.now();
      // Strangers could use up the budget of a store by pages that cost nothing worth mentioning; files are always worth it.
      const isAlwaysCharged = isExpensive(route) && (ctx.principal !== null || kind.routeId !== route.id);
      const isForStrangers = ctx.principal === null || ctx.principal.isPublic;
      const payers = payersOf(deps, payer, exchange);
      // A visitor is charged for many quick ones too, for which no other visitor is refused.
      const visit = payers.visitor && { ...kind, customerId: payers.visitor.customerId };
      const isCharged = (): boolean =>
        isAlwaysCharged || slow.isHeavy(kind, now) || (visit !== null && slow.isHeavy(visit, now));
      let reserved = isCharged() ? await reserve(payers) : null;
      let [totalMs, chargedMs] = [0, 0];
      const charge = async (cpuMs: number): Promise<void> => {
        totalMs += cpuMs;
        // What strangers can send is charged where one of it takes long: many visitors are no reason to refuse the next.
        slow.noteWork(kind, totalMs, now, !isForStrangers);
        if (visit !== null) slow.noteVisit(visit, cpuMs, now);
        if (reserved === null && !isCharged()) return;
        const dueMs = Math.ceil(totalMs - chargedMs);
        chargedMs += dueMs;
        if (reserved === null) return chargeAll(payers, dueMs);
        const settled = reserved;
        reserved = null;
        await settle(settled, dueMs / BUDGETS.cpu.size);
      };
      /** For one that has not ended: it goes on while there is budget. */
      const chargeEarly = async (cpuMs: number): Promise<void> => {
        await charge(cpuMs);
        reserved = await reserve(payers);
      };
      const reply = await withCpuMeter(
        (meter) =>
          route.handle(input, {
            ...ctx,
            bodyStream: () => chargedAsRead(ctx.bodyStream(), meter, chargeEarly),
          }),
        async (cpuMs) => {
          const before = exchange.counting;
          // A run that lost a race may still be counted.
          exchange.counting = charge(cpuMs)
            .catch((error: unknown) => deps.log.error({ err: error, route: route.id }, "cpu not counted"))
            .then(() => before);
        },
      );
      if (reply.kind !== "raw" || !(reply.body instanceof ReadableStream)) return reply;
      // It waits for most of its life, and all that the process does would be followed meanwhile.
      if (reply.contentType.startsWith("text/event-stream")) return reply;
      return { ...reply, body: meteredStream(reply.body, charge) };
    },
  };
}

/** Who pays for a run. */
interface Payers {
  readonly customer: Payer;
  /** Links and publishable keys, which strangers use, leave half of the CPU budget to the customer. */
  readonly isByVisitor: boolean;
  /** One address leaves three quarters of their half to the others, unless that is less than what a run reserves. */
  readonly visitor: Payer | null;
}

function payersOf(deps: GatewayDeps, customer: Payer, exchange: Caller): Payers {
  const isByVisitor = exchange.principal?.isPublic !== false;
  const name = isByVisitor ? visitorName(deps, exchange) : null;
  if (name === null) return { customer, isByVisitor, visitor: null };
  const { customerId, limits } = customer;
  const cpu = limits.cpu === null ? null : Math.max(RESERVED_SECONDS, limits.cpu / 8);
  const visitor = { customerId: `${customerId}.${name}`, limits: { ...limits, cpu } };
  return { customer, isByVisitor, visitor };
}

/**
 * All whose budgets a run uses. What visitors use is counted in each window of the customer's apart: in windows of its own it could be
 * half at the end of one and half at the start of the next, which is all that the customer has.
 */
async function countedFor(
  budgets: GatewayDeps["budgets"],
  { customer, isByVisitor, visitor }: Payers,
): Promise<Payer[]> {
  if (!isByVisitor) return [customer];
  const renewsAtMs = await budgets.charge(customer.customerId, "cpu", 0);
  const visitors = visitorsOf(customer);
  const inWindow = { ...visitors, customerId: `${visitors.customerId}.${renewsAtMs}`, renewsAtMs };
  return [...(visitor === null ? [] : [visitor]), inWindow, customer];
}

/**
 * The customer of the key, or without one that of the store of a link; null: nobody pays. Throws 404 for what a suspended customer shows to
 * everybody, as its publishable keys are refused: its links in mails still work.
 */
async function payerOf(
  { open, paidBy }: Route,
  input: Input,
  ctx: PlatformCtx<GatewayDeps>,
): Promise<Payer | null> {
  if (ctx.principal !== null) return ctx.principal.payer;
  const part = paidBy?.(input, ctx) ?? null;
  const owner = part === null ? null : await ctx.deps.findOwner(part);
  if (open !== null && owner?.isActive === false) throw fail("not_found", "No resource matches this path.");
  return owner;
}
