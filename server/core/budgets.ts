import { tooManyRequests } from "../lib/errors.ts";
import type { Problem } from "../lib/errors.ts";
import { DAY_MS, HOUR_MS, toInstant } from "../lib/instant.ts";
import type { RateResult, StoreDriver } from "../storage/contract.ts";
import type { Clock } from "./clock.ts";
import type { StorageLimits } from "./quota.ts";

/**
 * What a customer uses up in a fixed window, in addition to requests a minute. `size` is how much is counted for one of the unit: times
 * are counted in milliseconds and given in seconds.
 */
export const BUDGETS = {
  mails: { unit: "mails", period: "day", windowMs: DAY_MS, size: 1 },
  new_recipients: { unit: "mails to new recipients", period: "day", windowMs: DAY_MS, size: 1 },
  cpu: { unit: "CPU seconds", period: "hour", windowMs: HOUR_MS, size: 1_000 },
  background: { unit: "seconds of background work", period: "hour", windowMs: HOUR_MS, size: 1_000 },
  outgoing: { unit: "outgoing requests", period: "hour", windowMs: HOUR_MS, size: 1 },
  ai: { unit: "AI tokens", period: "day", windowMs: DAY_MS, size: 1 },
} as const;

export type BudgetName = keyof typeof BUDGETS;

/** In the budget's unit; null is unlimited. */
export type BudgetLimits = Readonly<Record<BudgetName, number | null>>;

/** Whose budgets are used up: they are shared by all stores and keys of a customer. */
export interface Payer {
  readonly customerId: string;
  readonly limits: BudgetLimits;
  /** When the window of another counter ends, of which this counts a part; absent where it is its own. */
  readonly renewsAtMs?: number;
}

/**
 * What everybody can cause who has a link, a form or a publishable key of a shop: it has half of these budgets, counted apart. The rest
 * is left to the shop and its jobs.
 */
export function visitorsOf({ customerId, limits }: Payer): Payer {
  const half = (limit: number | null): number | null => (limit === null ? null : Math.ceil(limit / 2));
  const { cpu, mails, new_recipients: recipients, outgoing } = limits;
  return {
    customerId: `${customerId}.visitors`,
    limits: {
      ...limits,
      cpu: cpu === null ? null : cpu / 2,
      mails: half(mails),
      new_recipients: half(recipients),
      outgoing: half(outgoing),
    },
  };
}

/** What one of them can cause: a quarter of their mails, but a few in any case. */
export function visitorOf({ customerId, limits }: Payer, visitor: string): Payer {
  const quarter = (limit: number | null): number | null =>
    limit === null ? null : Math.max(VISITOR_MAILS_MIN, Math.ceil(limit / 4));
  const { mails, new_recipients: recipients } = limits;
  return {
    customerId: `${customerId}.${visitor}`,
    limits: { ...limits, mails: quarter(mails), new_recipients: quarter(recipients) },
  };
}
const VISITOR_MAILS_MIN = 5;

/** The customer of a store; one that is suspended or closed sends nothing, and has nothing written at the operator's expense. */
export interface StoreOwner extends Payer {
  readonly isActive: boolean;
}

/** A customer with what each of its stores may hold. */
export interface Tenant extends Payer {
  readonly storage: StorageLimits;
}

/** A budget as it is now, in its unit. */
export interface BudgetState {
  readonly budget: BudgetName;
  readonly limit: number | null;
  readonly used: number;
  readonly remaining: number | null;
  /** End of the window; null while none is open. */
  readonly renewsAtMs: number | null;
}

/** What is taken of a budget until it is known how much of it was used. */
export interface ReservedBudget {
  readonly customerId: string;
  readonly budget: BudgetName;
  readonly amount: number;
  /** End of the window that it was taken in. */
  readonly resetAtMs: number;
}

