import type { Clock } from "../core/clock.ts";
import { StoreError } from "./contract.ts";
import type { RateResult, StoreDriver } from "./contract.ts";
import { toUnstorage } from "./unstorage.ts";

/** A process that serves looks this often whether it is still the same store. */
const LOOK_MS = 1000;
/** Where each look is charged for. */
const PAID_LOOK_MS = 10_000;

export const replaced = (where: string): StoreError =>
  new StoreError(
    "REPLACED",
    `${where} is not the store that this node served: emptied, or another one in its place. ` +
      "Restore the old one, or accept this one with `platform storage adopt`.",
  );

type TakeIfArgs = Parameters<NonNullable<StoreDriver["takeIf"]>>;

async function takeIf(store: StoreDriver, args: TakeIfArgs): Promise<RateResult | null> {
  return (await store.takeIf?.(...args)) ?? null;
}

export interface IdentityOptions {
  readonly clock: Clock;
  /** For people. */
  readonly where: string;
  /** Called when an operator accepted the store that is there instead: reopen it. */
  readonly onAdopted: () => void;
}

/**
 * A store that refuses every call with REPLACED while another one, or none, is at its address: an emptied store would answer
 * valid keys with 401, and take what belongs to the old one. Reads the identity before the first call of each second; Redis
 * compares it within its scripts as well.
 */
export async function withIdentity(
  store: StoreDriver,
  { clock, where, onAdopted }: IdentityOptions,
): Promise<StoreDriver> {
  const own = await store.identity();
  const everyMs = store.caps.pollFloorMs === undefined ? LOOK_MS : PAID_LOOK_MS;
  let lookedAtMs = clock.now();
  let looking: Promise<void> | null = null;

  const look = async (): Promise<void> => {
    const startedAtMs = clock.now();
    const found = await store.identity();
    if (found.id !== own.id) {
      if (found.adopted) onAdopted();
      throw replaced(where);
    }
    lookedAtMs = startedAtMs;
  };
  const lookOnce = (): Promise<void> => (looking ??= look().finally(() => (looking = null)));
  // A clock that was set back must not keep an old view alive.
  const isFresh = (): boolean => Math.abs(clock.now() - lookedAtMs) < everyMs;
  const guard =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      isFresh() ? call(...args) : lookOnce().then(() => call(...args));

  type Args<N extends "get" | "getMany" | "page" | "commit" | "take"> = Parameters<StoreDriver[N]>;
  const guarded = {
    ...store,
    get: guard((...args: Args<"get">) => store.get(...args)),
    getMany: guard((...args: Args<"getMany">) => store.getMany(...args)),
    page: guard((...args: Args<"page">) => store.page(...args)),
    commit: guard((...args: Args<"commit">) => store.commit(...args)),
    take: guard((...args: Args<"take">) => store.take(...args)),
    ...(store.takeIf === undefined ? {} : { takeIf: guard((...args: TakeIfArgs) => takeIf(store, args)) }),
    partitions: guard(() => store.partitions()),
    async ping() {
      await lookOnce();
      await store.ping();
    },
  };
  return { ...guarded, ...toUnstorage(guarded) };
}
