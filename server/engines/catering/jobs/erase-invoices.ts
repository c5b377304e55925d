import { erasureJob } from "../../../core/retention.ts";
import { invoices } from "../repository.ts";

export const eraseInvoices = erasureJob("catering.erasures", invoices);
