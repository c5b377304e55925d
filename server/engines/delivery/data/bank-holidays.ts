import snapshot from "./bank-holidays.json" with { type: "json" };

/**
 * UK bank holidays, 2025 to 2028: a snapshot of the data behind https://www.gov.uk/bank-holidays.
 *
 * Source: alphagov/frontend, lib/data/bank-holidays.json, last changed by commit
 * 609b0436da9f86b51e69262a95874b7ff3d3b712 (2026-02-25), retrieved at cb2a016d32f0ed07253a65eec38e357bc22195f1
 * (2026-08-21).
 * Titles are the English ones of config/locales/en.yml at the same commit.
 * Contains public sector information licensed under the Open Government Licence v3.0
 * (https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/).
 *
 * A newer copy is imported without a release through POST /v1/delivery/calendars/{id}/import.
 */
export const bankHolidays = snapshot;
