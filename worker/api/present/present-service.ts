/** A service as the API shows it. */
import { z } from 'zod';
import { exampleTime, note } from '../../../protocol/note.ts';
import { databaseImageOf, engineOf } from '../../domain/databases/database-engines.ts';
import { serviceUrls } from '../../domain/names/host-names.ts';
import { isRouted } from '../../domain/services/service-kind.ts';
import { answeredSettings, answersOf } from '../../domain/services/settings/service-settings.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { ListedView } from '../../usecases/projects/read-projects.ts';

export const serviceSchema = z.strictObject({
  id: idOf('service'),
  projectId: z.string().meta(notes.projectId),
  slug: z.string().meta(notes.slug),
  ...answeredSettings,
  hasGitHostToken: z.boolean().meta(note('Whether a repository access token is stored.', false)),
  detectedBuildMethod: z
    .enum(['dockerfile', 'analyzer'])
    .nullable()
    .describe('What the newest deployment used; null until then.'),
  hostPort: z.int().meta(notes.hostPort),
  databaseImage: z
    .string()
    .nullable()
    .meta(note('The image that the next deployment of the database runs.', 'postgres:17')),
  status: z.enum(['idle', 'queued', 'building', 'active', 'failed', 'crashed', 'stopped']).meta(notes.state),
  reachable: z.boolean().meta(note("Whether its port answered at the host's last look.", true)),
  localUrl: z
    .string()
    .meta(note('Address on the host itself; empty for workers and databases.', 'http://127.0.0.1:41000')),
  primaryUrl: z.string().meta(note('The address to give to people.', 'https://shop.example.com')),
  proxyPorts: z
    .strictObject({
      http: z.number().int().meta(note('Port for HTTP.', 80)),
      https: z.number().int().meta(note('Port for HTTPS.', 443)),
    })
    .meta(note('Ports on which the host serves names.', { http: 80, https: 443 })),
  preferredDomain: z.string().nullable().meta(note('The first active custom domain.', 'shop.example.com')),
  framework: z
    .string()
    .nullable()
    .meta(note('What the analyzer found; of a database, its engine.', 'nextjs')),
  sleep: z
    .strictObject({
      asleep: z.boolean().meta(note('Whether its containers are stopped until the next request.', true)),
      asleepSince: timestampSchema
        .nullable()
        .meta(note('When it fell asleep; null while it is awake.', '2026-11-21T10:00:00.000Z')),
      lastWokeAt: timestampSchema
        .nullable()
        .meta(
          note(
            'When requests last went to it again; null: it has not woken yet.',
            '2026-11-21T09:00:00.000Z',
          ),
        ),
      lastWakeMs: z
        .int()
        .nullable()
        .meta(note('How long the request that woke it waited for its containers, in milliseconds.', 850)),
    })
    .nullable()
    .meta(
      note('Its sleep since its live version was deployed; null: it has not slept yet.', {
        asleep: true,
        asleepSince: '2026-11-21T10:00:00.000Z',
        lastWokeAt: null,
        lastWakeMs: null,
      }),
    ),
  lastDeployedAt: timestampSchema.nullable().meta(note('When a version last went live.', exampleTime)),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});

export function presentService({
  service,
  facts,
  isConnected,
  preferredDomain,
}: ListedView): z.infer<typeof serviceSchema> {
  const { hostPort, generatedHostname } = service;
  const engine = engineOf(service);
  const urls = serviceUrls(
    { isRouted: isRouted(service), hostPort, generatedHostname },
    preferredDomain,
    facts,
  );
  return {
    id: service.id,
    projectId: service.projectId,
    slug: service.slug,
    ...answersOf(service),
    engineSettings: service.engineSettings ?? {},
    // After a change of host, the new one: like other settings, it takes effect with the next deployment.
    runnerId: service.nextRunnerId ?? service.runnerId,
    hasGitHostToken: service.sealedGitToken !== null,
    detectedBuildMethod: service.detectedBuildMethod,
    hostPort,
    databaseImage: engine && databaseImageOf(service, engine),
    status: service.status,
    reachable: service.reachable && isConnected && !facts.trouble,
    ...urls,
    proxyPorts: { http: facts.httpPort, https: facts.httpsPort },
    preferredDomain,
    framework: service.framework,
    sleep: service.sleep && {
      asleep: service.sleep.asleepSince !== null,
      asleepSince: timestampOrNull(service.sleep.asleepSince),
      lastWokeAt: timestampOrNull(service.sleep.lastWokeAt),
      lastWakeMs: service.sleep.lastWakeMs,
    },
    lastDeployedAt: timestampOrNull(service.lastDeployedAt),
    createdAt: timestamp(service.createdAt),
    updatedAt: timestamp(service.updatedAt),
  };
}
