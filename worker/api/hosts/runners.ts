/** Hosts, for the operator: `/api/system/runners`, and `/api/system/upgrades`. */

import { z } from 'zod';
import { exampleTime, note } from '../../../protocol/note.ts';
import { runnerFactsSchema } from '../../../protocol/runner-facts.ts';
import { enrolmentAddress } from '../../domain/hosts/enrolment-address.ts';
import { hostWarning } from '../../domain/hosts/host-warning.ts';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { runnerResource } from '../../http/loaders/operator-loaders.ts';
import { nextCursor, pageOf, pageQuery, placeByCreation } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import {
  countOutdatedHosts,
  selectUpgradeRounds,
  type UpgradeRoundRow,
} from '../../store/hosts/upgrade-round-store.ts';
import { createEnrolmentToken } from '../../usecases/hosts/enrolment.ts';
import { changeHost, type HostView, listHosts, revokeHost } from '../../usecases/hosts/hosts.ts';
import { upgradeHost } from '../../usecases/hosts/upgrade-host.ts';

const tenantIdSchema = z.string('must be the id of a tenant; to let all tenants use the host, set "shared"');

const runnerSchema = z.object({
  id: idOf('runner'),
  name: z.string().meta(notes.name),
  /** The tenant that owns the host. Only in an instance with more than the default tenant. */
  tenantId: z.string().optional().meta(notes.tenantId),
  shared: z.boolean().meta(notes.shared),
  /** The version of runc that the operator considers fixed. It counts while `facts.runcVersion` is exactly this version. */
  trustedRunc: z.string().nullable().meta(notes.trustedRunc),
  warning: z
    .string()
    .nullable()
    .describe('What a shared host lacks to keep tenants apart, what follows, and the way out; else null.'),
  connected: z.boolean().meta(notes.connected),
  drained: z.boolean().meta(notes.drained),
  services: z.int().describe('How many services are on it, or are going to move to it.'),
  connectedAt: timestampSchema
    .nullable()
    .meta(note('Since when it is connected; null: it is not.', exampleTime)),
  disconnectedAt: timestampSchema.nullable().meta(note('When its connection was last lost.', exampleTime)),
  createdAt: timestampSchema.meta(notes.createdAt),
  facts: runnerFactsSchema.describe('What the host reports about itself.'),
});

const list = defineRoute({
  method: 'GET',
  path: '/api/system/runners',
  access: 'operator',
  summary: 'List the hosts with their connection state.',
  query: pageQuery(1_000),
  reply: z.object({ runners: z.array(runnerSchema), ...nextCursor }),
  async handle({ deps, query }) {
    const { rows, next } = pageOf(await listHosts(deps, query), query, ({ runner }) =>
      placeByCreation(runner),
    );
    return { runners: rows.map(presentRunner), ...next };
  },
});

const createToken = defineRoute({
  method: 'POST',
  path: '/api/system/runners',
  access: 'operator',
  summary: 'Create a one-time token that enrols a host within 15 min.',
  body: z
    .strictObject({
      name: nameSchema.optional(),
      tenantId: tenantIdSchema.default(defaultTenantId).meta(notes.tenantId),
      shared: z.boolean().default(false).meta(notes.shared),
    })
    .default({ tenantId: defaultTenantId, shared: false }),
  // An enrolment token that the client never received expires within 15 min, so no `find` is needed.
  creates: {},
  reply: z.object({
    token: z.string().meta(notes.token),
    expiresAt: timestampSchema.meta(notes.expiresAt),
    command: z.string().describe('The command to run.'),
    warning: z.string().nullable().describe('What is not as it should be, as a sentence; null: nothing.'),
  }),
  async handle({ deps, body, request }) {
    const options = { ...body, name: body.name ?? null };
    const { token, expiresAt } = await createEnrolmentToken(deps, options);
    const { origin, warning } = enrolmentAddress(new URL(request.url).origin, deps.hostsUrl);
    return {
      token,
      expiresAt: timestamp(expiresAt),
      // The token is in the environment because other users of the host can read a program's arguments.
      command: `curl -fsSL ${origin}/install.sh | LONGSHORE_TOKEN=${token} sh -s -- --url ${origin}`,
      warning,
    };
  },
});

