/** Log drains of a project: list, create, change, delete, status, and send a test line. */

import { z } from 'zod';
import { drainPatchSchema, newDrainSchema } from '../../domain/logs/log-drains.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { projectResource } from '../../http/loaders/service-loaders.ts';
import { logDrainResource } from '../../http/loaders/tenant-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { findLogDrain, listLogDrains } from '../../store/logs/log-drain-store.ts';
import { readDrainStatus, testDrain } from '../../usecases/logs/ask-drains.ts';
import { changeLogDrain, createLogDrain, removeLogDrain } from '../../usecases/logs/change-drains.ts';
import {
  drainReply,
  drainStatusReply,
  drainsReply,
  drainTestReply,
  presentChanged,
  presentHostStatus,
  presentLogDrain,
} from '../present/present-log-drain.ts';

const ofProject = '/api/projects/:projectId/log-drains';
const path = '/api/log-drains/:logDrainId';

const list = defineRoute({
  method: 'GET',
  path: ofProject,
  access: 'read',
  summary: 'List where the output of the services of a project is sent. Headers and secrets are never shown.',
  resource: projectResource,
  reply: drainsReply,
  handle: async ({ deps, resource }) => ({
    logDrains: (await listLogDrains(deps.db, resource.project.id)).map(presentLogDrain),
  }),
});

const create = defineRoute({
  method: 'POST',
  path: ofProject,
  access: 'write',
  summary:
    'Send what the services of a project print from now on to a receiver: HTTP (NDJSON), OpenTelemetry or syslog. Give the settings of one of them.',
  resource: projectResource,
  body: newDrainSchema,
  creates: {
    kind: 'logDrain',
    async find({ deps }, id) {
      const row = await findLogDrain(deps.db, id);
      return row && presentChanged({ row, signingSecret: null });
    },
  },
  reply: drainReply,
  async handle({ deps, resource: { project }, body }) {
    const owner = { projectId: project.id, tenantId: project.tenantId };
    return presentChanged(await createLogDrain(deps, owner, body));
  },
});

const change = defineRoute({
  method: 'PATCH',
  path,
  access: 'write',
  summary: 'Change a log drain. Omitted fields keep their values. Lines that wait go to the new receiver.',
  resource: logDrainResource,
  body: drainPatchSchema,
  reply: drainReply,
  handle: async ({ deps, resource, body }) => presentChanged(await changeLogDrain(deps, resource, body)),
});

const remove = defineRoute({
  method: 'DELETE',
  path,
  access: 'write',
  summary: 'Delete a log drain. What waits for it is not sent.',
  resource: logDrainResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await removeLogDrain(deps, resource.drain);
    return { ok: true as const };
  },
});

const status = defineRoute({
  method: 'GET',
  path: `${path}/status`,
  access: 'read',
  summary: 'Ask the hosts how far a log drain is: sent and dropped lines, the lag, and the last error.',
  resource: logDrainResource,
  reply: drainStatusReply,
  async handle({ deps, resource }) {
    const hosts = await readDrainStatus(deps, resource.drain);
    return { hosts: hosts.map((host) => presentHostStatus(host, deps.now())) };
  },
});

const test = defineRoute({
  method: 'POST',
  path: `${path}/test`,
  access: 'write',
  summary: 'Let a host send one test line to the receiver of a log drain now, and return what came of it.',
  resource: logDrainResource,
  reply: drainTestReply,
  async handle({ deps, resource }) {
    const { ok, detail, durationMs, host } = await testDrain(deps, resource);
    return { result: { ok, detail, durationMs, runnerId: host.id } };
  },
});

export const logDrainRoutes: AnyRoute[] = [list, create, change, remove, status, test];
