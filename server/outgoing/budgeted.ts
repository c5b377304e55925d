import { BUDGETS, visitorsOf } from "../core/budgets.ts";
import type { Budgets, Payer, StoreOwner } from "../core/budgets.ts";
import { PLATFORM_PART } from "../core/partitions.ts";
import { OutgoingError } from "../core/ports.ts";
import type { Ports } from "../core/ports.ts";
import { HOUR_MS } from "../lib/instant.ts";

/**
 * Ports that a store's work uses: what it asks of other servers comes from the budget of its customer, and what visitors cause from half
 * of it.
 */
export type PortsOf = (part: string, by?: "visitors") => Ports;

/** Stores whose ports a process remembers. */
const REMEMBERED_MAX = 1_000;

export function createPortsOf(
  ports: Ports,
  deps: { readonly budgets: Budgets; readonly findOwner: (part: string) => Promise<StoreOwner | null> },
): PortsOf {
  const known = new Map<string, Ports>();

  async function take(part: string, by: "visitors" | undefined): Promise<void> {
    if (part === PLATFORM_PART) return;
    const owner = await deps.findOwner(part);
    if (owner?.isActive !== true) {
      // As its mail, it waits: jobs and links of the store go on, and an operator can do nothing else against what they send.
      const renewsAtMs = ports.realNow() + HOUR_MS;
      throw new OutgoingError("refused", "The customer of the store is not active.", { renewsAtMs });
    }
    if (by === "visitors") await takeOf(visitorsOf(owner));
    await takeOf(owner);
  }

  async function takeOf(payer: Payer): Promise<void> {
    if (await deps.budgets.take(payer, "outgoing")) return;
    const { period, unit } = BUDGETS.outgoing;
    const size = payer.limits.outgoing ?? 0;
    // It never renews: what waited for it would wait permanently.
    if (size === 0) throw new OutgoingError("refused", "The plan of the customer has no outgoing requests.");
    const { renewsAtMs } = await deps.budgets.look(payer, "outgoing");
    throw new OutgoingError("refused", `The budget of ${size} ${unit} per ${period} is exhausted.`, {
      // No window is open any more: it ended since.
      renewsAtMs: renewsAtMs ?? ports.realNow(),
    });
  }

  return (part, by) => {
    const name = `${part} ${by}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const own: Ports = {
      ...ports,
      post: async (request) => {
        await take(part, by);
        return ports.post(request);
      },
      fetch: async (request) => {
        await take(part, by);
        return ports.fetch({ ...request, part });
      },
    };
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(name, own);
    return own;
  };
}
