import { z } from "zod";

/** What `platform doctor` says about one thing. */
export const Finding = z.strictObject({
  /** `fail`: something does not work, or is open to strangers. `warn`: it works, and a person should decide whether that is meant. */
  status: z.enum(["ok", "warn", "fail"]),
  detail: z.string(),
  fix: z.string().optional().meta({ description: "How to resolve it" }),
});
export type Finding = z.output<typeof Finding>;

export const warn = (detail: string, fix: string): Finding => ({ status: "warn", detail, fix });
export const failed = (detail: string, fix: string): Finding => ({ status: "fail", detail, fix });
export const fine = (detail: string): Finding => ({ status: "ok", detail });
export const broken = (error: unknown): Finding => ({ status: "fail", detail: messageOf(error) });
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const TIMEOUT_MS = 5_000;

/** Rejects when the work takes longer. */
export async function within<R>(ms: number, work: Promise<R>): Promise<R> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
