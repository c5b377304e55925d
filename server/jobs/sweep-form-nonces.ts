import { formNonces } from "../core/form-token.ts";
import { createSweep } from "./sweep.ts";

/** Forgets which form tokens were used once they would be refused for their age. */
export const sweepFormNonces = createSweep(formNonces, {
  id: "kernel.sweep-form-nonces",
  summary: "Forgets the form tokens that were used once they are too old to be used again",
  schedule: "23 * * * *",
  on: "stores",
});