const update = defineRoute({
  method: 'PATCH',
  path: '/api/system/runners/:runnerId',
  access: 'operator',
  summary:
    'Rename a host, drain it (it then takes no new services and no new jobs), give it to another tenant, share it with all tenants (409 "not_isolated" while it does not isolate tenants), or trust its runc (only the version that it reports).',
  resource: runnerResource,
  body: z
    .strictObject({
      name: nameSchema.optional(),
      drained: z.boolean().optional().meta(notes.drained),
      tenantId: tenantIdSchema.optional().meta(notes.tenantId),
      shared: z.boolean().optional().meta(notes.shared),
      trustedRunc: z.string().min(1).max(200).nullable().optional().meta(notes.trustedRunc),
    })
    .refine((body) => Object.keys(body).length > 0, 'is empty: name at least one field to change'),
  reply: z.object({ runner: runnerSchema }),
  async handle({ deps, resource, body, requestId }) {
    return { runner: presentRunner(await changeHost(deps, resource.runner, body, requestId)) };
  },
});

const revoke = defineRoute({
  method: 'DELETE',
  path: '/api/system/runners/:runnerId',
  access: 'operator',
  summary: 'Revoke a host; 409 with their names while services run on it or are going to move to it.',
  resource: runnerResource,
  reply: z.object({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await revokeHost(deps, resource.runner);
    return { ok: true as const };
  },
});

const upgrade = defineRoute({
  method: 'POST',
  path: '/api/system/runners/:runnerId/upgrade',
  access: 'operator',
  summary:
    'Upgrade the runner of a host to the release that this control plane offers. "facts.version" and "facts.lastUpgrade" of the host tell how it ended.',
  resource: runnerResource,
  reply: z.object({
    started: z.boolean().describe('Whether it began; false: one was running already.'),
  }),
  async handle({ deps, resource }) {
    return upgradeHost(deps, resource.runner);
  },
});

const shownRounds = 20;

const roundSchema = z.strictObject({
  id: z.string().describe('Id of the round.'),
  release: z.string().describe('The release that its hosts got.'),
  state: z
    .enum(['running', 'complete', 'ended', 'stopped'])
    .describe(
      '`complete`: every connected host has it; `ended`: the window closed, or another release came; `stopped`: a host failed.',
    ),
  upgraded: z.int().meta(note('Hosts that the round has upgraded.', 3)),
  runnerId: z.string().nullable().describe('The host that is being upgraded, or that failed.'),
  error: z.string().nullable().describe('Why that host failed, or why it could not be asked yet.'),
  startedAt: timestampSchema.meta(notes.startedAt),
  finishedAt: timestampSchema.nullable().meta(notes.finishedAt),
});

const upgradeRounds = defineRoute({
  method: 'GET',
  path: '/api/system/upgrades',
  access: 'operator',
  summary:
    'Show the release that hosts get, how many lack it, and the last 20 rounds of upgrades (setting `hostUpgrades`), newest first.',
  reply: z.strictObject({
    release: z
      .string()
      .nullable()
      .describe('The release that this control plane offers; null: it offers none.'),
    outdatedHosts: z.int().meta(note('Hosts that take upgrades and lack the release.', 2)),
    rounds: z.array(roundSchema).describe('The last rounds of upgrades, newest first.'),
  }),
  async handle({ deps: { db, hostRelease } }) {
    const [rounds, [outdated]] = await db.batch([
      selectUpgradeRounds(db, shownRounds),
      countOutdatedHosts(db, hostRelease ?? ''),
    ]);
    return {
      release: hostRelease,
      outdatedHosts: hostRelease === null ? 0 : (outdated?.hosts ?? 0),
      rounds: rounds.map(presentRound),
    };
  },
});

export const runnerRoutes: AnyRoute[] = [list, createToken, update, upgrade, upgradeRounds, revoke];

function presentRunner({
  runner,
  services,
  connected,
  clockAheadMs,
  copied,
  showsTenant,
}: HostView): z.infer<typeof runnerSchema> {
  return {
    id: runner.id,
    name: runner.name,
    ...(showsTenant ? { tenantId: runner.tenantId ?? defaultTenantId } : {}),
    shared: runner.shared,
    trustedRunc: runner.trustedRunc,
    warning: hostWarning({ ...runner, clockAheadMs, copied }),
    connected,
    drained: runner.drained,
    services,
    connectedAt: timestampOrNull(runner.connectedAt),
    disconnectedAt: timestampOrNull(runner.disconnectedAt),
    createdAt: timestamp(runner.createdAt),
    facts: runner.facts,
  };
}

function presentRound(row: UpgradeRoundRow): z.infer<typeof roundSchema> {
  const { id, release, state, upgraded, runnerId, error, startedAt, finishedAt } = row;
  const times = { startedAt: timestamp(startedAt), finishedAt: timestampOrNull(finishedAt) };
  return { id, release, state, upgraded, runnerId, error, ...times };
}
