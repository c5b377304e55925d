/** A POST to somebody else's server. */
export interface OutgoingPost {
  /** Absolute https URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds until it is given up, from connecting to the end of the answer. */
  readonly timeoutMs: number;
}

export interface OutgoingAnswer {
  readonly status: number;
  /** The first 64 KB of the answer, as text. */
  readonly body: string;
}

/** What the service around the engines does for them, beside storage and time. */
export interface Ports {
  /** Public address of the service, without a trailing slash: links begin with it. */
  readonly baseUrl: string;
  /**
   * What only this service can make of a text, for signing links: 43 characters of base64url. The purpose keeps a
   * signature made for one use from passing in another.
   */
  seal(purpose: string, text: string): string;
  /**
   * Sends a POST and resolves with whatever answer came. Rejects with an `OutgoingError`; only `refused` means that
   * nothing was sent. It follows no redirect and does not reach into private networks unless the operator runs `dev`.
   */
  post(request: OutgoingPost): Promise<OutgoingAnswer>;
}

/** `refused`: the request never left. `unknown`: it may have been carried out, and the answer did not come. */
export type OutgoingFault = "refused" | "unknown";

export class OutgoingError extends Error {
  readonly fault: OutgoingFault;
  constructor(fault: OutgoingFault, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "OutgoingError";
    this.fault = fault;
  }
}
