/** `audit`: who did what in the tenant. For owners' keys. */
import { buildCommand } from '../base/command.ts';
import { table } from '../base/table.ts';
import { timeOf } from '../deployments/chosen-lines.ts';
import { initiatorText } from '../names/initiator.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  commonFlags,
  openSession,
  textFlag,
  wholeNumber,
} from '../session.ts';

interface AuditFlags extends CommonFlags {
  actor?: string;
  status?: number;
  since?: Date;
  limit?: number;
}

const defaultLimit = 50;

export const audit = buildCommand({
  docs: about(
    'List who changed what, newest first',
    'Lists all changes of the tenant and all refused requests, for as long as the operator keeps the audit log. Needs a key with destroy access to all projects. The operator reads all tenants: longshore api GET /api/system/audit',
    'longshore audit --since 1d --actor mem_7u6y5t4r3e2w1q0p',
  ),
  parameters: {
    flags: {
      ...commonFlags,
      actor: textFlag('Only changes by this member, key or session, also through its sessions', 'id'),
      status: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: 'Only requests with this status, such as 403',
        optional: true,
        placeholder: 'number',
      },
      since: {
        kind: 'parsed',
        parse: timeOf,
        brief: 'Only newer entries: 30s, 10m, 2h, 1d or a time such as 2026-11-24T10:00Z',
        optional: true,
        placeholder: 'time',
      },
      limit: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: `Show at most this many (default: ${defaultLimit})`,
        optional: true,
        placeholder: 'number',
      },
    },
  },
  async func(this: CommandLine, { actor, status, since, limit = defaultLimit, ...flags }: AuditFlags) {
    const session = await openSession(this, flags);
    const query = {
      ...{ limit },
      ...(actor === undefined ? {} : { actor }),
      ...(status === undefined ? {} : { status }),
      ...(since === undefined ? {} : { since: since.toISOString() }),
    };
    const reply = await session.client.call('GET /api/audit', { query });
    const rows = reply.entries.map((one) => [
      one.createdAt.slice(0, 19).replace('T', ' '),
      initiatorText(one.actedBy),
      one.route,
      one.resourceId ?? '-',
      String(one.status),
      one.actor,
    ]);
    session.output.answer(reply, () =>
      table(['TIME (UTC)', 'WHO', 'WHAT', 'RESOURCE', 'STATUS', 'ACTOR'], rows, 'No entries'),
    );
  },
});
