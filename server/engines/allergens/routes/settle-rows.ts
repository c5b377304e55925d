import { Problem } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";

/** Rows that are written at the same time: their commits share a write to the disk. */
const AT_ONCE = 8;

export interface RowError {
  readonly code: string | null;
  readonly detail: string;
}
export interface Settled<R, T> {
  readonly row: R;
  /** Null for a row that was refused. */
  readonly value: T | null;
  readonly error: RowError | null;
}

/** Does the same for many rows, each in a commit of its own, so that a refused one does not affect the others. */
export async function settleRows<R, T>(
  ctx: Ctx,
  rows: readonly R[],
  write: (row: R, work: Ctx) => Promise<T>,
): Promise<Settled<R, T>[]> {
  const settled: Settled<R, T>[] = [];
  for (let start = 0; start < rows.length && !ctx.signal().aborted; start += AT_ONCE) {
    const batch = rows.slice(start, start + AT_ONCE).map((row) => settleRow(ctx, row, write));
    settled.push(...(await Promise.all(batch)));
  }
  return settled;
}

async function settleRow<R, T>(
  ctx: Ctx,
  row: R,
  write: (row: R, work: Ctx) => Promise<T>,
): Promise<Settled<R, T>> {
  try {
    const value = await ctx.runTx(ctx.tx.part, (tx) => write(row, { ...ctx, tx }));
    return { row, value, error: null };
  } catch (error) {
    // What a rule refuses is the result of this row; anything else is an internal error and ends the request.
    if (!(error instanceof Problem)) throw error;
    const details = error.options.errors
      ?.map((each) => `${each.pointer ?? ""} ${each.detail}`.trim())
      .join(" ");
    return {
      row,
      value: null,
      error: { code: error.options.code ?? null, detail: details ?? error.detail },
    };
  }
}
