import type { Answers } from "../../server/openapi/manifest.ts";

/** Headers of a response. */
export interface HeaderList extends Iterable<readonly [string, string]> {
  /** By lower-case name; repeated ones joined. */
  get(name: string): string | null;
}

/** On whose behalf a request is sent: the operator, the holder of the API key, or without credentials. */
export type Caller = "operator" | "key" | "anonymous";

export interface ApiRequest {
  readonly method: string;
  /** From the root of the service, with the query. */
  readonly path: string;
  readonly as: Caller;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Form of a successful response; default: the envelope. `any`: whatever the service itself returns. */
  readonly answers?: Answers | "any";
  readonly signal?: AbortSignal;
  /** Work whose duration grows with the data: --timeout does not apply. */
  readonly isLong?: boolean;
  /** Sent even after an interruption, to clean up. */
  readonly isLast?: boolean;
}

export interface ApiResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderList;
  /** The body as it arrives; throws CliError if it is cut off. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A connection to a service: remote, on this machine, or in this process. */
export interface Api {
  readonly url: string;
  /** For messages: the address and the profile. */
  readonly label: string;
  readonly isInProcess: boolean;
  /** Sends one request without retries; does not check the status. Throws CliError if there is no response. */
  send(request: ApiRequest): Promise<ApiResponse>;
  /** The headers that `send` adds, including secrets; for display. */
  headersFor(as: Caller): Record<string, string>;
  close(): Promise<void>;
}
