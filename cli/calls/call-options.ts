import type { ApiResponse } from "../command/api.ts";
import type { Cli } from "../command/command.ts";
import type { RequestPlan } from "./request-plan.ts";

export interface CallOptions {
  readonly headers: readonly (readonly [string, string])[];
  readonly include: boolean;
  readonly output: string | undefined;
  readonly silent: boolean;
  readonly dryRun: boolean;
  readonly showSecrets: boolean;
  readonly idempotencyKey: string | undefined;
  readonly paginate: boolean;
  /** All pages, an item per line. */
  readonly ndjson: boolean;
  readonly wait: string | undefined;
  readonly retry: string | undefined;
  readonly fail: boolean;
}

export const PLAIN_CALL: CallOptions = {
  headers: [],
  include: false,
  output: undefined,
  silent: false,
  dryRun: false,
  showSecrets: false,
  idempotencyKey: undefined,
  paginate: false,
  ndjson: false,
  wait: undefined,
  retry: undefined,
  fail: true,
};

export type Request = RequestPlan & { readonly headers: Readonly<Record<string, string>> };
export type Sender = (request: Request) => Promise<ApiResponse>;

export function printHead(cli: Cli, { status, statusText, headers }: ApiResponse): void {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  cli.out.warn([`HTTP ${status} ${statusText}`.trim(), ...lines, ""].join("\n"));
}
