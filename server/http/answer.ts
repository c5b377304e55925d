import { FastResponse } from "srvx";

import type { Outgoing } from "./messages.ts";

/**
 * An answer of the pipeline as h3 and its middleware see it. The `Response` behind it is made when something looks at its
 * headers or body; until then our own adapter writes `out` to the socket as it is.
 */
export class Answer extends FastResponse {
  readonly out: Outgoing;
  /** Nothing has seen the headers, which can be changed. */
  isUntouched = true;
  constructor(out: Outgoing) {
    super(out.body, new LazyInit(out));
    this.out = out;
  }
  override get headers(): Headers {
    this.isUntouched = false;
    return super.headers;
  }
}

class LazyInit implements ResponseInit {
  readonly status: number;
  readonly #headers: readonly string[];
  constructor({ status, headers }: Outgoing) {
    this.status = status;
    this.#headers = headers;
  }
  get headers(): [string, string][] {
    const pairs: [string, string][] = [];
    for (let index = 0; index < this.#headers.length; index += 2)
      pairs.push([this.#headers[index] ?? "", this.#headers[index + 1] ?? ""]);
    return pairs;
  }
}
