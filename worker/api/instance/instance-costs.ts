/** Costs of the instance at Cloudflare, for the operator: an estimate from its own counts, and Cloudflare's measurements. */
import { z } from 'zod';
import {
  countedDays,
  countedNames,
  measuredNames,
  planDollars,
  priceSource,
  uncountedNames,
} from '../../domain/instance/instance-costs.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { readCosts } from '../../usecases/instance/read-costs.ts';

const read = defineRoute({
  method: 'GET',
  path: '/api/system/costs',
  access: 'operator',
  summary:
    'Estimate what Cloudflare bills a month for this instance, from what it counts itself and what Cloudflare measures; what is not counted is named. No bill has confirmed it.',
  reply: z.strictObject({
    costs: z
      .strictObject({
        dollarsPerMonth: z
          .number()
          .describe('Estimate for a month: the plan and the items.')
          .meta({ examples: [5.32] }),
        planDollars: z
          .number()
          .describe('Of it, the paid plan. The free plan costs nothing, and ends at its limits.'),
        days: z
          .int()
          .describe('Requests are those of so many days until now; the rest is what is stored now.'),
        items: z
          .array(
            z.strictObject({
              name: z.enum([...countedNames, ...measuredNames]).describe('What is used.'),
              source: z
                .enum(['longshore', 'cloudflare'])
                .describe(
                  'Who counted: this instance, or Cloudflare for the whole account, other Workers included.',
                ),
              used: z
                .int()
                .describe(
                  'Requests, bytes, rows, milliseconds of processor time or, of `objectSeconds`, GB-seconds. Requests to objects are those for logs, counted by samples.',
                ),
              included: z.int().describe('What a month of the paid plan includes.'),
              dollars: z.number().describe('What is above it costs, a month.'),
            }),
          )
          .describe('What is counted.'),
        analytics: z
          .strictObject({
            isSet: z.boolean().describe('The Worker has the secrets to ask Cloudflare with.'),
            problem: z
              .string()
              .nullable()
              .describe('Why something of it is missing. Null: nothing is.')
              .meta({ examples: ['Cloudflare refused (HTTP 401): Unauthorized.'] }),
          })
          .describe('What Cloudflare measures, by its Analytics API.'),
        notCounted: z.array(z.enum(uncountedNames)).describe('What is billed too, and not counted here.'),
        prices: z
          .strictObject({
            url: z.string().describe('The price page.'),
            readOn: z
              .string()
              .describe('The day on which the prices were read.')
              .meta({ examples: ['2026-11-22'] }),
          })
          .describe('Where the prices are from.'),
      })
      .describe('What Cloudflare bills, as far as it is known.'),
  }),
  handle: async ({ deps }) => ({
    costs: {
      ...(await readCosts(deps)),
      ...{ planDollars, days: countedDays, prices: priceSource },
    },
  }),
});

export const instanceCostRoutes: AnyRoute[] = [read];
