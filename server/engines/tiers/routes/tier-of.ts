import type { EnginePorts } from "../../../core/ports.ts";
import { findMember } from "../services/ingest.ts";
import { customers } from "../repository.ts";

/** The port through which other engines query tiers. */
export const tierAnswers: Pick<EnginePorts, "tierOf"> = {
  async tierOf(tx, customerId) {
    const member = await findMember(tx, customerId);
    const shown = member === null ? null : await tx.get(customers, member.id);
    if (shown === null) return null;
    const { tier, benefits } = shown.value;
    return { level_id: tier.level_id, name: tier.name, rank: tier.rank, benefits };
  },
};
