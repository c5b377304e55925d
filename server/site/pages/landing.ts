import { z } from "zod";

import { defineOperationsRoute } from "../../operations/context.ts";
import { html } from "../../lib/html.ts";
import { page } from "./layout.ts";

/** `/`: where a person lands who opens the address of the service. */
export const landingRoute = defineOperationsRoute({
  id: "pages.landing.get",
  method: "GET",
  path: "/",
  summary: "Front page",
  data: z.string(),
  rawType: "text/html",
  hidden: true,
  example: {},
  async handle(_input, { deps }) {
    const { baseUrl, mail } = deps.config;
    return page({
      title: "Welcome",
      body: html`<h1>Storefront engines behind one REST API</h1>
        <p class="lead">
          Delivery, menus, allergens, subscriptions, reviews and six more, with one key and one set of rules.
        </p>
        <ul class="cards">
          <li>
            <a href="/signup">Get a key</a>
            <p class="soft">
              An e-mail address and the name of your store. The Free plan needs nothing else.
            </p>
          </li>
          <li>
            <a href="/docs">Read the reference</a>
            <p class="soft">Every route, with examples that you can try with your own key.</p>
          </li>
          <li>
            <a href="/docs/errors">Look up an error</a>
            <p class="soft">What each type means and what mends it.</p>
          </li>
          ${
            mail.transport === "dev" &&
            html`<li>
              <a href="/_/inbox">Open the inbox</a>
              <p class="soft">This server keeps its mail here instead of sending it.</p>
            </li>`
          }
        </ul>
        <h2>First request</h2>
        <pre>curl ${baseUrl}/v1/reviews -H "Authorization: Bearer $API_KEY"</pre>
        <p class="soft">For programs: <a href="/openapi.json">openapi.json</a></p>`,
    });
  },
});
