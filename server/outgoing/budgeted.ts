import { BUDGETS, visitorsOf } from "../core/budgets.ts";
import type { Budgets, Payer } from "../core/budgets.ts";
import { OutgoingError } from "../core/ports.ts";
import type { Ports } from "../core/ports.ts";

/**
 * Ports that a store's work uses: what it asks of other servers comes from the budget of its customer, and what visitors cause from half
 * of it.
 */
export type PortsOf = (part: string, by?: "visitors") => Ports;

/** Stores whose ports a process remembers. */
const REMEMBERED_MAX = 1_000;

export function createPortsOf(
  ports: Ports,
  deps: { readonly budgets: Budgets; readonly findOwner: (part: string) => Promise<Payer | null> },
): PortsOf {
  const known = new Map<string, Ports>();

  async function take(part: string, by: "visitors" | undefined): Promise<void> {
    const owner = await deps.findOwner(part);
    if (owner === null) return;
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
