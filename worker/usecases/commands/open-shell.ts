/** Opens interactive sessions in the live containers of services. */
import type { CommandContainer } from '../../../protocol/job-spec.ts';
import {
  type OpenShellAnswer,
  openShellAnswerSchema,
  type ShellEnd,
  type TerminalSize,
} from '../../../protocol/shells/shell.ts';
import { ApiError } from '../../domain/errors.ts';
import { isStaticSite } from '../../domain/services/service-kind.ts';
import type { ShellSession } from '../../gateways/object-calls.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { recordAuditEntry } from '../record-audit-entry.ts';
import { endShellContainer, shellContainer, startShellContainer } from './new-container.ts';

/** The host waits for a new container, and then connects, for 10 s each at most. */
const openTimeoutMs = 30_000;

export interface ShellAsked {
  container: CommandContainer;
  command: string[] | null;
  terminal: (TerminalSize & { type: string }) | null;
}

export type ShellOpener = Pick<ShellSession, 'tenantId' | 'keyId' | 'tokenId' | 'requestId' | 'address'> & {
  /** The key whose limits are used. */
  countedAs: string;
};

type Needs = Pick<
  Dependencies,
  'db' | 'hubs' | 'logs' | 'shells' | 'newId' | 'now' | 'initiator' | 'fingerprint'
>;

/** The credential that each side of a shell presents once. It is not stored, because it can be derived again. */
export const shellTokenText = (shellId: string, side: 'host' | 'client') => `${side} ${shellId}`;

/**
 * Requests a session from the host; it waits half a minute for its client.
 * @returns its id, and the ticket with which the client connects
 * @throws ApiError `unsupported`, `conflict` if nothing runs, `quota_exceeded`, `runner_offline`, `timeout`
 */
export async function openShell(
  deps: Needs,
  service: ServiceRow,
  { container, command, terminal }: ShellAsked,
  { countedAs, ...opener }: ShellOpener,
): Promise<{ id: string; container: string; ticket: string }> {
  if (container === 'live') assertRuns(service);
  const id = deps.newId('shell');
  const { id: serviceId, runnerId } = service;
  const { tenantId } = opener;
  const runId = container === 'new' ? await startShellContainer(deps, service) : null;
  try {
    const { initiator } = deps;
    const place = { shellId: id, serviceId, runnerId, runId };
    await deps.shells.begin({ ...opener, ...place, initiator, createdAt: deps.now() });
    const answer = await ask(deps, runnerId, {
      op: 'open-shell',
      shellId: id,
      token: await deps.fingerprint('shell', shellTokenText(id, 'host')),
      keyId: countedAs,
      ...{ serviceId, runId, tenantId, command, terminal },
    });
    if (!answer.opened) throw new ApiError(answer.code, answer.message);
    const ticket = await deps.fingerprint('shell', shellTokenText(id, 'client'));
    return { id, container: answer.container, ticket };
  } catch (error) {
    await deps.shells.discard(id);
    if (runId !== null) await endShellContainer(deps, runId);
    throw error;
  }
}

type Request = Extract<Parameters<Dependencies['hubs']['request']>[1], { op: 'open-shell' }>;

async function ask({ hubs }: Needs, runnerId: string, request: Request): Promise<OpenShellAnswer> {
  const answer = await hubs.request(runnerId, request, openTimeoutMs);
  if (!answer.ok) throw new ApiError('unavailable', `The host could not open a shell: ${answer.message}`);
  const parsed = openShellAnswerSchema.safeParse(answer.value);
  if (parsed.success) return parsed.data;
  throw new ApiError('unavailable', 'The answer of the host was not understood: update its runner.');
}

/** @throws ApiError `unsupported`, `conflict` */
function assertRuns(service: ServiceRow): void {
  const { id, stopped, lastDeployedAt } = service;
  if (isStaticSite(service))
    throw new ApiError(
      'unsupported',
      'A static site runs no container, so there is nothing to open a shell in.',
    );
  if (stopped)
    throw new ApiError('conflict', `The service is stopped: start it with POST /api/services/${id}/start.`);
  if (lastDeployedAt === null)
    throw new ApiError(
      'conflict',
      `Nothing of the service runs: deploy it with POST /api/services/${id}/deployments.`,
    );
}

type RecordNeeds = Pick<Dependencies, 'db' | 'fingerprint' | 'newId' | 'now'>;

const entryOf = (
  { tenantId, keyId, initiator, shellId, requestId, address }: ShellSession,
  route: string,
) => ({
  tenantId,
  actor: keyId,
  actedBy: initiator ?? null,
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

/** Start and end of a shell in the audit log: the user, the place, the duration and the amount of data; never the input or output. */
export const recordShellStart = (deps: RecordNeeds, session: ShellSession): Promise<void> =>
  recordAuditEntry(deps, { ...entryOf(session, 'shell started'), detail: placeOf(session) });

export const recordShellEnd = (
  deps: RecordNeeds,
  session: ShellSession,
  { end, ...use }: { seconds: number; bytesIn: number; bytesOut: number; end: ShellEnd },
): Promise<void> =>
  recordAuditEntry(deps, {
    ...entryOf(session, 'shell ended'),
    detail: { ...placeOf(session), ...use, exitCode: end.code, reason: end.reason },
  });
