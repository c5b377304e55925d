import { z } from "zod";

import { conflictWhen } from "../../lib/errors.ts";
import { Instant, withVersion, urlUpTo } from "../../core/schema.ts";
import { freeText } from "../../accounts/free-text.ts";
import { Delivery, Endpoint, Replay } from "./collections.ts";
import { overlapBody } from "../../accounts/keys/key-routes.ts";

// What the routes of webhooks take and show, for the customer's own and for the operator.

const TYPES_MAX = 100;

const Url = urlUpTo(2048, { protocol: /^https?$/ })
  .refine((text) => {
    if (!URL.canParse(text)) return true;
    const { username, password, hash } = new URL(text);
    return username === "" && password === "" && hash === "";
  }, "Expected a URL without user name, password and fragment.")
  .meta({ description: "https URL. Redirects are not followed" });
const Types = z.array(z.string().min(1).max(100)).min(1).max(TYPES_MAX);

export const EndpointBody = z.strictObject({
  url: Url,
  description: freeText(200).or(z.literal("")).default(""),
  types: Types.default(["*"]),
});
/** For a customer's own route, which can create a listener as well. */
export const AccountEndpointBody = EndpointBody.extend({
  url: Url.or(z.literal("")).default("").meta({
    description:
      "https URL. Redirects are not followed. Without it the endpoint is a listener: its deliveries are read from `GET /v1/account/webhooks/{id}/stream`, and it is deleted after an hour without a reader",
  }),
});
export const EndpointPatch = z
  .strictObject({ url: Url, description: freeText(200).or(z.literal("")), types: Types })
  .partial();

export const RotateSecretBody = overlapBody(7, "How long deliveries are also signed with the old secret");

export const TestBody = z
  .strictObject({
    type: z.string().max(100).default("webhook.test").meta({
      description:
        "Event type. Events other than `webhook.test` contain the example of their type; they are sent to listeners and to endpoints of test data",
    }),
  })
  .prefault({});

export const ResultBody = z.strictObject({
  status: z
    .int()
    .min(100)
    .max(599)
    .nullable()
    .meta({ description: "Status of the response; null if there was none" }),
  duration_ms: z.int().nonnegative().max(3_600_000),
  error: z.string().max(300).nullable().default(null),
});

export const ReplayBody = z.strictObject({
  since: Instant,
  until: Instant.optional().meta({ description: "Default: now" }),
  only: Replay.shape.only.default("undelivered"),
});

export const EndpointView = withVersion(Endpoint);
export const DeliveryView = withVersion(Delivery);
export const ReplayView = withVersion(Replay);
/** With the secret, shown this once. */
export const IssuedEndpointView = Endpoint.extend({
  secret: z.string().meta({ description: "Secret that signs the deliveries. Shown only once." }),
});
export const RotatedSecretView = z.object({
  secret: z.string().meta({ description: "Secret that signs the deliveries from now on. Shown only once." }),
  old_expires_at: Instant.meta({
    description: "Time until which deliveries are also signed with the old secret",
  }),
});
export const EventTypeView = z.object({ type: z.string(), summary: z.string() });

export const limitError = conflictWhen("webhook_limit", "The limit of webhook endpoints has been reached.");
export const disabledError = conflictWhen(
  "webhook_disabled",
  "The webhook endpoint is disabled. Enable it first.",
);

export const runningError = conflictWhen(
  "webhook_resend_running",
  "A resend of the webhook endpoint is running.",
);

export const listenerError = conflictWhen(
  "webhook_not_listener",
  "The webhook endpoint has a URL. Its deliveries are sent there.",
);
export const liveError = conflictWhen(
  "webhook_live",
  "Only `webhook.test` can be sent to a URL with live data.",
);

/** Ids in the examples of requests. */
export const EXAMPLE_ENDPOINT = "whk_01JD8Z5T9QK3M4N5P6R7S8T9V0";
export const EXAMPLE_DELIVERY = "dlv_01JD8Z5T9QK3M4N5P6R7S8T9V0";
export const EXAMPLE_REPLAY = "rpl_01JD8Z5T9QK3M4N5P6R7S8T9V0";
