/** What the configuration says of observability. */
export interface TelemetrySettings {
  readonly metrics: boolean;
  readonly tracesUrl?: string | undefined;
  readonly samplePercent: number;
  readonly serviceName: string;
}

/** What was asked of the service, as it is known before the answer. */
export interface Asked {
  readonly method: string;
  /** Path with `{name}` parameters; null where no route is. */
  readonly route: string | null;
  readonly scheme: string;
  /** Value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/** How something ended: its status, or what went wrong. */
export interface Ended {
  readonly seconds: number;
  /** Status of an answer; null where there was none. */
  readonly status: number | null;
  /** Kind of failure; null for none. */
  readonly error: string | null;
  readonly requestId?: string | null;
}

/** A call of ours to something else. */
export interface Call {
  readonly kind: "store" | "http" | "mail" | "ai" | "webhook" | "job";
  /** `commit`, `POST`, an operation of AI, the id of a job. */
  readonly operation: string;
  /** `redis`, `smtp`, a provider of AI; the host of a request. */
  readonly system: string;
  /** Partition or collection, for a trace. */
  readonly target: string;
}

export interface Watched {
  /** Runs the work so that what it calls belongs to it. */
  readonly run: <R>(work: () => R) => R;
  readonly end: (ended: Ended) => void;
}

/** One kind of recording: spans or measures. `begin…` is called in the context of its cause, its result when it ended. */
export interface Recorder {
  readonly request: (asked: Asked) => Watched;
  readonly call: (call: Call) => Watched;
  readonly close: () => Promise<void>;
}
