/** Start and end of a shell in the audit log: who, where, how long and how much; never what was typed or printed. */
import type { ShellEnd } from '../../../protocol/shells/shell.ts';
import type { ShellSession } from '../../gateways/object-calls.ts';
import type { Dependencies } from '../dependencies.ts';
import { recordAuditEntry } from '../record-audit-entry.ts';
import { shellContainer } from './new-container.ts';

type Needs = Pick<Dependencies, 'db' | 'fingerprint' | 'newId' | 'now'>;

const entryOf = ({ tenantId, keyId, shellId, requestId, address }: ShellSession, route: string) => ({
  tenantId,
  actor: keyId,
  route,
  resourceId: shellId,
  status: 200,
  requestId,
  address,
});

const placeOf = ({ serviceId, runId }: ShellSession) => ({
  serviceId,
  container: shellContainer(serviceId, runId),
});

export const recordShellStart = (deps: Needs, session: ShellSession): Promise<void> =>
  recordAuditEntry(deps, { ...entryOf(session, 'shell started'), detail: placeOf(session) });

export const recordShellEnd = (
  deps: Needs,
  session: ShellSession,
  { end, ...use }: { seconds: number; bytesIn: number; bytesOut: number; end: ShellEnd },
): Promise<void> =>
  recordAuditEntry(deps, {
    ...entryOf(session, 'shell ended'),
    detail: { ...placeOf(session), ...use, exitCode: end.code, reason: end.reason },
  });
