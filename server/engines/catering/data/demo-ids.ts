import { createNewId, derivedId } from "../../../core/ids.ts";

/** Randomness that is always the same. */
export const fixed = { next: () => 0.5, bytes: (count: number) => new Uint8Array(count) };

const make = createNewId({ now: () => Date.UTC(2026, 0, 1) }, fixed);

/**
 * Ids of the demo documents: the same in every run, so that examples and documentation can refer to them. Lists show the
 * newest first, so what is created last here is first there.
 */
export const DEMO_IDS = {
  policy: make("cpo"),
  sourceApi: make("chs"),
  source: make("chs"),
  accountHeld: make("cac"),
  account: make("cac"),
  quoteExpired: make("cqt"),
  quoteDeclined: make("cqt"),
  quoteConverted: make("cqt"),
  quoteAccepted: make("cqt"),
  quoteDraft: make("cqt"),
  quote: make("cqt"),
  recurringPaused: make("crc"),
  recurring: make("crc"),
  invoicePaid: make("civ"),
  invoice: make("civ"),
  event: make("evt"),
  lunch: make("lin"),
  drinks: make("lin"),
  staff: make("lin"),
  delivery: make("lin"),
} as const;

/** The order that the converted quote of the demo became. */
export const DEMO_ORDER = derivedId("cor", new Uint8Array(), [DEMO_IDS.quoteConverted, "1"]);
