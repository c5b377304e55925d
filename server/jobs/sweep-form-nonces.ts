import { formNonces } from "../core/form-token.ts";
import { createSweep } from "./sweep.ts";

/** Forgets which form tokens were used once they would be refused for their age. */
export const sweepFormNonces = createSweep(formNonces, {
  id: "kernel.sweep-form-nonces",
  summary: "Deletes the records of used form tokens that have expired",
  schedule: "23 * * * *",
  on: "stores",
});
