import type { EngineOutline } from "../../core/engine.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { eventTypesOf } from "../../accounts/event-types.ts";

/** Every type of event with what it says. */
export const eventsPage = (engines: readonly EngineOutline[]): Html =>
  html`<h1>Events</h1>
    <p>
      Event types that a <a href="/docs/guides/webhooks">webhook</a> can subscribe to. <code>data</code>
      contains ids, states and amounts. Fetch the resource for everything else.
    </p>
    ${eventTypesOf(engines).map(
      ({ type, summary, example }) =>
        html`<h2 id="${type}"><code>${type}</code></h2>
          <p>${summary}</p>
          <details class="snippet">
            <summary><code>data</code></summary>
            <pre><code>${JSON.stringify(example, null, 2)}</code></pre>
          </details>`,
    )}`;
