import { z } from "zod";

import { defineMail, InlineText, toReadableInstant } from "../template.ts";

const REASONS = {
  failing: "Every delivery to it failed for five days.",
  gone: "It responded with status 410 (Gone).",
} as const;

/** Sent when an endpoint of webhooks was switched off because deliveries to it failed. */
export const webhookDisabled = defineMail({
  name: "webhook-disabled",
  summary: "Sent when a webhook endpoint is disabled because it failed for five days or responded with 410.",
  reason: "you have an account here",
  schema: z.object({
    store_identifier: InlineText,
    /** Of a URL that was parsed: the customer's own. */
    host: z.string().regex(/^[\w.:[\]-]{1,260}$/),
    endpoint_id: InlineText,
    reason: z.enum(["failing", "gone"]),
    disabled_at: z.iso.datetime(),
  }),
  example: {
    store_identifier: "demo-bakery",
    host: "orders.shop.example",
    endpoint_id: "whk_01JD8Z5T9QK3M4N5P6R7S8T9V0",
    reason: "failing",
    disabled_at: "2026-11-22T14:05:00.000Z",
  },
  subject: "A webhook endpoint was disabled",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    store_identifier: data.store_identifier,
    host: data.host,
    endpoint_id: data.endpoint_id,
    why: REASONS[data.reason],
    disabled_at: toReadableInstant(data.disabled_at),
    link: `${baseUrl}/docs`,
    enable: `POST /v1/account/webhooks/${data.endpoint_id}/enable`,
    resend: `POST /v1/account/webhooks/${data.endpoint_id}/resend`,
  }),
  text: (mail) => `A webhook endpoint was disabled
===============================

${mail.why}
It was disabled on ${mail.disabled_at}.

Store:    ${mail.store_identifier}
Receiver: ${mail.host}
Endpoint: ${mail.endpoint_id}

Once the receiver works again, enable the endpoint:

${mail.enable}

Failed deliveries of the last 90 days can be sent again:

${mail.resend}

Documentation:

${mail.link}

--${" "}
Sent by ${mail.base_url}
`,
});
