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
          Delivery, menus, allergens, subscriptions, reviews and six more, with one key and one set of
          conventions.
        </p>
        <ul class="cards">
          <li>
            <a href="/signup">Get an API key</a>
            <p class="soft">
              An e-mail address and a store identifier. No payment details required for the Free plan.
            </p>
          </li>
          <li>
            <a href="/docs">Read the documentation</a>
            <p class="soft">Guides and all routes, with examples that you can try with your own key.</p>
          </li>
          <li>
            <a href="/docs/errors">Look up an error</a>
            <p class="soft">What each type means and how to resolve it.</p>
          </li>
          ${
            mail.transport === "dev" &&
            html`<li>
              <a href="/_/inbox">Open the inbox</a>
              <p class="soft">This server stores mail here instead of sending it.</p>
            </li>`
          }
        </ul>
        <h2>First request</h2>
        <pre>curl ${baseUrl}/v1/reviews -H "Authorization: Bearer $API_KEY"</pre>
        <p class="soft">Machine-readable: <a href="/openapi.json">openapi.json</a></p>`,
    });
  },
});
