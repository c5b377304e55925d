import type { Answers } from "../../server/openapi/manifest.ts";

/** Headers of an answer. */
export interface HeaderList extends Iterable<readonly [string, string]> {
  /** By lower-case name; repeated ones joined. */
  get(name: string): string | null;
}

/** Who a request speaks for: the operator of the service, the holder of an API key, or nobody. */
export type Speaker = "operator" | "key" | "nobody";

export interface ApiRequest {
  readonly method: string;
  /** From the root of the service, with the query. */
  readonly path: string;
  readonly as: Speaker;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** What a success looks like; default: the envelope. `any`: whatever the service itself sends. */
  readonly answers?: Answers | "any";
  readonly signal?: AbortSignal;
  /** Work that takes as long as the data is large: --timeout does not end it. */
  readonly isLong?: boolean;
  /** Sent although the command was interrupted, to leave things in order. */
  readonly isLast?: boolean;
}

export interface ApiResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderList;
  /** The body as it comes; throws CliError when it breaks off. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A service to talk to: far away, a server of this machine, or the application in this process. */
export interface Api {
  readonly url: string;
  /** For messages: the address and the profile. */
  readonly label: string;
  readonly isInProcess: boolean;
  /** Sends once, without repeating and without judging the status. Throws CliError when nothing answers. */
  send(request: ApiRequest): Promise<ApiResponse>;
  /** The headers that `send` would add, for showing; secrets included. */
  headersFor(as: Speaker): Record<string, string>;
  close(): Promise<void>;
}
