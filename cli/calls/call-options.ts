import type { ApiResponse } from "../command/api.ts";
import type { Cli } from "../command/command.ts";
import { member } from "../terminal/json.ts";
import type { RequestPlan } from "./request-plan.ts";

export interface CallOptions {
  readonly headers: readonly (readonly [string, string])[];
  readonly include: boolean;
  readonly output: string | undefined;
  readonly silent: boolean;
  readonly dryRun: boolean;
  readonly showSecrets: boolean;
  readonly idempotencyKey: string | undefined;
  /** All pages as one list. */
  readonly all: boolean;
  /** All pages, an item per line. */
  readonly ndjson: boolean;
  readonly wait: string | undefined;
  readonly retry: string | undefined;
  readonly fail: boolean;
  /** Print a table on a terminal and tab-separated values with --plain, instead of the body. */
  readonly table: boolean;
}

export const ENGINE_CALL: CallOptions = {
  headers: [],
  include: false,
  output: undefined,
  silent: false,
  dryRun: false,
  showSecrets: false,
  idempotencyKey: undefined,
  all: false,
  ndjson: false,
  wait: undefined,
  retry: undefined,
  fail: true,
  table: true,
};

export type Request = Omit<RequestPlan, "body"> & {
  readonly body: string | Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;
};
export type Sender = (request: Request) => Promise<ApiResponse>;

export function printHead(cli: Cli, { status, statusText, headers }: ApiResponse): void {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  cli.out.warn([`HTTP ${status} ${statusText}`.trim(), ...lines, ""].join("\n"));
}

/** Whether a success is printed as rows. */
export const isTabular = (
  { out, globals }: Pick<Cli, "out" | "globals">,
  { table, output }: Pick<CallOptions, "table" | "output">,
  { failed, json }: { readonly failed: boolean; readonly json: unknown },
): boolean =>
  table &&
  !failed &&
  output === undefined &&
  (out.isTable || (globals.plain && !out.isJson)) &&
  member(json, "data") !== undefined;
