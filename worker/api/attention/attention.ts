/** What is out of order now: the first thing that somebody looks at who is woken at night. */
import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import { exampleTime, note } from '../../../protocol/note.ts';
import { attentionOf, isSettling } from '../../domain/attention/attention.ts';
import {
  type Attention,
  attentionActions,
  attentionKinds,
  severities,
} from '../../domain/attention/attention-items.ts';
import { exampleId } from '../../domain/values/field-notes.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import { selectAttention } from '../../store/attention/attention-store.ts';

/** Maximum number of items in an answer; `total` counts all. */
const itemsMax = 200;

const nullable = (description: string, example: unknown) =>
  z.string().nullable().meta(note(description, example));

const itemSchema = z.strictObject({
  kind: z.enum(attentionKinds).describe('What it is about.'),
  severity: z
    .enum(severities)
    .describe(
      '`down`: visitors or work are affected now. `failing`: something does not work, and what is live serves. `warning`: it needs care soon.',
    ),
  name: z.string().meta(note('Name of the service, host or channel.', 'web')),
  what: z.string().meta(note('What is wrong, as a sentence.', 'The container ended with exit code 1.')),
  effect: nullable('What it means for users; null: `what` says it.', 'Visitors get no answer.'),
  since: timestampSchema.nullable().meta(note('Its begin; null: it is not known.', exampleTime)),
  action: z
    .enum(attentionActions)
    .describe(
      'What to do first: `rollback` to the deployment `resourceId`, `explain` the failure, or look at the logs, metrics, host, channel, backups of the database or the volumes, domain or deployments.',
    ),
  projectId: nullable('Its project; null: a host, or all projects.', exampleId('project')),
  projectSlug: nullable('Slug of that project.', 'shop'),
  serviceId: nullable('Its service; null: it is about no single service.', exampleId('service')),
  serviceSlug: nullable('Slug of that service.', 'web'),
  resourceId: z
    .string()
    .meta(
      note(
        'The deployment, alert, host, channel, backup, restore test, domain, job or service that it is about.',
        exampleId('deployment'),
      ),
    ),
  alertId: nullable('The open alert about it; null: none is open.', exampleId('alert')),
  acknowledgedAt: timestampSchema
    .nullable()
    .describe('When somebody acknowledged that alert; null: nobody has.')
    .meta({ examples: [null] }),
});

const list = defineRoute({
  method: 'GET',
  path: '/api/attention',
  access: 'read',
  summary: 'List what is out of order now in the projects that the key sees, worst first.',
  query: z.strictObject({
    projectId: idSchema('project').optional().describe('Only this project; absent: all that the key sees.'),
    serviceId: idSchema('service').optional().describe('Only this service.'),
  }),
  reads: (db, { tokenId, query }) => selectAttention(db, tokenId, query),
  reply: z.strictObject({
    attention: z.array(itemSchema).describe(`Worst first, at most ${itemsMax}.`),
    total: z.int().meta(note('How many there are, counted up to 200 of a kind.', 1)),
    open: z.int().meta(note('How many of them nobody has acknowledged.', 1)),
    services: z.int().meta(note('How many services were looked at.', 12)),
    settling: z
      .boolean()
      .meta(
        note(
          'Whether a host has just come or gone, so that the state of its services is not known yet: an empty list does not mean that all is well.',
          false,
        ),
      ),
  }),
  async handle({ deps, read }) {
    const now = deps.now();
    const items = attentionOf(read, now);
    return {
      attention: items.slice(0, itemsMax).map(present),
      total: items.length,
      open: items.filter(({ alert }) => alert === null || alert.acknowledgedAt === null).length,
      services: read.services[0]?.number ?? 0,
      settling: isSettling(read, now),
    };
  },
});

function present({ since, alert, ...item }: Attention): z.infer<typeof itemSchema> {
  return {
    ...item,
    since: timestampOrNull(since),
    alertId: alert?.id ?? null,
    acknowledgedAt: timestampOrNull(alert?.acknowledgedAt ?? null),
  };
}

export const attentionRoutes: AnyRoute[] = [list];
