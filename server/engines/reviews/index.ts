import { DEMO_SHOP } from "../../core/shop.ts";
import { defineEngine, seedSets } from "../../core/engine.ts";
import { REVIEW_EVENTS } from "./data/events.ts";
import { demoReviews } from "./demo.ts";
import { jobs } from "./jobs.ts";
import {
  aggregates,
  answers,
  attributeDefinitions,
  groups,
  invitations,
  memberships,
  orders,
  policyDocs,
  questions,
  reviews as reviewDocs,
  reviewSettings,
  slots,
  suppressions,
  tallies,
  totalsDocs,
} from "./repository.ts";
import { aggregateRoutes } from "./routes/aggregates.ts";
import { answerRoutes } from "./routes/answers.ts";
import { attributeRoutes } from "./routes/attributes.ts";
import { exportRoutes } from "./routes/exports.ts";
import { feedRoutes } from "./routes/feeds.ts";
import { groupRoutes } from "./routes/groups.ts";
import { importRoutes } from "./routes/imports.ts";
import { invitationRoutes } from "./routes/invitations.ts";
import { moderationRoutes } from "./routes/moderation.ts";
import { orderRoutes } from "./routes/orders.ts";
import { publicFormRoutes } from "./routes/public-form.ts";
import { publicGalleryRoutes } from "./routes/public-gallery.ts";
import { linkRoutes } from "./routes/public-links.ts";
import { questionRoutes } from "./routes/questions.ts";
import { replyRoutes } from "./routes/replies.ts";
import { reportRoutes } from "./routes/reports.ts";
import { reviewActionRoutes } from "./routes/review-actions.ts";
import { listReviews, reviewRoutes } from "./routes/reviews.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { createReview, mintToken } from "./routes/submissions.ts";
import { suppressionRoutes } from "./routes/suppressions.ts";
import { answerStates, questionStates, reviewStates } from "./rules/transitions.ts";

export const reviews = defineEngine({
  name: "reviews",
  summary: "Product reviews, questions and answers, aggregate ratings",
  routes: [
    listReviews,
    createReview,
    mintToken,
    ...reportRoutes,
    ...settingsRoutes,
    ...aggregateRoutes,
    ...feedRoutes,
    ...questionRoutes,
    ...answerRoutes,
    ...invitationRoutes,
    ...orderRoutes,
    ...suppressionRoutes,
    ...attributeRoutes,
    ...groupRoutes,
    ...importRoutes,
    ...exportRoutes,
    ...reviewRoutes,
    ...moderationRoutes,
    ...reviewActionRoutes,
    ...replyRoutes,
  ],
  links: [...linkRoutes, ...publicGalleryRoutes, ...publicFormRoutes],
  jobs,
  events: REVIEW_EVENTS,
  states: [reviewStates, questionStates, answerStates],
  seed: (now) => {
    const demo = demoReviews(now);
    return [
      reviewSettings.seed(DEMO_SHOP, demo.settings),
      ...seedSets(demo, {
        policies: policyDocs,
        attributes: attributeDefinitions,
        groups,
        memberships,
        reviews: reviewDocs,
        slots,
        aggregates,
        totals: totalsDocs,
        tallies,
        questions,
        answers,
        orders,
        invitations,
        suppressions,
      }),
    ];
  },
});