export interface Budgets {
  /** Takes from a budget in one step with its check, exact over all nodes; false, and nothing is taken, where too little is left. */
  take(payer: Payer, budget: BudgetName, amount?: number): Promise<boolean>;
  /** The same for what is only known afterwards: takes the most that it may be, and throws 429 where less is left. */
  reserve(payer: Payer, budget: BudgetName, amount: number): Promise<ReservedBudget>;
  /** Corrects what was reserved to what was used. Nothing is given back to a window that opened since. */
  settle(reserved: ReservedBudget, used: number): Promise<void>;
  /**
   * Counts what was used already, of which the amount is only known afterwards: in the budget's counted size. Returns the end of the
   * window.
   */
  charge(customerId: string, budget: BudgetName, counted: number): Promise<number>;
  /** Reads a budget without using it. */
  look(payer: Payer, budget: BudgetName): Promise<BudgetState>;
  /** Throws 429 where `amount` of a budget is not left; takes nothing. */
  require(payer: Payer, budget: BudgetName, amount?: number): Promise<void>;
}

/** Counts budgets where the rate limits are counted, and as they are. */
export function createBudgets(deps: {
  readonly store: Pick<StoreDriver, "take" | "peek">;
  readonly clock: Clock;
}): Budgets {
  const { store, clock } = deps;
  const counterOf = (customerId: string, budget: BudgetName): string => `budget.${budget}.${customerId}`;

  async function look({ customerId, limits, renewsAtMs }: Payer, budget: BudgetName): Promise<BudgetState> {
    const { size } = BUDGETS[budget];
    const open = await store.peek(counterOf(customerId, budget));
    const used = (open?.count ?? 0) / size;
    const limit = limits[budget];
    const remaining = limit === null ? null : Math.max(0, limit - used);
    return { budget, limit, used, remaining, renewsAtMs: renewsAtMs ?? open?.resetAtMs ?? null };
  }

  const takeOf = ({ customerId, limits }: Payer, budget: BudgetName, amount: number): Promise<RateResult> => {
    const { size, windowMs } = BUDGETS[budget];
    const limit = (limits[budget] ?? Infinity) * size;
    return store.take(counterOf(customerId, budget), limit, windowMs, amount * size);
  };

  return {
    look,
    take: async (payer, budget, amount = 1) => (await takeOf(payer, budget, amount)).allowed,
    async reserve(payer, budget, amount) {
      const { allowed, resetAtMs } = await takeOf(payer, budget, amount);
      if (!allowed) throw budgetExhausted(await look(payer, budget), amount, clock.now());
      return { customerId: payer.customerId, budget, amount, resetAtMs };
    },
    async settle({ customerId, budget, amount, resetAtMs }, used) {
      const { size, windowMs } = BUDGETS[budget];
      const counter = counterOf(customerId, budget);
      if (used === amount) return;
      if (used < amount && (await store.peek(counter))?.resetAtMs !== resetAtMs) return;
      await store.take(counter, Infinity, windowMs, Math.round((used - amount) * size));
    },
    async charge(customerId, budget, counted) {
      const counter = counterOf(customerId, budget);
      return (await store.take(counter, Infinity, BUDGETS[budget].windowMs, counted)).resetAtMs;
    },
    async require(payer, budget, amount = 1) {
      const state = await look(payer, budget);
      if (state.remaining !== null && (state.remaining === 0 || state.remaining < amount))
        throw budgetExhausted(state, amount, clock.now());
    },
  };
}

const FOR_IMPORTS = "For an import, turn off `send_mail` in the settings.";
const ADVICE: Partial<Record<BudgetName, string>> = {
  mails: `Larger plans have more. ${FOR_IMPORTS}`,
  new_recipients: `Ask the operator to trust this account, or choose a paid plan. ${FOR_IMPORTS}`,
};

/** The refusal of what exceeds a budget: names the budget, its size, when it renews and what to do. */
export function budgetExhausted(state: BudgetState, amount: number, nowMs: number): Problem {
  const { budget, limit, remaining, renewsAtMs } = state;
  const { period, unit, windowMs } = BUDGETS[budget];
  const size = `the budget of ${limit} ${unit} per ${period}`;
  const renews = renewsAtMs === null ? "" : ` It renews at ${toInstant(renewsAtMs)}.`;
  const advice = ADVICE[budget] ?? "Larger plans have more.";
  const detail =
    remaining === 0
      ? `T${size.slice(1)} is exhausted.${renews} ${advice}`
      : `This request needs ${amount} ${unit}, but only ${remaining} of ${size} remain.${renews} ${advice}`;
  return tooManyRequests(detail, (renewsAtMs ?? nowMs + windowMs) - nowMs);
}
